"""The chapter of a mission in summary and report, from its log."""

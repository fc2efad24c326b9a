"""A mission's client reconstructed from its log, and compared with what it truly is."""

"""Recorder, log reading, report: what is kept and shown of a run."""

"""Estimators that a user brings: a class, or another computer behind a line."""

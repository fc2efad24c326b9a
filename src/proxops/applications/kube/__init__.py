"""An arm in the loop (paper 004)."""

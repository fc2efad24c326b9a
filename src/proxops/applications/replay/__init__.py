"""Flown motions of free-floating arms, computed again (ETS-VII)."""

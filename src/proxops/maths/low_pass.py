"""A low-pass of the first order, sampled."""

from __future__ import annotations

import math


def low_pass_share(cutoff_hz: float, dt: float) -> float:
    """Of the difference to a new value that it takes up in ``dt``: 1 − exp(−2π f dt), all of it for an infinite ``cutoff_hz``."""
    return 1.0 - math.exp(-(2.0 * math.pi * cutoff_hz) * dt)

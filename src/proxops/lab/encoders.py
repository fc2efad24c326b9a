"""Encoders in the joints of a virtual robot: steps and noise."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def encoder_reading(angles: Floats, noise: float, step: float, random: np.random.Generator) -> Floats:
    """What encoders say of ``angles``, rad: noise of this standard deviation, then rounded to steps (0: none)."""
    return stepped(angles + noise * random.standard_normal(angles.size), step)


def stepped(angles: Floats, step: float) -> Floats:
    """Rounded to the nearest of the encoder's ``step``s, rad; 0: as they are."""
    out: Floats = np.round(angles / step) * step if step else angles
    return out

"""Encoders in the joints of a virtual robot: steps and noise."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from proxops.maths.kernel import kernel

Floats = NDArray[np.float64]


def encoder_reading(angles: Floats, noise: float, step: float, random: np.random.Generator) -> Floats:
    """What encoders say of ``angles``, rad: noise of this standard deviation, then rounded to steps (0: none). Without noise
    nothing is drawn."""
    out = angles.copy()
    if noise:
        put_reading(angles, noise, random.standard_normal(angles.size), step, out)
        return out
    return stepped(out, step)


@kernel
def put_reading(angles: Floats, noise: float, draws: Floats, step: float, out: Floats) -> None:
    """``out`` := the same, of ``draws`` that are normal."""
    for i in range(angles.shape[0]):
        noisy = angles[i] + noise * draws[i]
        out[i] = np.rint(noisy / step) * step if step else noisy


def stepped(angles: Floats, step: float) -> Floats:
    """Rounded to the nearest of the encoder's ``step``s, rad; 0: as they are."""
    out: Floats = np.round(angles / step) * step if step else angles
    return out

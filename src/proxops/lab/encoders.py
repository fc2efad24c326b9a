"""Encoders in the joints of a virtual robot: steps and noise."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from proxops.maths.kernel import kernel

Floats = NDArray[np.float64]


def encoder_reading(angles: Floats, noise: float, step: float, draw: Callable[[], Floats]) -> Floats:
    """What encoders say of ``angles``, rad: noise of this standard deviation, then rounded to steps (0: none). ``draw`` gives a
    normal number for each; without noise nothing is drawn."""
    if noise:
        out: Floats = np.empty(angles.shape)
        put_reading(angles, noise, draw(), step, out)
        return out
    return stepped(angles.copy(), step)


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

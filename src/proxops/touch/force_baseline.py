"""What a sensor reads when nobody pushes: a straight line through the quiet past, one for each of the six components.

A Kalman filter of level and slope (noise of one in every reading, the slope wanders). Readings are whitened, so six components
share one covariance. It takes readings late and only where somebody has found them quiet; in between the line is carried on and
its variance grows. An innovation counts as three sigmas at most: what was no push but no noise either hardly bends the line.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array

SIX: Final = 6
UNKNOWN: Final = 1e12  # variance of a level nobody has seen yet, sigma²
FIRST_SLOPE: Final = 1.0  # variance of a slope nobody has seen yet, (sigma/s)²
CLIP: Final = 3.0  # sigma

BASELINE_DTYPE = np.dtype(
    [
        ("level", "f8", (SIX,)), ("slope", "f8", (SIX,)),  # sigma and sigma/s, at the epoch
        ("P", "f8", (3,)),  # variance of the level, covariance, variance of the slope
        ("epoch", "i8"),  # sample of which level and slope are
        ("wander", "f8"),  # (sigma/s)²/s, by which the variance of the slope grows
        ("dt", "f8"),
    ]
)  # fmt: skip
Baseline = NDArray[np.void]


@kernel
def forget(baseline: Baseline, sample: int) -> None:
    """Start anew: level and slope unknown."""
    b = baseline[0]
    for i in range(SIX):
        b.level[i] = b.slope[i] = 0.0
    b.P[0], b.P[1], b.P[2] = UNKNOWN, 0.0, FIRST_SLOPE
    b.epoch = sample


@kernel
def variance(baseline: Baseline, sample: int) -> float:
    """Of the line, sigma²: at any sample after the epoch."""
    b = baseline[0]
    tau = (sample - b.epoch) * b.dt
    grown: float = b.P[0] + tau * (2.0 * b.P[1] + tau * (b.P[2] + b.wander * tau / 3.0))
    return grown


@kernel
def residual(baseline: Baseline, sample: int, reading: Array, out: Array) -> None:
    """Reading minus line, whitened."""
    b = baseline[0]
    tau = (sample - b.epoch) * b.dt
    for i in range(SIX):
        out[i] = reading[i] - (b.level[i] + tau * b.slope[i])


@kernel
def absorb(baseline: Baseline, sample: int, reading: Array) -> None:
    """Carry the line on to a sample, however many were left out, and take its reading in."""
    b = baseline[0]
    tau = (sample - b.epoch) * b.dt
    b.P[0] = variance(baseline, sample)
    b.P[1] += tau * (b.P[2] + 0.5 * b.wander * tau)
    b.P[2] += b.wander * tau
    total = b.P[0] + 1.0
    gain, slope_gain, reach = b.P[0] / total, b.P[1] / total, CLIP * math.sqrt(total)
    for i in range(SIX):
        b.level[i] += tau * b.slope[i]
        news = min(max(reading[i] - b.level[i], -reach), reach)
        b.level[i] += gain * news
        b.slope[i] += slope_gain * news
    b.P[2] -= slope_gain * b.P[1]
    b.P[1] /= total
    b.P[0] /= total
    b.epoch = sample

"""Delay between what was commanded and what came back, found from a motion that goes to and fro; with its uncertainty."""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from proxops.core.errors import BadInput
from proxops.core.messages import PERIOD_S
from proxops.maths.rotation import Array

BLOCKS: Final = 8  # the spread between their delays is what the whole is unsure of
PASSES: Final = 6
LONGEST_S: Final = 0.2


class LoopDelay(NamedTuple):
    """Seconds; ``sigma``: one standard deviation of the mean over the blocks. ``gain``: size of what came back over what was
    sent."""

    delay: float
    sigma: float
    gain: float


def measure_delay(commanded: Array, actual: Array, period_s: float = PERIOD_S) -> LoopDelay:
    """Of two courses sampled together. BadInput if the motion was too small, or the delay is none that a loop may have."""
    skip = round(LONGEST_S / period_s)
    blocks = [part for part in np.array_split(np.arange(skip, len(actual)), BLOCKS) if len(part)]
    if len(actual) < 2 * skip or np.std(commanded) <= 0.0:
        raise BadInput("loop delay: no motion to find it from", value=f"{len(actual)} samples")
    first, _ = _fitted(commanded, actual, np.arange(skip, len(actual)), 0.0, period_s)
    found = [_fitted(commanded, actual, part, first, period_s) for part in blocks]
    delays, gains = np.array([f[0] for f in found]), np.array([f[1] for f in found])
    delay, sigma = float(delays.mean()), float(delays.std(ddof=1) / math.sqrt(len(delays)))
    if not 0.0 < delay < LONGEST_S:
        raise BadInput("loop delay: not believed", value=f"{delay * 1e3:.3f} ms", bound=f"0 … {LONGEST_S * 1e3:g} ms")
    return LoopDelay(delay, sigma, float(gains.mean()))


def _fitted(
    commanded: Array, actual: Array, rows: NDArray[np.integer], delay: float, period_s: float
) -> tuple[float, float]:
    """Gauss-Newton on delay, gain and offset over these rows."""
    gain = 1.0
    for _ in range(PASSES):
        shown, rate = _late(commanded, rows.astype(np.float64) - delay / period_s)
        A = np.stack([-gain * rate / period_s, shown - shown.mean(), np.ones(len(rows))], axis=1)
        rest = actual[rows] - gain * (shown - shown.mean())
        step = np.linalg.lstsq(A, rest, rcond=None)[0]
        delay, gain = min(max(delay + float(step[0]), 0.0), LONGEST_S), gain + float(step[1])
    return delay, gain


def _late(course: Array, at: Array) -> tuple[Array, Array]:
    """The course and its slope per sample at fractional rows: the cubic through the four neighbours."""
    i = np.clip(np.floor(at).astype(int), 1, len(course) - 3)
    s = at - i
    a, b, c, d = course[i - 1], course[i], course[i + 1], course[i + 2]
    p, q, r = b, (c - a) / 2.0, a - 2.5 * b + 2.0 * c - 0.5 * d
    u = -0.5 * a + 1.5 * b - 1.5 * c + 0.5 * d
    return p + s * (q + s * (r + s * u)), q + s * (2.0 * r + 3.0 * s * u)

"""Joint angles as an arm reports them, judged before a law may see them: numbers, and no further apart than joints can move."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.maths.kernel import kernel

Floats = NDArray[np.float64]
MARGIN: Final = 1.5  # over what a joint does at its speed limit: a robot's stamps of time are off by parts of its cycle


class MeasuredJoints:
    """One reading after the other; each is compared with the last one that was sound. rad, rad/s."""

    def __init__(
        self, joints: tuple[str, ...], speed: Floats, encoder_error: float, t: float, angles: Floats, longest_s: float = math.inf
    ) -> None:  # fmt: skip
        """``encoder_error``: the most by which two readings of a joint at rest differ; ``longest_s``: between two readings."""
        self._longest_s = longest_s
        self._joints, self._speed, self._error = joints, MARGIN * speed, encoder_error
        self._t, self._before = t, np.array(angles, float)

    def first_fault(self) -> str:
        """Of the reading that it began with; empty if that was sound."""
        return "" if math.isfinite(self._t) and np.isfinite(self._before).all() else self._told(self._before, self._t)

    def fault(self, angles: Floats, t: float) -> str:
        """Joint, value and bound; empty for a sound reading, which is the next one's measure."""
        if not t - self._t <= self._longest_s or not within(
            angles, self._before, self._speed, self._error, t - self._t
        ):
            return self._told(angles, t)
        self._t, self._before[:] = t, angles
        return ""

    def _told(self, angles: Floats, t: float) -> str:
        if not math.isfinite(t):
            return f"time of the reading is no number: {t:g}"
        if t < self._t:
            return f"reading of {t:.4f} s is older than the one before, of {self._t:.4f} s"
        if t - self._t > self._longest_s:
            return (
                f"reading of {t:.4f} s comes {t - self._t:.4g} s after the one before, allowed {self._longest_s:.4g} s"
            )
        for name, angle, before, speed in zip(self._joints, angles, self._before, self._speed, strict=True):
            if not math.isfinite(angle):
                return f"{name}: measured angle is no number: {angle:g} (at {t:.3f} s)"
            way, most = abs(angle - before), self._error + speed * (t - self._t)
            if not way <= most:
                return (
                    f"{name}: measured angle jumps by {math.degrees(way):.4g} deg within {1e3 * (t - self._t):.3g} ms, "
                    f"allowed {math.degrees(most):.4g} (at {t:.3f} s)"
                )
        return f"reading of {t:.3f} s comes after one that is no number"


@kernel
def within(angles: Floats, before: Floats, speed: Floats, error: float, dt: float) -> bool:
    """Numbers, none too far from ``before``; False of what is no number."""
    good = dt >= 0.0 and dt < math.inf
    for i in range(angles.shape[0]):
        good = good and abs(angles[i] - before[i]) <= error + speed[i] * dt
    return good

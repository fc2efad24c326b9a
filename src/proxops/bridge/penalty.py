"""A fence: the one shape of every bound in the cost of a posture."""

from __future__ import annotations

from proxops.maths.kernel import kernel


@kernel
def fence(x: float, lower: float, upper: float, soft: float, weight: float) -> tuple[float, float]:
    """Value and slope of a fence: ``weight`` at the limit, nothing ``soft`` away from it, growing on beyond."""
    low, high = (lower + soft - x) / soft, (x - upper + soft) / soft
    value, slope = 0.0, 0.0
    if low > 0.0:
        value += weight * low * low
        slope -= 2.0 * weight * low / soft
    if high > 0.0:
        value += weight * high * high
        slope += 2.0 * weight * high / soft
    return value, slope

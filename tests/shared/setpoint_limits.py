"""The promise of every cycle, whatever a test does: no axis' set-point takes more speed or acceleration than it may."""

from __future__ import annotations

from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array


@kernel
def keeps_limits(
    q: Array, q_before: Array, v_before: Array, speed: Array, acceleration: Array, period_s: float
) -> bool:
    """Whether every axis keeps its speed and acceleration with this set-point (NaN keeps none). ``q_before`` and ``v_before``
    become those of this cycle. One call: it is asked hundreds of thousands of times."""
    kept = True
    for i in range(q.size):
        v = (q[i] - q_before[i]) / period_s
        kept = kept and abs(v) <= speed[i] and abs(v - v_before[i]) / period_s <= acceleration[i]
        q_before[i], v_before[i] = q[i], v
    return kept


@kernel
def keeps_range(q: Array, lower: Array, upper: Array) -> bool:
    """Whether every axis is within its range; NaN is not."""
    kept = True
    for i in range(q.size):
        kept = kept and lower[i] <= q[i] <= upper[i]
    return kept

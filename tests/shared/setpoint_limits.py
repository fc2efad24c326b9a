"""The promise of every cycle, whatever a test does: no axis' set-point takes more speed or acceleration than it may."""

from __future__ import annotations

from proxops.core.messages import PERIOD_S
from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array


@kernel
def keeps_limits(q: Array, q_before: Array, v_before: Array, speed: Array, acceleration: Array) -> bool:
    """Whether every axis keeps its speed and acceleration with this set-point (NaN keeps none). ``q_before`` and ``v_before``
    become those of this cycle. One call: it is asked hundreds of thousands of times."""
    kept = True
    for i in range(q.size):
        v = (q[i] - q_before[i]) / PERIOD_S
        kept = kept and abs(v) <= speed[i] and abs(v - v_before[i]) / PERIOD_S <= acceleration[i]
        q_before[i], v_before[i] = q[i], v
    return kept

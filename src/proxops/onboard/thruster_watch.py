"""Thruster watch: chamber pressures against what was commanded a cycle before."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.flight import Floats, OnboardData
from proxops.maths.kernel import kernel
from proxops.onboard.allocation import pushes_all_ways

EXTRA_S: Final = 0.010  # of pressure that nobody asked for: more than two ticks of the valve are no rounding
REFUSALS: Final = 2


class ThrusterWatch:
    """Who fires and who does not. ``isolated``: latch valves to close; ``healthy``: may be used; ``enough``: they still push in
    all directions without turning the craft."""

    def __init__(self, wrench: Floats, data: OnboardData) -> None:
        n = wrench.shape[1]
        self.isolated = np.zeros(n, dtype=np.bool_)
        self.healthy = np.ones(n, dtype=np.bool_)
        self.enough = True
        self._wrench, self._min_on_s = wrench, data.min_on_s
        self._commanded: Floats | None = None
        self._refusals = np.zeros(n, dtype=np.int64)

    def look(self, thruster_on_s: Floats) -> None:
        """Judge the cycle that has passed."""
        if self._commanded is None:
            return
        if judge(thruster_on_s, self._commanded, self._min_on_s, self._refusals, self.isolated, self.healthy):
            self.enough = pushes_all_ways(self._wrench, self.healthy)

    def remember(self, on_time_s: Floats) -> None:
        """What this cycle commands."""
        self._commanded = on_time_s.copy()


@kernel
def judge(
    fired_s: Floats, commanded_s: Floats, min_on_s: float, refusals: NDArray[np.int64], isolated: NDArray[np.bool_],
    healthy: NDArray[np.bool_],
) -> bool:  # fmt: skip
    """Find thrusters that fire unasked, or have refused too often; True if one more has failed."""
    news = False
    for k in range(fired_s.size):
        asked = commanded_s[k] >= min_on_s - 1e-9
        if asked:
            refusals[k] = refusals[k] + 1 if fired_s[k] < 0.5 * commanded_s[k] else 0
        if not healthy[k]:
            continue
        if fired_s[k] > commanded_s[k] + EXTRA_S:
            isolated[k], healthy[k], news = True, False, True
        elif refusals[k] >= REFUSALS:
            healthy[k], news = False, True
    return news

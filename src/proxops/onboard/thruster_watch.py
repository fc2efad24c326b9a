"""Thruster watch: chamber pressures against what was commanded a cycle before."""

from __future__ import annotations

from typing import Final

import numpy as np

from proxops.core.flight import Floats, OnboardData
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
        commanded = self._commanded
        stuck_open = self.healthy & (thruster_on_s > commanded + EXTRA_S)
        asked = commanded >= self._min_on_s - 1e-9
        refused = asked & (thruster_on_s < 0.5 * commanded)
        self._refusals = np.where(refused, self._refusals + 1, np.where(asked, 0, self._refusals))
        stuck_closed = self.healthy & (self._refusals >= REFUSALS)
        if stuck_open.any() or stuck_closed.any():
            self.isolated |= stuck_open
            self.healthy &= ~(stuck_open | stuck_closed)
            self.enough = pushes_all_ways(self._wrench, self.healthy)

    def remember(self, on_time_s: Floats) -> None:
        """What this cycle commands."""
        self._commanded = on_time_s.copy()

"""The computer beside the arm, as paper 004 had it: an evaluation takes its time, and now and then much longer.

It takes the newest reading when it is free, and its answer arrives when the evaluation is over. Times are drawn from a generator
of its own, so that a run can be repeated.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from proxops.applications.kube.tables import ComputerTable

SHORTEST: Final = 0.6  # of the mean: no draw makes it quicker


class SlowComputer:
    """``due(t)``: is an answer ready, or nothing begun yet? Then ``begin`` the next evaluation. Times in s."""

    def __init__(self, table: ComputerTable, random: np.random.Generator) -> None:
        self._mean, self._spread = table.time_ms * 1e-3, table.spread_ms * 1e-3
        self._stall = np.array(table.stall_ms) * 1e-3
        self._chance = (
            self._mean / table.stall_every_s if table.stall_every_s else 0.0
        )  # of a stall, for one evaluation
        self._random, self._ready = random, 0.0
        self.stalls = 0

    def due(self, t: float) -> bool:
        return t >= self._ready - 1e-9

    def begin(self, t: float) -> float:
        """An evaluation of a reading of time ``t``; how long it will take. The same count of random numbers each time."""
        normal, chance, share = self._random.standard_normal(), self._random.random(), self._random.random()
        takes = max(SHORTEST * self._mean, self._mean + self._spread * normal)
        if chance < self._chance:
            takes += float(self._stall[0] + share * (self._stall[1] - self._stall[0]))
            self.stalls += 1
        self._ready = t + takes
        return takes

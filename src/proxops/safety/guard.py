"""The guard: holds the set-point, judges every wish, brakes. Nothing reaches the robots but through here."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from proxops.lab.cell import Cell
from proxops.safety.limits import GUARD_DTYPE, begin_braking, brake, judge, stand
from proxops.safety.rules import Rule, Stop


class Guard:
    """State of the set-point. ``setpoint`` and ``rate`` are views that change in place."""

    def __init__(self, cell: Cell, margins: NDArray[np.float64]) -> None:
        self._hall = cell.hall
        self._state = np.zeros(1, GUARD_DTYPE)
        self._report = np.zeros(3)
        self._margins = margins
        self.setpoint: NDArray[np.float64] = self._state[0]["x"]
        self.rate: NDArray[np.float64] = self._state[0]["v"]
        self.wish: NDArray[np.float64] = self._state[0]["wish"]

    def stand(self, q: NDArray[np.float64]) -> None:
        """The robots stand at ``q``: this is the set-point from now on."""
        stand(self._hall, self._state, q)

    def judge(self, wish: NDArray[np.float64]) -> Stop | None:
        """Follow ``wish`` for one cycle, or say why not; then the caller brakes."""
        rule = judge(self._hall, self._state, wish, self._margins, self._report)
        if rule == 0:
            return None
        number, value, bound = self._report.tolist()
        return Stop(Rule(rule), int(number), value, bound)

    @property
    def moving(self) -> bool:
        """True until the set-point is at rest; a wish that has ended is held until then."""
        return bool(self.rate.any())

    def begin_braking(self) -> float:
        """Brake from the present set-point; the time to standstill in seconds."""
        return float(begin_braking(self._hall, self._state))

    def brake(self) -> bool:
        """One cycle of braking; True at rest."""
        return bool(brake(self._hall, self._state))

"""The guard: holds the set-point, judges every wish, brakes. Nothing reaches the robots but through here."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.lab.cell import Cell
from proxops.safety.limits import GUARD_DTYPE, begin_braking, brake, judge, stand
from proxops.safety.rules import Rule, Stop

NEAR_WRIST: Final = math.radians(5.0)  # |A5| below which a racing A4 or A6 is the singularity's doing
RACING: Final = frozenset({Rule.JUMP, Rule.AXIS_SPEED, Rule.AXIS_ACCELERATION})


def stop_of(rule: int, report: NDArray[np.float64], setpoint: NDArray[np.float64]) -> Stop:
    """The stop behind a rule of ``judge``. Where A4 or A6 race because A5 is near zero, the singularity is named."""
    number, value, bound = report.tolist()
    stop = Stop(Rule(rule), int(number), value, bound)
    a5 = {5: 6, 7: 6, 11: 12, 13: 12}.get(stop.axis)  # A4 and A6 of each robot, as numbered in rules.AXIS_TEXT
    if a5 is None or stop.rule not in RACING:
        return stop
    angle = abs(math.asin(math.sin(setpoint[a5 - 1])))
    if angle >= NEAR_WRIST:
        return stop
    return Stop(
        Rule.WRIST_SINGULARITY,
        a5,
        angle,
        NEAR_WRIST,
        f"A{4 if stop.axis in (5, 11) else 6} would race: {stop.rule.name}",
    )


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
        self.roll: NDArray[np.float64] = self._state[0]["roll"]  # of both plates, counted through full turns

    def stand(self, q: NDArray[np.float64]) -> None:
        """The robots stand at ``q``: this is the set-point from now on."""
        stand(self._hall, self._state, q, self._margins)

    def judge(self, wish: NDArray[np.float64]) -> Stop | None:
        """Follow ``wish`` for one cycle, or say why not; then the caller brakes."""
        rule = judge(self._hall, self._state, wish, self._margins, self._report)
        return stop_of(rule, self._report, self.setpoint) if rule else None

    @property
    def moving(self) -> bool:
        """True until the set-point is at rest; a wish that has ended is held until then."""
        return bool(self.rate.any())

    def begin_braking(self) -> float:
        """Brake from the present set-point; the time to standstill in seconds."""
        return float(begin_braking(self._hall, self._state))

    def brake(self) -> bool:
        """One cycle of braking; True at rest."""
        return bool(brake(self._hall, self._state, self._margins))

"""Thruster watch: chamber pressures against what was commanded a cycle before.

Where nobody waits for the answers (``late_cycles`` > 0), a command is carried out up to so many cycles late, and its pulse may
lie in two of them. Then pressure is unasked for only if none of the commands that may still be on their way has asked for it,
or if in a dozen cycles more has fired than was commanded in them; a command is refused only if too little has fired in all the
cycles that it may have been carried out in. Answers that are lost are not allowed for: two in a row look like two refusals.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.flight import Floats, OnboardData
from proxops.maths.kernel import kernel
from proxops.onboard.allocation import pushes_all_ways

EXTRA_S: Final = 0.010  # of pressure that nobody asked for: more than two ticks of the valve are no rounding
REFUSALS: Final = 2
WINDOW: Final = 12  # cycles over which pressure is added up where commands may be late ...
ROUNDING_S: Final = 0.004  # ... and a tick of the valve, in each of them


class ThrusterWatch:
    """Who fires and who does not. ``isolated``: latch valves to close; ``healthy``: may be used; ``enough``: they still push in
    all directions without turning the craft."""

    def __init__(self, wrench: Floats, data: OnboardData) -> None:
        n = wrench.shape[1]
        self.isolated = np.zeros(n, dtype=np.bool_)
        self.healthy = np.ones(n, dtype=np.bool_)
        self.enough = True
        self._wrench, self._min_on_s = wrench, data.min_on_s
        # Newest first; what is not yet known counts as nothing.
        window, self._late = (WINDOW if data.late_cycles else 1), data.late_cycles
        self._commanded, self._fired = np.zeros((window + self._late, n)), np.zeros((window, n))
        self._told = False  # something has been commanded
        self._refusals = np.zeros(n, dtype=np.int64)

    def look(self, thruster_on_s: Floats) -> None:
        """Judge the cycle that has passed."""
        if look(
            thruster_on_s, self._told, self._fired, self._commanded, self._late, self._min_on_s, self._refusals, self.isolated,
            self.healthy,
        ):  # fmt: skip
            self.enough = pushes_all_ways(self._wrench, self.healthy)

    def remember(self, on_time_s: Floats) -> None:
        """What this cycle commands."""
        put(self._commanded, on_time_s)
        self._told = True


@kernel
def look(
    newest_s: Floats, told: bool, fired_s: Floats, commanded_s: Floats, late: int, min_on_s: float,
    refusals: NDArray[np.int64], isolated: NDArray[np.bool_], healthy: NDArray[np.bool_],
) -> bool:  # fmt: skip
    """Take in what has fired and, if something was ``told``, ``judge`` it."""
    put(fired_s, newest_s)
    return told and judge(fired_s, commanded_s, late, min_on_s, refusals, isolated, healthy)


@kernel
def put(rows: Floats, newest: Floats) -> None:
    """The newest first, the others one row on."""
    for k in range(rows.shape[1]):
        for j in range(rows.shape[0] - 1, 0, -1):
            rows[j, k] = rows[j - 1, k]
        rows[0, k] = newest[k]


@kernel
def judge(
    fired_s: Floats, commanded_s: Floats, late: int, min_on_s: float, refusals: NDArray[np.int64], isolated: NDArray[np.bool_],
    healthy: NDArray[np.bool_],
) -> bool:  # fmt: skip
    """Find thrusters that fire unasked, or have refused too often; True if one more has failed. Rows: cycles, newest first;
    ``late``: cycles by which a command may be carried out late."""
    news = False
    for k in range(fired_s.shape[1]):
        due_s, fired_since_s, on_the_way_s = commanded_s[late, k], 0.0, 0.0
        for j in range(late + 1):
            fired_since_s += fired_s[j, k]
            on_the_way_s += commanded_s[j, k]
        if due_s >= min_on_s - 1e-9:
            refusals[k] = refusals[k] + 1 if fired_since_s < 0.5 * due_s else 0
        if not healthy[k]:
            continue
        if fired_s[0, k] > on_the_way_s + EXTRA_S or (late > 0 and _too_much(fired_s[:, k], commanded_s[:, k])):
            isolated[k], healthy[k], news = True, False, True
        elif refusals[k] >= REFUSALS:
            healthy[k], news = False, True
    return news


@kernel
def _too_much(fired_s: Floats, commanded_s: Floats) -> bool:
    """Whether more has fired in a while than was commanded in it and may have been carried out late."""
    return bool(fired_s.sum() > commanded_s.sum() + len(fired_s) * ROUNDING_S)

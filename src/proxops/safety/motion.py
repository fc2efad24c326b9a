"""A motion: whatever tells the facility where the axes shall be in the next cycle. One at a time, chosen by the mode.

File and network (``follower``), move to start (``mover``), manual control (``jog``), the test wave (``sine``) and the bridge
(``bridged``) are motions. What a motion wishes goes to the guard; what the guard refuses comes back to it as an answer.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from enum import Enum
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.safety.guarded_cycle import GuardedCycle as GuardedCycle
from proxops.safety.guarded_cycle import Passing as Passing
from proxops.safety.rules import Stop

JERK_TIME_S: Final = 0.25  # in which a planned move reaches its full acceleration


class Rest(Enum):
    """What a motion says when it has no wish."""

    HOLD = "hold"  # nothing for now: stand where the last wish was
    HALT = "halt"  # brake now, go on later (the bridge)
    DONE = "done"  # nothing any more


Wish = NDArray[np.float64] | Rest | Stop
"""Thirteen axes (m, rad), or rest, or a reason to stop."""


class Motion(ABC):
    """A wish every cycle."""

    @abstractmethod
    def step(self) -> Wish:
        """The wish of this cycle."""

    def usual_cycles(self, cycle: GuardedCycle, passing: Passing, most: int) -> int:
        """Go through up to ``most`` cycles in one call, if in each of them a step and the tick round it would do nothing but move
        the robots; how many have passed. The next one has not begun."""
        return 0

    def refused(self, stop: Stop) -> Stop | Rest:
        """The guard has refused the wish of this cycle for this reason: a stop, unless the motion can do with a halt."""
        return stop

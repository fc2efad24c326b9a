"""A motion: whatever tells the facility where the axes shall be in the next cycle. One at a time, chosen by the mode.

File and network (``follower``), move to start (``mover``), manual control (``jog``) and the test wave (``sine``) are motions.
"""

from __future__ import annotations

from enum import Enum
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from proxops.safety.rules import Stop


class Rest(Enum):
    """What a motion says when it has no wish."""

    HOLD = "hold"  # nothing for now: stand where the last wish was
    HALT = "halt"  # brake now, go on later (the bridge)
    DONE = "done"  # nothing any more


Wish = NDArray[np.float64] | Rest | Stop
"""Thirteen axes (m, rad), or rest, or a reason to stop."""


class Motion(Protocol):
    """Three words: step."""

    def step(self) -> Wish:
        """The wish of this cycle."""
        ...

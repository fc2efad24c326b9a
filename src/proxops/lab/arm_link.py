"""The port to an arm that takes joint velocities: what a loop needs of it, real (FRI, Sunrise) or virtual."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Measured(NamedTuple):
    """What the robot tells in one of its cycles."""

    t: float  # s, by its own clock
    angles: Floats  # (n) rad, encoders
    torques: Floats  # (n) N m, sensors in the joints: everything that acts there, weight too
    halted: str  # why it does not follow commands any more; empty while it does


class ArmLink(Protocol):
    """Neither call ever waits."""

    def read(self) -> Measured:
        """The newest. The arrays are used again by the next call."""
        ...

    def command(self, rates: Floats, answers: float) -> None:
        """Joint rates, rad/s, from the next cycle on. ``answers``: time of the measurement that they were computed from."""
        ...

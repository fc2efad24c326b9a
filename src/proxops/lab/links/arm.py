"""An arm with a controller of its own, real or virtual, and what the links to it share: reading, drives, faults.

Its controller keeps time and watches over its commands by itself. Whether it takes joint positions or joint rates is all that the
two links differ in (``arm_position``, ``arm_velocity``); nothing above a link knows.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from proxops.lab.links.fault import Trouble

Floats = NDArray[np.float64]


class Measured(NamedTuple):
    """What an arm tells in one of its cycles."""

    t: float  # s, by its own clock
    angles: Floats  # (n) rad, encoders
    torques: (
        Floats  # (n) N m, sensors in the joints: everything that acts there, weight too; empty where there are none
    )
    halted: str  # why it does not follow commands any more; empty while it does


class Arm(Protocol):
    """None of this waits."""

    halted: str  # as in ``Measured``, now
    rates: Floats  # of the joints as the controller reports them, rad/s

    def read(self) -> Measured:
        """The newest. The arrays may be used again by the next call."""
        ...

    def command(self, wish: Floats, answers: float) -> None:
        """Joint positions (rad) or rates (rad/s) from the next cycle on. ``answers``: time of the measurement that they were
        computed from."""
        ...

    def halt(self, cause: str) -> None:
        """Come to rest within the accelerations and follow nothing until ``clear``. The first cause stays."""
        ...

    def clear(self) -> None:
        """Forget a halt once the joints stand."""
        ...

    @property
    def at_rest(self) -> bool: ...


@dataclass(frozen=True)
class ArmFault:
    """The arm's own controller has stopped it, or it tells nothing new; ``str`` gives the words."""

    text: str
    trouble: Trouble
    number: int = 0
    value: float = 0.0
    bound: float = 0.0

    def __str__(self) -> str:
        return self.text


class ArmLink(ABC):
    """A ``Link`` to one arm. It has no brakes of ours to open: drives are on as soon as they are asked for. ``patience_cycles``:
    of ours, without anything new from the arm."""

    def __init__(self, arm: Arm, patience_cycles: int) -> None:
        self.arm, self._patience, self._unheard = arm, patience_cycles, 0
        self._wanted = self._on = False
        self.rate: Floats = arm.rates  # a view: it changes with every reading
        self.measured = arm.read()  # the newest, which the next command answers
        self._newest_t = self.measured.t  # of all since the drives went on
        self.positioning_error = np.zeros(len(arm.rates))

    def read(self) -> Floats:
        self.measured = self.arm.read()
        if self.measured.t > self._newest_t:
            self._unheard, self._newest_t = 0, self.measured.t
        else:
            self._unheard += 1
        return self.measured.angles

    def write(self, setpoint: Floats) -> ArmFault | None:
        if self._wanted and not self._on:
            return ArmFault(self.arm.halted or "a measured angle is no number", Trouble.CONTROLLER)
        if not self._on:
            return None
        self._command(setpoint)
        if self.arm.halted:
            return ArmFault(self.arm.halted, Trouble.CONTROLLER)
        if self._unheard > self._patience:
            text = f"no new measurement for {self._unheard} cycles, allowed {self._patience}: the arm's time stands"
            return ArmFault(f"{text} at {self.measured.t:.3f} s", Trouble.LOST)
        return None

    @abstractmethod
    def _command(self, setpoint: Floats) -> None:
        """Send what leads to ``setpoint`` within a cycle."""

    def drives_on(self) -> None:
        self.arm.clear()
        self._wanted, self._unheard, self._newest_t = True, 0, self.measured.t
        self._on = not self.arm.halted and bool(np.isfinite(self.measured.angles).all())

    def drives_off(self) -> None:
        if self._on:
            self.arm.halt("drives off")
        self._wanted = self._on = False

    @property
    def drift(self) -> Floats | None:
        return None

    @property
    def all_on(self) -> bool:
        return self._on

    @property
    def any_on(self) -> bool:
        return self._on or not self.arm.at_rest

"""What the bridge is told of the hall it moves: read every cycle, never written."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from proxops.core.clock import Clock
from proxops.core.vocabulary import Mode
from proxops.lab.cell import Cell
from proxops.safety.motion import Motion
from proxops.safety.rules import Stop

Axes = NDArray[np.float64]


class SetPoint(Protocol):
    """What the robots are sent (m, rad), its rate, and the roll of both plates counted through full turns."""

    setpoint: Axes
    rate: Axes
    roll: Axes

    @property
    def moving(self) -> bool: ...
    def slow_way(self) -> Callable[[Axes], Generator[None, None, Stop | None]]:
        """Asked for one corner of a way after the other, portion by portion: which limit forbids to go there."""
        ...


class HallState(Protocol):
    """The facility, as far as the bridge may know it."""

    cell: Cell
    clock: Clock
    mode: Mode
    motion: Motion | None  # what moves it now
    actual: Axes  # axes that the robots report (m, rad)

    @property
    def guard(self) -> SetPoint: ...
    @property
    def not_recorded(self) -> str:
        """Why no motion may begin now; empty when it may."""
        ...

    @property
    def rule_number(self) -> int:
        """``Rule`` that has stopped it, 0: none."""
        ...

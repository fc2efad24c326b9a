"""What a link reports when it cannot go on, whatever stands behind it."""

from __future__ import annotations

from enum import Enum, auto
from typing import Protocol


class Trouble(Enum):
    """Whose word it is; the facility has one rule for each."""

    CONTROLLER = auto()  # a controller stopped by itself
    WATCHDOG = auto()  # the watchdog has braked the robots
    LOST = auto()  # nobody answers


class LinkFault(Protocol):
    """A fault that stands. ``str`` gives its words."""

    @property
    def trouble(self) -> Trouble: ...
    @property
    def number(self) -> int:
        """What it concerns, as in ``safety.rules.AXIS_TEXT``: 1 = rail … 13, 0 = no axis."""
        ...

    @property
    def value(self) -> float: ...
    @property
    def bound(self) -> float: ...

"""What finds pushes in the readings of a force sensor: ours (``impulse_detector``) or paper 002's (``derivative_detector``)."""

from __future__ import annotations

from typing import Protocol

from proxops.maths.rotation import Array
from proxops.touch.impulse_detector import Impulse, PushVerdict


class PushDetector(Protocol):
    def step(self, wrench: Array) -> PushVerdict:
        """Take a reading (6) in."""
        ...

    @property
    def felt(self) -> Array:
        """(6) The newest reading: the last row of ``recent``."""
        ...

    def recent(self, n: int) -> Array:
        """(n, 6) The last readings as they are handed out, free of offset, oldest first; at least since a push began."""
        ...

    def impulses(self, readings: Array) -> list[Impulse]:
        """All that end within a record (n, 6)."""
        ...

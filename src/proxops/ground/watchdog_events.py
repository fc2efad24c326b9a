"""Events of the watchdog over the facility: they come from another process, and go on after the facility is gone."""

from __future__ import annotations

import time
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.ring import Ring

SILENCE_S: Final = 2.0  # of a heartbeat of 4 ms while robots brake: then nobody writes any more


class WatchdogEvents:
    """The responder's ring as the recorder reads it."""

    def __init__(self, ring: Ring) -> None:
        self._ring, self._cursor = ring, 0
        self._heartbeat, self._heard_s = 0, 0.0

    @property
    def waiting(self) -> bool:
        return self._ring.head != self._cursor

    def read(self) -> tuple[NDArray[np.void], int]:
        """All that is new, and how many events were overtaken."""
        told, self._cursor, lost = self._ring.read(self._cursor)
        return told, lost

    def over(self) -> bool:
        """Nothing more will come: it was said, or the responder has shown no life for a while."""
        if self._ring.heartbeat != self._heartbeat or not self._heard_s:
            self._heartbeat, self._heard_s = self._ring.heartbeat, time.monotonic()
        return self._ring.closed or time.monotonic() - self._heard_s > SILENCE_S

"""Not too often: what dies again and again is not started again and again."""

from __future__ import annotations

from collections import deque
from typing import Final

RESTARTS: Final = 3  # within
WITHIN_S: Final = 60.0


class Restarts:
    """At most so many in a while, so that a process that cannot start does not keep a core busy."""

    def __init__(self) -> None:
        self._times: deque[float] = deque(maxlen=RESTARTS)

    def wait_s(self, now_s: float) -> float:
        """How long the next one has to wait."""
        full = len(self._times) == RESTARTS
        return max(0.0, self._times[0] + WITHIN_S - now_s) if full else 0.0

    def count(self, now_s: float) -> None:
        self._times.append(now_s)

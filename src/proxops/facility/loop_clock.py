"""Time of a loop at its own rate: lockstep never sleeps; the wall's clock keeps absolute deadlines and counts what it lost."""

from __future__ import annotations

import time
from typing import Protocol

from proxops.core.clock import monotonic_ns


class LoopClock(Protocol):
    """Cycle 0 begins at zero."""

    missed: int

    def now(self) -> float:
        """s since the beginning."""
        ...

    def advance(self) -> float:
        """To the next cycle; how late it begins, s."""
        ...


class LockstepLoopClock:
    """Passes when told."""

    def __init__(self, rate_hz: int) -> None:
        self._rate_hz, self._cycle, self.missed = rate_hz, 0, 0

    def now(self) -> float:
        return self._cycle / self._rate_hz

    def advance(self) -> float:
        self._cycle += 1
        return 0.0


class WallLoopClock:
    """By the monotonic clock, from the first ``advance`` on. Lost cycles are counted, not made up for in a burst."""

    def __init__(self, rate_hz: int) -> None:
        self._period_ns, self._deadline, self._start, self.missed = round(1e9 / rate_hz), 0, 0, 0

    def now(self) -> float:
        return (monotonic_ns() - self._start) * 1e-9 if self._start else 0.0

    def advance(self) -> float:
        if not self._start:
            self._start = self._deadline = monotonic_ns()
        self._deadline += self._period_ns
        wait = self._deadline - monotonic_ns()
        if wait > 0:
            time.sleep(wait * 1e-9)
        late = monotonic_ns() - self._deadline
        lost = late // self._period_ns if late > 0 else 0
        self.missed += lost
        self._deadline += lost * self._period_ns
        return max(late, 0) * 1e-9

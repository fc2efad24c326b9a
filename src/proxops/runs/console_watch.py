"""The facility's eye on the keeper of the console: an alarm when it is gone or hangs, a new one once the hall stands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Protocol

from proxops.core.clock import Clock
from proxops.core.restarts import Restarts
from proxops.core.vocabulary import Severity
from proxops.facility.events import EventLog

ALARM: Final = "console_lost"


class WatchedProcess(Protocol):
    """A process that looks at the facility from outside, as the facility sees it. Nothing here waits."""

    @property
    def answers(self) -> bool:
        """It has been heard of since its start."""
        ...

    @property
    def hangs(self) -> bool: ...
    def alive(self) -> bool: ...
    def listen(self, now_s: float) -> list[str]:
        """What it has told since the last time."""
        ...

    def start_again(self, now_s: float) -> None:
        """Have it ended if it still is there, and a new one started, by a process that has the time."""
        ...


class ConsoleWatch:
    """``look`` now and then. A new process is started only while the hall stands, and not too often. A keeper that hangs keeps
    its console, so it is not ended while the hall moves either."""

    def __init__(self, console: WatchedProcess, events: EventLog, clock: Clock, still: Callable[[], bool]) -> None:
        self._console, self._events, self._clock, self._still = console, events, clock, still
        self._restarts = Restarts()
        self._again = False  # a new one was started and has not been heard of

    def look(self) -> None:
        """Pass on what was told; alarm; start it again."""
        now_s, console = self._clock.now_ns() * 1e-9, self._console
        for text in console.listen(now_s):
            self._events.tell(Severity.WARNING, "console", text)
        gone, hangs = not console.alive(), console.hangs
        self._again &= not console.answers
        why = "the keeper of the console has ended" if gone else "the keeper of the console does not answer"
        self._events.alarm(ALARM, gone or hangs or self._again, why)
        if (gone or hangs) and self._still() and not self._restarts.wait_s(now_s):
            self._restarts.count(now_s)
            console.start_again(now_s)
            self._again = True
            self._events.tell(Severity.WARNING, "console", f"{why}: a new one was asked for")

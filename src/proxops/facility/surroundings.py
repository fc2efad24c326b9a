"""The processes round the tick, looked after now and then: recorder, console and others. Alarms are no reason to stop."""

from __future__ import annotations

from typing import Final, Protocol

from proxops.core.vocabulary import Severity
from proxops.facility.duties import Fail
from proxops.facility.events import EventLog
from proxops.facility.failure import failure

LOOK_NS: Final = 100_000_000  # between two looks


def look_every(period_ns: int) -> int:
    """Cycles of ``period_ns`` between two looks."""
    return max(1, LOOK_NS // period_ns)


class Watcher(Protocol):
    """Looks after another process now and then; raises alarms, never waits."""

    def look(self) -> None: ...


class RecordingWatcher(Watcher, Protocol):
    """The watcher of the recorder."""

    trouble: str  # why a motion that began now would not be recorded as it should; empty when all is well


class Surroundings:
    """``look`` every ``look_every`` cycles."""

    def __init__(self, events: EventLog, fail: Fail) -> None:
        self._events, self._fail = events, fail
        self.evidence: RecordingWatcher | None = None  # None: not recorded, on purpose
        self.watchers: list[Watcher] = []  # of other processes

    @property
    def not_recorded(self) -> str:
        """Why no motion may begin now: the evidence would be missing. Empty when it may; what moves goes on either way."""
        return self.evidence.trouble if self.evidence else ""

    def look(self, missed: int) -> None:
        """``missed``: cycles that were lost so far."""
        if self.evidence:
            try:
                self.evidence.look()
            except Exception as error:  # unwatched evidence is none
                self._fail("watch over the recorder", error)
        for watcher in self.watchers[:]:
            try:
                watcher.look()
            except Exception as error:  # nobody else's affair: it is let go of, and told
                self.watchers.remove(watcher)
                self._events.tell(Severity.ERROR, "watcher", str(failure(type(watcher).__name__, error)))
        self._events.alarm("cycles_missed", missed > 0, f"{missed} cycles missed: see proxops doctor")

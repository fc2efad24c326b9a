"""Events and alarms: what the facility tells people, through a ring that never blocks the tick."""

from __future__ import annotations

from typing import Final

import numpy as np

from proxops.core.clock import Clock
from proxops.core.ending import ENDED, Ending
from proxops.core.messages import EVENT_DTYPE
from proxops.core.ring import Ring, bytes_of
from proxops.core.vocabulary import Severity

ALARMS: Final = (
    "recorder_lost", "disk_trouble", "records_lost", "cycles_missed", "recorder_hung", "recorder_late", "console_lost",
)  # fmt: skip
"""Bits of ``state.alarms``, never used for anything else: worth a look, but no reason to stop the robots."""


class EventLog:
    """Writes events with the time of the present cycle."""

    def __init__(self, ring: Ring, clock: Clock) -> None:
        self._ring, self._clock = ring, clock
        self._record = np.zeros(1, EVENT_DTYPE)
        self._bytes = bytes_of(self._record)
        self.alarms = 0
        self.raised: list[str] = []  # names of alarms that were ever raised
        self.newest = ""

    def tell(self, severity: Severity, name: str, text: str) -> None:
        """One event. Long texts are cut at a character, never in the middle of one."""
        clipped = text.encode(errors="replace")[:400].decode(errors="ignore").encode()
        self._record[0] = (
            self._clock.utc_ns(),
            self._clock.tick,
            int(severity),
            name.encode(errors="replace")[:47],
            clipped,
        )
        self._ring.push(self._bytes)
        self.newest = text

    def end(self, ended: Ending) -> None:
        """The last event: how it ended. What stands in the log behind it, if anything, is not ours."""
        self.tell(ended.severity, ENDED, str(ended))

    def alarm(self, name: str, standing: bool, text: str) -> None:
        """Raise or clear an alarm; told when it changes."""
        bit = 1 << ALARMS.index(name)
        if standing and not self.alarms & bit:
            self.alarms |= bit
            self.raised += [] if name in self.raised else [name]
            self.tell(Severity.WARNING, f"alarm.{name}", text)
        elif not standing and self.alarms & bit:
            self.alarms &= ~bit
            self.tell(Severity.INFO, f"alarm.{name}", "cleared")

    @property
    def alarm_names(self) -> list[str]:
        return [name for k, name in enumerate(ALARMS) if self.alarms >> k & 1]

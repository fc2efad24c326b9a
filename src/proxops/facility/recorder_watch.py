"""The facility's eye on its recorder: alarms within a second, and whether a motion that begins now would be recorded."""

from __future__ import annotations

from typing import Final, Protocol

from proxops.core.clock import Clock
from proxops.core.ring import Ring
from proxops.facility.events import EventLog

HUNG_NS: Final = 600_000_000  # a healthy recorder's heartbeat changes every 50 ms; a slow disk may hold it for some 100
LOSING_NS: Final = 1_000_000_000  # after the last loss: it may go on
LATE_NS: Final = 800_000_000  # of cycles that wait; a healthy recorder has taken all but the last 250 ms
UNWATCHED_NS: Final = 500_000_000  # between two looks: we stood still ourselves, which says nothing of the recorder


class RecorderHealth(Protocol):
    """The recorder's process."""

    def alive(self) -> bool: ...


class RecorderWatch:
    """``look`` now and then; never waits. ``by_time``: heartbeat and lag are judged by the clock. Not so in lockstep, where the
    caller waits for the recorder and wall time means nothing to the run."""

    def __init__(self, recorder: RecorderHealth, ring: Ring, events: EventLog, clock: Clock, *, by_time: bool) -> None:
        self._recorder, self._ring, self._events, self._clock, self._by_time = recorder, ring, events, clock, by_time
        self._heartbeat, self._late = ring.heartbeat, LATE_NS // clock.period_ns
        self._looked_ns = self._changed_ns = clock.now_ns()
        self._lost, self._lost_ns = 0, -LOSING_NS
        self.trouble = ""  # why a motion that began now would not be recorded as it should; empty when all is well

    def look(self) -> None:
        """Raise and clear the alarms."""
        ring, still_ns = self._ring, self._heart_stands_ns()
        lost = not self._recorder.alive()
        hung = self._by_time and not lost and still_ns >= HUNG_NS
        waiting = ring.head - ring.tail
        late = self._by_time and not (lost or hung or ring.trouble) and waiting > self._late
        found = (
            ("recorder_lost", lost, "the recorder process is gone: this run is no longer recorded"),
            ("recorder_hung", hung, f"the recorder has not moved for {still_ns * 1e-9:.1f} s"),
            ("recorder_late", late, f"{waiting} cycles wait for the recorder, bound {self._late}"),
            ("disk_trouble", ring.trouble != 0, f"the recorder cannot write (errno {ring.trouble}): make room on the disk"),
            ("records_lost", ring.lost > 0, f"{ring.lost} cycles could not be recorded"),
        )  # fmt: skip
        for name, standing, text in found:
            self._events.alarm(name, standing, text)
        said = [f"{name}: {text}" for name, standing, text in found if standing and name != "records_lost"]
        said += [f"records_lost: {ring.lost} cycles so far"] if self._losing() else []  # long ago: the alarm remembers
        self.trouble = f"no motion begins that would not be recorded ({said[0]})" if said else ""

    def _losing(self) -> bool:
        now_ns, lost = self._looked_ns, self._ring.lost
        if lost != self._lost:
            self._lost, self._lost_ns = lost, now_ns
        return now_ns - self._lost_ns < LOSING_NS

    def _heart_stands_ns(self) -> int:
        """Since when the heartbeat has not changed while we watched."""
        now_ns, heartbeat = self._clock.now_ns(), self._ring.heartbeat
        if heartbeat != self._heartbeat or now_ns - self._looked_ns > UNWATCHED_NS:
            self._heartbeat, self._changed_ns = heartbeat, now_ns
        self._looked_ns = now_ns
        return now_ns - self._changed_ns

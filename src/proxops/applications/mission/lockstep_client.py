"""The mission's application at the bridge of a hall in lockstep: polled in the tick, it tells there what is new."""

from __future__ import annotations

import numpy as np

from proxops.applications.mission.application import MissionApplication
from proxops.applications.mission.hall_view import PoolView
from proxops.applications.mission.outlook import Outlook
from proxops.applications.mission.transmitter import sent_ns
from proxops.bridge.arrivals import Arrivals, one_each_cycle
from proxops.bridge.sample import NO_PACKETS
from proxops.bridge.settings import settings_of
from proxops.core.messages import PERIOD_S, mission_bytes
from proxops.core.vocabulary import AbortCause, MissionEnd, MissionPhase, SensorSource, Severity
from proxops.facility.facility import Facility
from proxops.ground.sensor_log import Arrival


class MissionClient:
    """The application as a lockstep run wants it: looks at the hall, fills its part of the pool. Cycles that it has flown ahead
    are handed out one by one, or pass."""

    def __init__(self, application: MissionApplication, facility: Facility, use_hall: bool) -> None:
        self.application = application
        self._facility, self._span = facility, mission_bytes()
        self._view = PoolView(facility.pool, application.file.bridge.chaser_on == 2) if use_hall else None
        self._told, self._phase, self._abort = MissionEnd.UNDER_WAY, MissionPhase.NONE, AbortCause.NONE
        self._source, self._seen = SensorSource.NONE, -1
        self._outlook, self._packets = Outlook(), NO_PACKETS
        self._settings = settings_of(application.file.bridge)
        self._began = 0  # tick whose record has mission time 0

    @property
    def over(self) -> bool:
        return self.application.over

    def advance(self, t: float) -> list[bytes]:
        if self._outlook.left:
            return [self._hand_out()]
        begun = self.application.begun
        packets = self.application.advance(t, self._view)
        if self.application.begun and not begun:
            self._began = self._facility.clock.tick
        self._facility.pool.bytes[self._span] = self.application.record.bytes
        if self.application.outcome.news != self._seen:
            self._seen = self.application.outcome.news
            self._tell(self.application.pair.t, self.application.outcome.end)
        return packets

    def arrival(self, t: float) -> Arrival:
        """Of an image at mission time ``t``: in the cycle after the one whose record has that time, whether it is asked for or
        foretold."""
        clock, tick = self._facility.clock, self._began + round(t / PERIOD_S) + 1
        return Arrival(tick, clock.utc_ns() + (tick - clock.tick) * clock.period_ns, t + PERIOD_S)

    # ------------------------------------------------------------------ cycles ahead of the hall
    def foretell(self, cycle: int, most: int) -> Arrivals | None:
        """What it has flown ahead, or flies now. A cycle in which there is something to tell is asked for as ever."""
        out, application = self._outlook, self.application
        if not out.left:
            if self._view is None or not application.foresees:
                return None
            application.look_ahead(self._view, out)
            numbers = np.arange(out.first, out.first + out.flown)
            self._packets = one_each_cycle(out.values[: out.flown], out.first, sent_ns(numbers), self._settings)
        if out.handed_out == 0 and application.outcome.news != self._seen and self._changed:
            return None
        last = out.flown if application.outcome.end is self._told else out.flown - 1
        begin, end = out.handed_out, min(last, out.handed_out + most, self._packets.cycles)
        if end <= begin:
            return None
        return Arrivals(self._packets.part(begin, end), out.records[begin:end], self._span.start)

    def passed(self, count: int) -> None:
        if self._outlook.handed_out == 0:
            self._seen = self.application.outcome.news
        self._outlook.handed_out += count

    def settle(self) -> None:
        """Nobody asks any more: what was flown too far is taken back."""
        self.application.take_back(self._outlook)

    def _hand_out(self) -> bytes:
        out, end = self._outlook, self._told
        self._facility.pool.bytes[self._span] = out.records[out.handed_out].data
        data, first = out.packet(), out.handed_out == 0
        out.handed_out += 1
        if not out.left:
            end = self.application.outcome.end
        if first or end is not self._told:
            self._seen = self.application.outcome.news
            self._tell(out.t, end)
        return data

    # ------------------------------------------------------------------ what is told
    @property
    def _changed(self) -> bool:
        out = self.application.outcome
        return (out.phase, self.application.record.source, out.abort) != (self._phase, self._source, self._abort)

    def _tell(self, t: float, end: MissionEnd) -> None:
        """What is new since it was told last, as events; at mission time ``t``, when it had come to ``end``."""
        out, tell = self.application.outcome, self._facility.events.tell
        if out.phase is not self._phase:
            tell(Severity.INFO, "mission.phase", f"{self._phase.name} → {out.phase.name} at {t:.1f} s")
            self._phase = out.phase
        source = self.application.record.source
        if source is not self._source:
            tell(
                Severity.INFO,
                "mission.sensor",
                f"the relative sensor looks at {source.name}, before at {self._source.name}",
            )
            self._source = source
        if out.abort is not self._abort:
            tell(Severity.WARNING, "mission.abort", f"the approach is given up: {out.abort.name}")
            self._abort = out.abort
        if end is self._told:
            return
        self._told = end
        if out.failure:
            tell(Severity.ERROR, f"mission.{end.name.lower()}", out.failure)
        tell(Severity.INFO, "mission.end", f"{end.name} at {out.t:.3f} s")

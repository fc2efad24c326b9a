"""The mission's application at the bridge of a hall in lockstep: polled in the tick, it tells there what is new."""

from __future__ import annotations

from proxops.applications.mission.application import MissionApplication
from proxops.applications.mission.hall_view import PoolView
from proxops.core.messages import mission_bytes
from proxops.core.vocabulary import AbortCause, MissionEnd, MissionPhase, SensorSource, Severity
from proxops.facility.facility import Facility


class MissionClient:
    """The application as a lockstep run wants it: looks at the hall, fills its part of the pool."""

    def __init__(self, application: MissionApplication, facility: Facility, use_hall: bool) -> None:
        self.application = application
        self._facility, self._span = facility, mission_bytes()
        self._view = PoolView(facility.pool, application.file.bridge.chaser_on == 2) if use_hall else None
        self._told, self._phase, self._abort = MissionEnd.UNDER_WAY, MissionPhase.NONE, AbortCause.NONE
        self._source, self._seen = SensorSource.NONE, -1

    @property
    def over(self) -> bool:
        return self.application.over

    def advance(self, t: float) -> list[bytes]:
        packets = self.application.advance(t, self._view)
        self._facility.pool.bytes[self._span] = self.application.record.bytes
        if self.application.news != self._seen:
            self._seen = self.application.news
            self._tell()
        return packets

    def _tell(self) -> None:
        """What is new since it was told last, as events."""
        out, tell = self.application.outcome, self._facility.events.tell
        if out.phase is not self._phase:
            tell(
                Severity.INFO,
                "mission.phase",
                f"{self._phase.name} → {out.phase.name} at {self.application.pair.t:.1f} s",
            )
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
        if out.end is self._told:
            return
        self._told = out.end
        if out.failure:
            tell(Severity.ERROR, "mission.flight_software", out.failure)
        tell(Severity.INFO, "mission.end", f"{out.end.name} at {out.t:.3f} s")

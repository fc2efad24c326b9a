"""Runs a mission in lockstep: application → bridge → hall → sensor → flight software → application."""

from __future__ import annotations

from pathlib import Path
from typing import Final, NamedTuple

from proxops.applications.mission.application import MissionApplication, Outcome
from proxops.applications.mission.flight_loading import demand_line, let_go, load_flight_software
from proxops.applications.mission.hall_view import PoolView
from proxops.bridge.settings import settings_of
from proxops.core.clock import LOCKSTEP_EPOCH, LockstepClock
from proxops.core.flight import FlightSoftware
from proxops.core.messages import mission_bytes
from proxops.core.mission import Mission
from proxops.core.vocabulary import AbortCause, MissionEnd, MissionPhase, Mode, SensorSource, Severity
from proxops.facility.application_feed import hall_latency_s
from proxops.facility.build import Installation, build
from proxops.facility.loop import Progress, Ran, no_progress
from proxops.lab.cell import Cell
from proxops.runs.bridged_run import BridgedRun

COMPILING_S: Final = 300.0  # our own flight software may have to be compiled on the way


class MissionRan(NamedTuple):
    """How a mission ended, in space and in the hall."""

    ran: Ran
    outcome: Outcome


class MissionClient:
    """The application as a lockstep run wants it: looks at the hall, fills its part of the pool."""

    def __init__(self, application: MissionApplication, hall: Installation, use_hall: bool) -> None:
        self.application = application
        self._facility, self._span = hall.facility, mission_bytes()
        self._view = PoolView(hall.facility.pool, application.file.bridge.chaser_on == 2) if use_hall else None
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


def run_mission(
    cell: Cell, mission: Mission, record: Path | None, *, seed: int | None = None, software: str | FlightSoftware | None = None,
    inside: bool = False, use_hall: bool | None = None, interruptible: bool = True, epoch: str = LOCKSTEP_EPOCH,
    progress: Progress = no_progress,
) -> MissionRan:  # fmt: skip
    """As fast as it goes. The same mission and seed give the same log, bit for bit. A class that ``software`` names runs in a
    process of its own unless ``inside``."""
    file = mission.file
    seed, used = file.seed if seed is None else seed, file.hall.use if use_hall is None else use_hall
    demand_line(file, None, realtime=False)
    flown = (
        software
        if software is not None and not isinstance(software, str)
        else load_flight_software(software, file, used, inside=inside)
    )
    own_s = None if software else COMPILING_S
    latency_s = hall_latency_s(cell) + file.network.mean_delay_s
    metadata = {"clock": "lockstep", "scenario": file.name, "scenario_file": mission.text, "mission": "true"}
    try:
        application = MissionApplication(mission, seed, flown, latency_s, own_s)
        hall = build(
            cell, LockstepClock(epoch), seed=seed, record=record, bridge=settings_of(file.bridge),
            metadata={**metadata, "hall": str(used)},
        )  # fmt: skip
    except BaseException:
        let_go(flown)
        raise
    bridged = BridgedRun(hall, MissionClient(application, hall, used), bridged=used, progress=progress)

    def work() -> None:
        bridged.run(file.duration_s + (file.hall.join_s if used else 0.0))
        application.finish(MissionEnd.FACILITY if hall.facility.mode is Mode.STOPPED else MissionEnd.TIME)

    try:
        ran = bridged.loop.run(work, done=lambda: application.outcome.end.name, interruptible=interruptible)
    finally:
        application.close()
    return MissionRan(ran, application.outcome)


def fly_in_software(mission: Mission, seed: int, software: str | None = None, inside: bool = False) -> Outcome:
    """The flight of ``run_mission`` without the hall, bit for bit, for nobody who looks on: no hall is built and nothing is
    recorded, which makes it several times as fast."""
    flown = load_flight_software(software, mission.file, False, inside=inside)
    try:
        application = MissionApplication(mission, seed, flown, limit_s=None if software else COMPILING_S)
    except BaseException:
        let_go(flown)
        raise
    try:
        while application.outcome.end is MissionEnd.UNDER_WAY:
            application.fly_on()
    finally:
        application.close()
    return application.outcome

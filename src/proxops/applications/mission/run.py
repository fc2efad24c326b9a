"""Runs a mission in lockstep: application → bridge → hall → sensor → flight software → application."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Final, NamedTuple

from proxops.applications.mission.application import MissionApplication
from proxops.applications.mission.flight_loading import Named, demand_line, let_go, load_flight_software
from proxops.applications.mission.lockstep_client import MissionClient
from proxops.applications.mission.outcome import Outcome
from proxops.applications.mission.seeing import Seeing, into_events
from proxops.bridge.settings import settings_of
from proxops.core.clock import LOCKSTEP_EPOCH, LockstepClock
from proxops.core.mission import Mission
from proxops.core.vocabulary import MissionEnd, Mode
from proxops.facility.application_feed import hall_latency_s
from proxops.facility.build import build
from proxops.facility.loop import Progress, Ran, no_progress
from proxops.lab.cell import Cell
from proxops.runs.bridged_run import BridgedRun

COMPILING_S: Final = 300.0  # our own flight software may have to be compiled on the way


class MissionRan(NamedTuple):
    """How a mission ended, in space and in the hall."""

    ran: Ran
    outcome: Outcome


def run_mission(
    cell: Cell, mission: Mission, record: Path | None, *, seed: int | None = None, software: Named = None,
    inside: bool = False, use_hall: bool | None = None, interruptible: bool = True, epoch: str = LOCKSTEP_EPOCH,
    progress: Progress = no_progress, images: socket.socket | None = None,
) -> MissionRan:  # fmt: skip
    """As fast as it goes. The same mission and seed give the same log, bit for bit. A class that ``software`` names runs in a
    process of its own unless ``inside``. ``images``: listens for who wants every image."""
    file = mission.file
    seed, used = file.seed if seed is None else seed, file.hall.use if use_hall is None else use_hall
    demand_line(file, None, realtime=False)
    flown = load_flight_software(software, file, used, inside=inside)
    own_s = None if software else COMPILING_S
    latency_s = hall_latency_s(cell) + file.network.mean_delay_s
    metadata = {"clock": "lockstep", "scenario": file.name, "scenario_file": mission.text, "mission": "true"}
    seeing = Seeing()
    try:
        seeing.open(file, seed, cell if used else None, latency_s, images=images, watched=bool(record or images))
        application = MissionApplication(mission, seed, flown, latency_s, own_s, seeing)
        hall = build(
            cell, LockstepClock(epoch), seed=seed, record=record, bridge=settings_of(file.bridge),
            metadata={**metadata, "hall": str(used)}, sensors=seeing.eyes.log if seeing.eyes else None,
        )  # fmt: skip
    except BaseException:
        let_go(flown)
        seeing.close()
        raise
    client = MissionClient(application, hall.facility, used)
    seeing.record_in(hall.viewer, client.arrival, into_events(hall.facility.events))
    bridged = BridgedRun(hall, client, bridged=used, progress=progress)

    def work() -> None:
        bridged.run(file.duration_s + (file.hall.join_s if used else 0.0))
        client.settle()
        application.finish(MissionEnd.FACILITY if hall.facility.mode is Mode.STOPPED else MissionEnd.TIME)

    try:
        ran = bridged.loop.run(work, done=lambda: application.outcome.end.name, interruptible=interruptible)
    finally:
        application.close()
    return MissionRan(ran, application.outcome)

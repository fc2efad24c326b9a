"""Runs a scripted scenario: in lockstep in one process and the same bit for bit, or in real time with the application as a
process of its own."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Final

from proxops.applications.scripted.application import Application
from proxops.bridge.settings import settings_of
from proxops.core.channel import LOOPBACK
from proxops.core.clock import LOCKSTEP_EPOCH, LockstepClock
from proxops.core.scenario import Scenario
from proxops.facility.build import build
from proxops.facility.control import ANY, ControlSettings
from proxops.facility.installation import Installation
from proxops.facility.live import LiveFacility
from proxops.facility.loop import Progress, Ran, no_progress
from proxops.ground.bridge_summary import EXPECTED
from proxops.lab.cell import Cell
from proxops.runs.blind_client import BlindClient
from proxops.runs.bridged_run import BridgedRun, client_process, serve_client

READY_S: Final = 0.5  # the drives need 0.2 s


def _metadata(scenario: Scenario) -> dict[str, str]:
    return {
        "scenario": scenario.name, "scenario_file": scenario.text, "seed": str(scenario.seed),
        EXPECTED: repr(scenario.expect.shown_share),
    }  # fmt: skip


def run_lockstep(
    cell: Cell,
    scenario: Scenario,
    record: Path | None,
    *,
    epoch: str = LOCKSTEP_EPOCH,
    progress: Progress = no_progress,
) -> Ran:
    """As fast as it goes. The same scenario gives the same log, bit for bit."""
    settings = settings_of(scenario.bridge)
    hall = build(
        cell, LockstepClock(epoch), seed=scenario.seed, record=record, bridge=settings,
        metadata={"clock": "lockstep", **_metadata(scenario)},
    )  # fmt: skip
    bridged = BridgedRun(hall, BlindClient(Application(scenario), settings), progress=progress)
    return bridged.loop.run(lambda: bridged.run(scenario.duration_s))


def run_realtime(
    cell: Cell, scenario: Scenario, record: Path, watch: Callable[[Installation], subprocess.Popen[bytes]] | None = None
) -> Ran:
    """At 250 Hz with real sockets; the client is another process. ``watch`` starts a display of its own."""
    live = LiveFacility(
        cell, record, sync=(LOOPBACK, 0), control=ControlSettings(ANY), seed=scenario.seed, bridge=settings_of(scenario.bridge),
        metadata=_metadata(scenario),
    )  # fmt: skip
    end = live.hall.desk.bridge
    assert end is not None
    host, port = end.port.address
    watcher = watch(live.hall) if watch else None
    client = client_process("proxops.applications.scripted.application", scenario.source, host, port, READY_S)
    return serve_client(live, client, watcher)

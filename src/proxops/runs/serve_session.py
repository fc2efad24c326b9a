"""The live facility as the command line serves it: into a folder, with a console beside it and a report."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from proxops.core.channel import Address
from proxops.core.interruption import ends_asked_for
from proxops.core.key_file import demand_key
from proxops.facility.control import ControlSettings
from proxops.facility.live import NOTHING, LiveFacility
from proxops.ground.arm_report import arm_report
from proxops.ground.hall_report import hall_report
from proxops.lab.any_cell import AnyCell, demand_hall
from proxops.lab.cell import Cell
from proxops.runs.announcement import Launch, announcement, processes_beside
from proxops.runs.bridge_file import read_bridge_file
from proxops.runs.folder import finish, prepare_folder
from proxops.runs.progress import WARMING, monitor
from proxops.runs.served_eyes import served_eyes


def serve_session(
    cell: AnyCell,
    folder: Path,
    *,
    sync: Address,
    bridge_at: Address,
    bridged: bool,
    control: ControlSettings,
    seed: int,
    for_s: float | None,
    drives: bool,
    report: bool,
    quiet: bool,
    console: Launch | None = None,
    key_file: Path | None = None,
    bridge_file: Path | None = None,
    sensor_file: Path | None = None,
    images: str | None = None,
) -> dict[str, Any]:
    """Serve until told to end; the summary. ``console`` is started as soon as the facility can be found. ``key_file``: what
    clients of the synchronous interface and the bridge must know; beyond loopback there must be one. ``bridge_file``: what the
    operator sets on the bridge. ``sensor_file``: what looks at the hall; ``images``: HOST:PORT for who wants every image."""
    key = demand_key(sync[0], key_file)
    if bridged or bridge_file:
        demand_hall(cell, "the bridge")
    settings = read_bridge_file(bridge_file)
    eyes = served_eyes(sensor_file, cell, seed, images)
    prepare_folder(folder)
    print(WARMING, file=sys.stderr, flush=True)
    of_a_hall = isinstance(cell, Cell)
    live = LiveFacility(
        cell, folder / "run.mcap", sync=sync if of_a_hall else None, control=control, seed=seed,
        bridge=settings if of_a_hall else None, bridge_at=bridge_at, key=key,
        additions=eyes.additions if eyes else NOTHING,
    )  # fmt: skip
    watcher = None if quiet else monitor(live.hall)
    begin = (lambda: live.hall.desk.select("bridge")) if bridged else None
    # Beyond the run: asked for once more, the results are still written.
    with ends_asked_for(lambda name: None), processes_beside() as beside:
        about = None
        if eyes:
            process, about = eyes.start(live.hall)
            beside.append(process)
        announce = announcement(live, folder, console, beside, key_file, about)
        served = live.run(announce, for_s, drives, begin)
        if watcher:
            watcher.wait(5)
        extra = {
            "recorder_exit_code": served.recorder_code,
            "real_time": str(served.real_time),
            "cycles_served": served.cycles,
            "ended_in_stop": served.stop is not None,
            "alarms": list(served.alarms),
        }
        return finish(
            folder, lambda log: hall_report(log, cell) if isinstance(cell, Cell) else arm_report(log, cell), extra, report=report,
            quiet=quiet,
        )  # fmt: skip

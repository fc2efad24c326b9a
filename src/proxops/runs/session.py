"""Whole sessions as the command line runs them: play a file or serve live, then report."""

from __future__ import annotations

import base64
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from proxops.bridge.settings import BridgeSettings
from proxops.core.channel import Address
from proxops.core.errors import BadInput
from proxops.core.key_file import demand_key
from proxops.core.messages import PERIOD_S
from proxops.core.vocabulary import Mode
from proxops.runs.announcement import Launch, announcement, processes_beside
from proxops.facility.build import Installation
from proxops.facility.trajectories import preflighted
from proxops.facility.control import ControlSettings
from proxops.core.interruption import ends_asked_for
from proxops.facility.live import LiveFacility
from proxops.facility.mover import parse_order
from proxops.facility.play import play
from proxops.runs.folder import finish, prepare_folder
from proxops.ground.arm_report import arm_report
from proxops.ground.hall_report import hall_report
from proxops.ground.log import Log
from proxops.ground.schema import pool_schema
from proxops.ground.section import RunReport
from proxops.lab.any_cell import AnyCell, demand_hall
from proxops.lab.cell import Cell
from proxops.lab.trajectory import Trajectory

WARMING = "warming up … (the first time on a machine this compiles for about a minute)"


def play_session(
    cell: Cell,
    trajectory: Trajectory,
    folder: Path,
    *,
    realtime: bool,
    order: str,
    seed: int,
    rehearse: list[str],
    report: bool,
    quiet: bool,
) -> dict[str, Any]:
    """Play ``trajectory`` into ``folder``; the summary."""
    from proxops.runs.progress import progress_bar

    rehearsal = Rehearsal([_opening(cell, text) for text in rehearse])
    parse_order(order)
    checked = preflighted(cell, trajectory)
    prepare_folder(folder)
    watchers: list[subprocess.Popen[bytes]] = []

    def meanwhile(hall: Installation) -> None:
        if realtime and not quiet:  # a bar drawn by the tick's own process would disturb it
            watchers.append(monitor(hall, len(trajectory)))

    with progress_bar(quiet or realtime) as progress:
        played = play(
            cell, checked, folder / "run.mcap", seed=seed, realtime=realtime, order=order, progress=progress,
            meanwhile=meanwhile, each_cycle=rehearsal,
        )  # fmt: skip
    for watcher in watchers:
        watcher.wait(5)
    for name, seconds in rehearsal.left:
        print(f"note: --open {name}@{seconds:g} never came, the run was over before", file=sys.stderr)
    return finish(folder, lambda log: hall_report(log, cell), played.figures(), report=report, quiet=quiet)


def _opening(cell: Cell, text: str) -> tuple[str, float]:
    """NAME@SECONDS of a rehearsed interlock."""
    name, _, moment = text.partition("@")
    names = [i.name for i in cell.file.interlock]
    try:
        seconds = float(moment)
    except ValueError:
        seconds = -1.0
    if name not in names or not 0 <= seconds < 1e6:
        raise BadInput("--open", value=repr(text), bound=f"NAME@SECONDS with NAME of {', '.join(names)}")
    return name, seconds


class Rehearsal:
    """Opens interlocks so many seconds into the run, counting running cycles: what would happen if a door opened there?"""

    def __init__(self, openings: list[tuple[str, float]]) -> None:
        self._due = sorted(((round(seconds / PERIOD_S), name) for name, seconds in openings), reverse=True)
        self._running = 0

    @property
    def left(self) -> list[tuple[str, float]]:
        """What has not come yet."""
        return [(name, cycle * PERIOD_S) for cycle, name in self._due]

    def __call__(self, hall: Installation) -> None:
        if hall.facility.mode is not Mode.RUNNING:
            return
        while self._due and self._running >= self._due[-1][0]:
            hall.desk.interlock(self._due.pop()[1], healthy=False)
        self._running += 1


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
) -> dict[str, Any]:
    """Serve until told to end; the summary. ``console`` is started as soon as the facility can be found. ``key_file``: what
    clients of the synchronous interface and the bridge must know; beyond loopback there must be one."""
    key = demand_key(sync[0], key_file)
    prepare_folder(folder)
    print(WARMING, file=sys.stderr, flush=True)
    if bridged:
        demand_hall(cell, "the bridge")
    of_a_hall = isinstance(cell, Cell)
    live = LiveFacility(
        cell, folder / "run.mcap", sync=sync if of_a_hall else None, control=control, seed=seed,
        bridge=BridgeSettings() if of_a_hall else None, bridge_at=bridge_at, key=key,
    )  # fmt: skip
    watcher = None if quiet else monitor(live.hall)
    begin = (lambda: live.hall.desk.select("bridge")) if bridged else None
    # Beyond the run: asked for once more, the results are still written.
    with ends_asked_for(lambda name: None), processes_beside() as beside:
        served = live.run(announcement(live, folder, console, beside, key_file), for_s, drives, begin)
        if watcher:
            watcher.wait(5)
        extra = {
            "recorder_exit_code": served.recorder_code,
            "real_time": str(served.real_time),
            "cycles_served": served.cycles,
            "ended_in_stop": served.stop is not None,
            "alarms": list(served.alarms),
        }
        return finish(folder, lambda log: _reported(log, cell), extra, report=report, quiet=quiet)


def _reported(log: Log, cell: AnyCell) -> RunReport:
    return hall_report(log, cell) if isinstance(cell, Cell) else arm_report(log, cell)


def monitor(hall: Installation, lines: int = 0) -> subprocess.Popen[bytes]:
    """Events and the present cycle on the terminal, from another process; ``lines`` of a file give a bar."""
    pool, events = (str(ring.path) for ring in hall.rings)
    command = [sys.executable, "-P", "-m", "proxops.ground.monitor", events, "--pool", pool]
    command += ["--parent", str(os.getpid()), "--lines", str(lines)]
    command += ["--table", base64.b64encode(pool_schema(hall.facility.pool.groups)).decode()]
    return subprocess.Popen(command)

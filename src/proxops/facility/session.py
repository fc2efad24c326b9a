"""Whole sessions as the command line runs them: play a file or serve live, then sum up, draw and print."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from proxops.core.channel import LOOPBACK
from proxops.core.errors import BadInput
from proxops.core.messages import PERIOD_S
from proxops.core.vocabulary import Mode
from proxops.facility.build import Hall
from proxops.facility.live import LiveFacility
from proxops.facility.mover import parse_order
from proxops.facility.play import play
from proxops.facility.preflight import preflight
from proxops.facility.realtime import RealTime
from proxops.facility.sync import Address
from proxops.ground.log import Log
from proxops.lab.cell import Cell
from proxops.lab.trajectory import read_trajectory


def prepare_folder(folder: Path) -> Path:
    """Make the folder of a run and clear away what an earlier run of the same name left."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("summary.json", "run.mcap", "report.html"):
            (folder / name).unlink(missing_ok=True)
    except OSError as error:
        raise BadInput(f"cannot use the folder: {error.strerror}", where=str(folder)) from None
    return folder


def play_session(
    cell: Cell,
    file: Path,
    folder: Path,
    *,
    realtime: bool,
    order: str,
    seed: int,
    rehearse: list[str],
    report: bool,
    quiet: bool,
) -> dict[str, Any]:
    """Play ``file`` into ``folder``; the summary."""
    from proxops.facility.progress import progress_bar

    trajectory = read_trajectory(file)
    openings = [_opening(cell, text) for text in rehearse]
    parse_order(order)
    preflight(cell, trajectory)
    prepare_folder(folder)
    watchers: list[subprocess.Popen[bytes]] = []

    def meanwhile(hall: Hall) -> None:
        _rehearse(hall, openings)
        if realtime and not quiet:  # a bar drawn by the tick's own process would disturb it
            watchers.append(_monitor(hall))

    with progress_bar(quiet or realtime) as progress:
        played = play(
            cell, trajectory, folder / "run.mcap", seed=seed, realtime=realtime, order=order, progress=progress,
            attachments=(file,) if file.stat().st_size < 2**26 else (), meanwhile=meanwhile, checked=True,
        )  # fmt: skip
    for watcher in watchers:
        watcher.wait(5)
    extra: dict[str, Any] = {
        "wall_time_s": played.wall_s,
        "times_real_time": played.cycles * PERIOD_S / played.wall_s,
        "recorder_exit_code": played.recorder_code,
        "real_time": str(played.real_time) if played.real_time else None,
    }
    return finish(folder, cell, extra, report=report, quiet=quiet)


def finish(folder: Path, cell: Cell, extra: dict[str, Any], *, report: bool, quiet: bool) -> dict[str, Any]:
    """Summary, report and terminal table from the recorded run."""
    from rich.console import Console

    from proxops.ground.report import print_summary, write_report
    from proxops.ground.summary import summarise

    log = Log.open(folder / "run.mcap")
    summary = {**summarise(log, cell), **extra}
    (folder / "summary.json").write_text(json.dumps(summary, indent=2, ensure_ascii=False) + "\n")
    if report:
        write_report(log, cell, summary, folder / "report.html")
    if not quiet:
        print_summary(summary, Console())
        written = ", ".join(
            sorted(path.name for path in folder.iterdir() if path.suffix in (".json", ".mcap", ".html"))
        )
        print(f"\n{folder}: {written}")
    return summary


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


def _rehearse(hall: Hall, openings: list[tuple[str, float]]) -> None:
    """Open interlocks so many seconds into the run, by counting running cycles."""
    if not openings:
        return
    facility, tick = hall.facility, hall.facility.tick
    due = sorted(((round(seconds / PERIOD_S), name) for name, seconds in openings), reverse=True)
    running = 0

    def ticking() -> None:
        nonlocal running
        running += facility.mode is Mode.RUNNING
        while due and facility.mode is Mode.RUNNING and running > due[-1][0]:
            hall.desk.interlock(due.pop()[1], healthy=False)
        tick()

    facility.tick = ticking  # type: ignore[method-assign]


def serve_session(
    cell: Cell,
    folder: Path,
    *,
    sync: Address,
    control_port: int,
    seed: int,
    for_s: float | None,
    drives: bool,
    report: bool,
    quiet: bool,
) -> dict[str, Any]:
    """Serve until told to end; the summary."""
    prepare_folder(folder)
    print("warming up …", file=sys.stderr, flush=True)
    live = LiveFacility(cell, folder / "run.mcap", sync=sync, control=(LOOPBACK, control_port), seed=seed)
    monitor = None if quiet else _monitor(live.hall)
    served = live.run(_announcement(live, folder), for_s, drives)
    if monitor:
        monitor.wait(5)
    extra = {
        "recorder_exit_code": served.recorder_code,
        "real_time": str(served.real_time),
        "cycles_served": served.cycles,
        "ended_in_stop": served.stopped,
    }
    return finish(folder, cell, extra, report=report, quiet=quiet)


def _monitor(hall: Hall) -> subprocess.Popen[bytes]:
    """Events and the present cycle on the terminal, from another process."""
    pool, events = (str(ring.path) for ring in hall.rings)
    command = [
        sys.executable,
        "-P",
        "-m",
        "proxops.ground.monitor",
        events,
        "--pool",
        pool,
        "--parent",
        str(os.getpid()),
    ]
    return subprocess.Popen(command)


def _announcement(live: LiveFacility, folder: Path) -> Callable[[RealTime], None]:
    def announce(real_time: RealTime) -> None:
        sync = live.hall.desk.sync
        assert sync is not None
        about = {
            "pid": os.getpid(), "sync": list(sync.address), "control": list(live.control.address),
            "pool_ring": str(live.hall.rings[0].path), "event_ring": str(live.hall.rings[1].path), "real_time": str(real_time),
        }  # fmt: skip
        (folder / "facility.json").write_text(json.dumps(about, indent=2) + "\n")
        print(
            f"facility at 250 Hz: synchronous interface {sync.address[0]}:{sync.address[1]}, "
            f"control {LOOPBACK}:{live.control.address[1]}",
            file=sys.stderr,
        )
        print(
            f"{real_time}; log {folder / 'run.mcap'}; end with Ctrl-C or proxops ctl shut-down",
            file=sys.stderr,
            flush=True,
        )

    return announce

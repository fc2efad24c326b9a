"""Whole sessions as the command line runs them: play a file or serve live, then sum up, draw and print."""

from __future__ import annotations

import fcntl
import itertools
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any, Final, Protocol

from proxops.bridge.settings import BridgeSettings
from proxops.core.errors import BadInput, ProxopsError
from proxops.core.key_file import demand_key
from proxops.core.messages import PERIOD_S
from proxops.core.vocabulary import Mode
from proxops.facility.application_feed import hall_latency_s
from proxops.facility.build import Hall
from proxops.facility.checked_trajectory import preflighted
from proxops.facility.console_watch import Beside, ConsoleWatch
from proxops.facility.control import Control, ControlSettings
from proxops.facility.interruption import ends_asked_for
from proxops.facility.live import LiveFacility
from proxops.facility.mover import parse_order
from proxops.facility.play import play
from proxops.facility.realtime import RealTime
from proxops.facility.sync import Address
from proxops.ground.log import Log
from proxops.ground.recorder import EXIT_LOST
from proxops.lab.cell import Cell
from proxops.lab.trajectory import Trajectory

NOT_WHOLE = {
    3: "the disk was full (recorder exit code 3)",
    4: "the recorder is still busy, or hangs (exit code 4)",
    EXIT_LOST: "cycles were overwritten before the recorder had read them (exit code 5)",
}
WARMING = "warming up … (the first time on a machine this compiles for about a minute)"
RESULTS = ("summary.json", "run.mcap", "hall.mcap", "report.html", "facility.json")
BESIDE = ("run.overview", "hall.overview")  # belongs to the log, not for people
BESIDE_ENDS_S: Final = 8.0  # for the console, which may have a scenario to end


_locks: dict[Path, IO[str]] = {}  # of folders that this process writes into


def prepare_folder(folder: Path) -> Path:
    """Make the folder of a run. What an earlier run left there is kept in a folder of its own; a run that is still under way
    keeps others out."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = _locks.setdefault(folder.resolve(), (folder / ".lock").open("w"))
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BadInput(
                "another run is writing into this folder", where=str(folder), way_out="choose another --out"
            ) from None
        earlier = [folder / name for name in (*RESULTS, *BESIDE) if (folder / name).exists()]
        if earlier:
            number = next(n for n in itertools.count(1) if not (folder / f"earlier-{n}").exists())
            kept = folder / f"earlier-{number}"
            kept.mkdir()
            for path in earlier:
                path.rename(kept / path.name)
            print(f"note: the earlier run is kept in {kept}", file=sys.stderr)
    except OSError as error:
        raise BadInput(f"cannot use the folder: {error.strerror}", where=str(folder)) from None
    return folder


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
    from proxops.facility.progress import progress_bar

    rehearsal = Rehearsal([_opening(cell, text) for text in rehearse])
    parse_order(order)
    checked = preflighted(cell, trajectory)
    prepare_folder(folder)
    watchers: list[subprocess.Popen[bytes]] = []

    def meanwhile(hall: Hall) -> None:
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
    extra: dict[str, Any] = {
        "wall_time_s": played.wall_s,
        "times_real_time": played.cycles * PERIOD_S / played.wall_s,
        "recorder_exit_code": played.recorder_code,
        "real_time": str(played.real_time) if played.real_time else None,
        "alarms": list(played.alarms),
    }
    return finish(folder, cell, extra, report=report, quiet=quiet)


def tell_of_log(code: int) -> None:
    """Say so if a log is not whole, by its recorder's exit code."""
    if code:
        why = NOT_WHOLE.get(code, f"the recorder was killed ({code})")
        print(f"proxops: the log is not whole: {why}", file=sys.stderr)


def finish(folder: Path, cell: Cell, extra: dict[str, Any], *, report: bool, quiet: bool) -> dict[str, Any]:
    """Summary, report and terminal table from the recorded run; a log that is not whole is said and fails the run."""
    tell_of_log(extra["recorder_exit_code"])
    try:
        return _finish(folder, cell, extra, report=report, quiet=quiet)
    except (BadInput, OSError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise ProxopsError(f"{folder}: the run was carried out but its results are not complete: {reason}") from None


def _finish(folder: Path, cell: Cell, extra: dict[str, Any], *, report: bool, quiet: bool) -> dict[str, Any]:
    from rich.console import Console

    from proxops.ground.report import print_summary, write_report
    from proxops.ground.summary import summarise

    log = Log.open(folder / "run.mcap")
    summary = {**summarise(log, cell), **extra}
    summary["log_whole"] = extra["recorder_exit_code"] == 0 and log.complete
    summary["passed"] = summary["passed"] and summary["log_whole"]
    (folder / "summary.json").write_text(json.dumps(summary, indent=2, ensure_ascii=False) + "\n")
    if report:  # before anything is printed: a terminal that is gone must not cost the page
        write_report(log, cell, summary, folder / "report.html")
    if not quiet:
        print_summary(summary, Console())
        print(f"\n{folder}: {', '.join(name for name in RESULTS if (folder / name).exists())}")
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


class Rehearsal:
    """Opens interlocks so many seconds into the run, counting running cycles: what would happen if a door opened there?"""

    def __init__(self, openings: list[tuple[str, float]]) -> None:
        self._due = sorted(((round(seconds / PERIOD_S), name) for name, seconds in openings), reverse=True)
        self._running = 0

    @property
    def left(self) -> list[tuple[str, float]]:
        """What has not come yet."""
        return [(name, cycle * PERIOD_S) for cycle, name in self._due]

    def __call__(self, hall: Hall) -> None:
        if hall.facility.mode is not Mode.RUNNING:
            return
        while self._due and self._running >= self._due[-1][0]:
            hall.desk.interlock(self._due.pop()[1], healthy=False)
        self._running += 1


def serve_session(
    cell: Cell,
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
    live = LiveFacility(
        cell, folder / "run.mcap", sync=sync, control=control, seed=seed, bridge=BridgeSettings(),
        bridge_at=bridge_at, key=key,
    )  # fmt: skip
    watcher = None if quiet else monitor(live.hall)
    beside: list[Kept] = []
    with ends_asked_for(lambda name: None):  # beyond the run: asked for once more, the results are still written
        try:
            served = live.run(_announcement(live, folder, console, beside, key_file), for_s, drives, bridged)
            if watcher:
                watcher.wait(5)
            extra = {
                "recorder_exit_code": served.recorder_code,
                "real_time": str(served.real_time),
                "cycles_served": served.cycles,
                "ended_in_stop": served.stopped,
                "alarms": list(live.hall.facility.events.raised),
            }
            return finish(folder, cell, extra, report=report, quiet=quiet)
        finally:
            for kept in beside:
                kept.finish()
                _reap(kept.process)
                kept.close()


def monitor(hall: Hall, lines: int = 0) -> subprocess.Popen[bytes]:
    """Events and the present cycle on the terminal, from another process; ``lines`` of a file give a bar."""
    pool, events = (str(ring.path) for ring in hall.rings)
    command = [sys.executable, "-P", "-m", "proxops.ground.monitor", events, "--pool", pool]
    command += ["--parent", str(os.getpid()), "--lines", str(lines)]
    return subprocess.Popen(command)


class Kept(Beside, Protocol):
    """A process beside the facility, with what must be closed afterwards."""

    process: subprocess.Popen[bytes]

    def finish(self) -> None:
        """Nothing is to be started again."""
        ...

    def close(self) -> None: ...


class Launch(Protocol):
    """What can be started beside the facility."""

    address: str

    def start(self, folder: Path) -> Kept: ...


def _reap(process: subprocess.Popen[bytes]) -> None:
    """It ends by itself once the facility has; one that does not is told to, then made to."""
    for insist in (process.terminate, process.kill):
        try:
            process.wait(BESIDE_ENDS_S)
            return
        except subprocess.TimeoutExpired:
            insist()
    process.wait()


def _elsewhere(control: Control) -> str:
    """The control channel of other machines, where there is one."""
    if not control.network:
        return ""
    host, port = control.network.address
    return f" and {host}:{port}, stops {host}:{port + 1} (with the key)"


def _responder(hall: Hall) -> dict[str, object]:
    """Where to look for the robots' controllers when the facility cannot be asked."""
    assert hall.remote is not None
    return {"responder_pid": hall.remote.pid, "link_ring": str(hall.remote.states.path)}


def _announcement(
    live: LiveFacility, folder: Path, console: Launch | None, beside: list[Kept], key_file: Path | None
) -> Callable[[RealTime], None]:
    """What is told and started once the facility is about to run; ``beside`` takes what was started."""

    def announce(real_time: RealTime) -> None:
        sync, bridge, control = live.hall.desk.sync, live.hall.desk.bridge, live.control
        assert sync is not None and bridge is not None
        about = {
            "pid": os.getpid(), "sync": list(sync.address), "bridge": list(bridge.port.address),
            "control": str(control.sockets.control), "stop": str(control.sockets.stop),
            "network_control": list(control.network.address) if control.network else None,
            "pool_ring": str(live.hall.rings[0].path), "event_ring": str(live.hall.rings[1].path),
            "mission_ring": str(live.mission.ring.path), "latency_s": hall_latency_s(live.hall.facility.cell),
            "real_time": str(real_time), "key_file": str(key_file.absolute()) if key_file else None, **_responder(live.hall),
        }  # fmt: skip
        (folder / "facility.json").write_text(json.dumps(about, indent=2) + "\n")
        print(
            f"facility at 250 Hz: bridge {bridge.port.address[0]}:{bridge.port.address[1]}, "
            f"synchronous interface {sync.address[0]}:{sync.address[1]}, control {control.sockets.control}{_elsewhere(control)}",
            file=sys.stderr,
        )
        print(
            f"{real_time}; log {folder / 'run.mcap'}; end with Ctrl-C or proxops ctl shut-down",
            file=sys.stderr,
            flush=True,
        )
        if console:
            kept, facility = console.start(folder), live.hall.facility
            beside.append(kept)
            facility.watchers.append(ConsoleWatch(kept, facility.events, facility.clock, lambda: facility.still))
            print(f"console: {console.address}", file=sys.stderr, flush=True)

    return announce

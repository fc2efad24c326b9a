"""What the program does, as functions: run a scenario, play a file, check a motion, serve, read a log. The command line is a skin
on it.

    import proxops

    run = proxops.run("approach", seed=7, out="runs/seven")
    print(run.passed, run.summary["mission"]["end"], run.report)
    distance = run.log.values("truth.x")

Results are printed only with ``quiet=False``; notes go to standard error. Bad input raises ``BadInput`` before anything moves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from proxops.core.channel import BRIDGE_PORT, CONTROL_NAME, LOOPBACK, SYNC_PORT

if TYPE_CHECKING:
    from proxops.ground.log import Log
    from proxops.lab.cell import Cell
    from proxops.lab.trajectory import Trajectory
    from proxops.runs.overseer import Overseer

RUNS = Path("runs")  # where results go unless told otherwise


@dataclass(frozen=True)
class Run:
    """A run that is over: its folder, and its figures as they stand in summary.json."""

    folder: Path
    summary: dict[str, Any]

    @property
    def passed(self) -> bool:
        """Every criterion is met and the log is whole."""
        return bool(self.summary["passed"])

    @cached_property
    def log(self) -> Log:
        """What was recorded: ``log.values("group.variable")``, ``log.events``."""
        return read_log(self.folder)

    @property
    def report(self) -> Path | None:
        """The page about it, if one was written."""
        path = self.folder / "report.html"
        return path if path.exists() else None


def run(
    scenario: Path | str, *, seed: int | None = None, out: Path | str | None = None, realtime: bool = False, report: bool = True,
    cell: Path | str | None = None, user_tool: Path | str | None = None, flight_software: str | None = None,
    flight_software_inside: bool = False, hall: bool | None = None, runs: int = 1, control: str | None = None,
    console: bool = False, quiet: bool = True, overseer: Overseer | None = None, images: str | None = None,
) -> Run:  # fmt: skip
    """Run a scenario, by its shipped name or its file, into the folder ``out``. What its kind has no use for is refused.

    ``flight_software``: path/to/file.py:Class or udp://host:port, for missions; ``inside``: in this process. ``hall``: close a
    mission's loop through the hall. ``runs``: of a mission, with seeds counting up. ``control``: name of a live experiment for
    ``ControlClient``, and ``console`` to watch it in the browser. ``images``: HOST:PORT at which a mission serves its images."""
    from proxops.applications.catalogue import load
    from proxops.applications.kinds import cell_of, session_of
    from proxops.console.launch import ConsoleLaunch
    from proxops.runs.options import RunOptions

    loaded = load(scenario)
    folder = Path(out) if out else RUNS / loaded.name
    options = RunOptions(
        realtime, seed, _path(cell), _path(user_tool), flight_software, flight_software_inside, hall, runs, control,
        ConsoleLaunch.beside_experiment(_path(cell) or Path(cell_of(loaded.kind))) if console else None, report, quiet, overseer,
        images,
    )  # fmt: skip
    return Run(folder, session_of(loaded.kind)(loaded, folder, options))


def _path(given: Path | str | None) -> Path | None:
    return Path(given) if given else None


def read_cell(cell: Path | str | None = None, user_tool: Path | str | None = None) -> Cell:
    """The cell of a file with its tools; the EPOS hall and the paper's tool unless given."""
    from proxops.runs.options import RunOptions

    return RunOptions(cell=_path(cell), user_tool=_path(user_tool)).read_cell()


def play(
    motion: Path | str | Trajectory, *, out: Path | str | None = None, seed: int = 0, realtime: bool = False,
    order: str = "rail,robot1,robot2",
    rehearse: Sequence[str] = (), report: bool = True, cell: Path | str | None = None, user_tool: Path | str | None = None,
    quiet: bool = True,
) -> Run:  # fmt: skip
    """Play a trajectory, or the file of one, on the hall: move to start in ``order``, confirm, run. ``rehearse``: interlocks to
    open, NAME@SECONDS."""
    from proxops.lab.trajectory import Trajectory, read_trajectory
    from proxops.runs.play_session import play_session

    trajectory = motion if isinstance(motion, Trajectory) else read_trajectory(Path(motion))
    folder = Path(out) if out else RUNS / Path(trajectory.source).stem
    summary = play_session(
        read_cell(cell, user_tool), trajectory, folder, realtime=realtime, order=order, seed=seed, rehearse=list(rehearse),
        report=report, quiet=quiet,
    )  # fmt: skip
    return Run(folder, summary)


def report(
    run: Path | str, *, cell: Path | str | None = None, user_tool: Path | str | None = None, quiet: bool = True
) -> Run:
    """Write the page of a run again, from its folder or its log; its summary, too, if there is none (a run that was killed)."""
    from proxops.applications.report import report_session
    from proxops.runs.options import RunOptions

    path = Path(run)
    given = RunOptions(cell=_path(cell), user_tool=_path(user_tool))
    read = given.read_any_cell() if cell or user_tool else None
    return Run(path if path.is_dir() else path.parent, report_session(path, read, quiet=quiet))


def read_log(run: Path | str) -> Log:
    """What a run recorded, from its folder or its log, also of one that was killed: ``log.values("group.variable")``,
    ``log.events``, ``log.ended``."""
    from proxops.ground.log import Log

    path = Path(run)
    return Log.open(path / "run.mcap" if path.is_dir() else path)


def check(
    motion: Path | str, *, out: Path | str | None = None, plot: Path | str | None = None, cell: Path | str | None = None,
    user_tool: Path | str | None = None, quiet: bool = True,
) -> dict[str, Any]:  # fmt: skip
    """Whether the hall can show a motion (a scenario or a trajectory file): ``feasible``, and all that speaks against it."""
    from proxops.applications.check import check_session

    return check_session(read_cell(cell, user_tool), str(motion), _path(plot), _path(out), quiet=quiet)


def serve(
    *, out: Path | str | None = None, cell: Path | str | None = None, user_tool: Path | str | None = None, bind: str = LOOPBACK,
    port: int = SYNC_PORT, bridge: bool = False, bridge_port: int = BRIDGE_PORT,
    bridge_settings: Path | str | None = None, sensors: Path | str | None = None, control: str = CONTROL_NAME,
    control_bind: str | None = None, key_file: Path | str | None = None, seed: int = 0, for_s: float | None = None,
    drives: bool = True, report: bool = True, console: bool = True, console_bind: str = LOOPBACK, console_port: int | None = None,
    console_token: str | None = None, quiet: bool = True, images: str | None = None,
) -> Run:  # fmt: skip
    """Serve the live facility at 250 Hz until it is told to end (``ControlClient().ask("shut_down")``, Ctrl-C, ``for_s``).
    ``bridge_settings``: a file with the table ``[bridge]``, as scenarios have it. ``sensors``: one with ``[[sensor]]`` tables of
    cameras, time-of-flight cameras and LiDARs that look at what the robots show, or bring images of their own. ``images``:
    HOST:PORT at which every image of theirs is served."""
    from proxops.console.launch import ConsoleLaunch
    from proxops.facility.control import control_settings
    from proxops.runs.options import RunOptions
    from proxops.runs.serve_session import serve_session

    folder = Path(out) if out else RUNS / f"serve-{datetime.now(UTC):%Y%m%dT%H%M%SZ}"
    launch = (
        ConsoleLaunch.prepare(console_bind, console_port, console_token, _path(cell), _path(user_tool))
        if console
        else None
    )
    read = RunOptions(cell=_path(cell), user_tool=_path(user_tool)).read_any_cell()
    summary = serve_session(
        read, folder, sync=(bind, port), bridge_at=(bind, bridge_port), bridged=bridge,
        control=control_settings(control, read.file.access, control_bind, _path(key_file)), seed=seed, for_s=for_s, drives=drives,
        report=report, quiet=quiet, console=launch, key_file=_path(key_file),
        bridge_file=_path(bridge_settings), sensor_file=_path(sensors), images=images,
    )  # fmt: skip
    return Run(folder, summary)

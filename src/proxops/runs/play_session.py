"""A trajectory as the command line plays it: into a folder, with a report; and doors that open on the way, as a rehearsal."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from proxops.core.errors import BadInput
from proxops.core.messages import PERIOD_S
from proxops.core.vocabulary import Mode
from proxops.facility.installation import Installation
from proxops.facility.motions.mover import parse_order
from proxops.facility.play import play
from proxops.facility.trajectories import preflighted
from proxops.ground.hall_report import hall_report
from proxops.lab.cell import Cell
from proxops.lab.trajectory import Trajectory
from proxops.runs.folder import finish, prepare_folder
from proxops.runs.progress import monitor, progress_bar


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

"""Plays a trajectory on the virtual hall: the asynchronous interface from drives on to the last line.

Lockstep by default: the clock never sleeps and a run is the same bit for bit. In real time the same tick is kept at 4 ms.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from proxops.core.clock import LOCKSTEP_EPOCH, LiveClock, LockstepClock
from proxops.core.vocabulary import Mode
from proxops.facility.build import build
from proxops.facility.installation import Installation
from proxops.facility.loop import Loop, Progress, Ran, Stopped, no_progress
from proxops.facility.trajectories import CheckedTrajectory, preflighted
from proxops.facility.warmup import warm_up
from proxops.lab.cell import Cell
from proxops.lab.links.remote import RemoteHall
from proxops.lab.trajectory import Trajectory

EachCycle = Callable[[Installation], None]


def play(
    cell: Cell, trajectory: Trajectory | CheckedTrajectory, record: Path | None, *, seed: int = 0, realtime: bool = False,
    order: str = "rail,robot1,robot2", epoch: str = LOCKSTEP_EPOCH, progress: Progress = no_progress,
    meanwhile: EachCycle = lambda hall: None, each_cycle: EachCycle | None = None,
) -> Ran:  # fmt: skip
    """Check the whole trajectory first (unless it was, for this cell), then play it. ``meanwhile`` gets the hall once
    before the first cycle, ``each_cycle`` before every one."""
    checked = preflighted(cell, trajectory) if isinstance(trajectory, Trajectory) else trajectory
    about = {"trajectory": checked.trajectory.source, "lines": str(len(checked)), "sha256": checked.sha256}
    remote = RemoteHall.start(cell, seed) if realtime else None
    if realtime:
        warm_up(cell)
    hall = build(
        cell, LiveClock() if realtime else LockstepClock(epoch), seed=seed, record=record,
        metadata={**about, "clock": "live" if realtime else "lockstep"}, remote=remote,
    )  # fmt: skip
    loop = Loop(hall, progress)

    def work() -> None:
        meanwhile(hall)
        with suppress(Stopped):
            _play(loop, checked, order, (lambda: each_cycle(hall)) if each_cycle else None)

    return loop.run(work)


def _play(loop: Loop, checked: CheckedTrajectory, order: str, each: Callable[[], None] | None) -> None:
    """Drives on, select, move to start, confirm, run."""
    desk = loop.hall.desk
    desk.load(checked)
    desk.drives(True)
    loop.until(Mode.READY, "drives on", each=each)
    desk.select("async")
    desk.move_to_start(order)
    loop.until(Mode.AT_START, "move to start", each=each)
    desk.confirm()
    loop.until(Mode.READY, "run", len(checked) * loop.cycle_s, each)

"""Plays a trajectory on the virtual hall: the asynchronous interface from drives on to the last line.

Lockstep by default: the clock never sleeps and a run is the same bit for bit. In real time the same tick is kept at 4 ms.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from proxops.core.clock import LOCKSTEP_EPOCH, Clock, LiveClock, LockstepClock
from proxops.core.ending import Ending
from proxops.core.vocabulary import Mode
from proxops.facility.build import Hall, build
from proxops.facility.checked_trajectory import CheckedTrajectory, preflighted
from proxops.facility.conclusion import LEFT, how_it_ended
from proxops.facility.interruption import ends_asked_for
from proxops.facility.realtime import RealTime, enter_real_time
from proxops.facility.warmup import warm_up
from proxops.lab.cell import Cell
from proxops.lab.links.remote import RemoteHall
from proxops.lab.trajectory import Trajectory
from proxops.safety.rules import Stop

Progress = Callable[[str, int, int], None]
"""Called now and then with the phase, cycles done and cycles expected (0: not known)."""

EachCycle = Callable[[Hall], None]

SHOW_EVERY = 250
PATIENCE_CYCLES = 250 * 600  # a move to start that takes longer than ten minutes has failed


@dataclass(frozen=True)
class Played:
    """How a run ended. The wall time runs from the first cycle to the closed log."""

    stop: Stop | None
    cycles: int
    wall_s: float
    recorder_code: int
    real_time: RealTime | None
    alarms: tuple[str, ...]  # raised in the run, standing or not


class Stopped(Exception):
    """The run ended in a stop."""


class Player:
    """One run: drives on, select, move to start, confirm, run."""

    def __init__(self, hall: Hall, clock: Clock, progress: Progress, each_cycle: EachCycle) -> None:
        self._hall, self._clock, self._progress, self._each_cycle = hall, clock, progress, each_cycle
        self._facility = hall.facility
        self._interrupted = False
        self.asked = ""  # the signal that ended it, if one has

    def interrupt(self, by: str) -> None:
        """Ask for a safe stop before the next cycle."""
        self._interrupted, self.asked = True, by

    def run(self, checked: CheckedTrajectory, order: str) -> Stop | None:
        """Through all phases; the stop that ended it, or None when the last line was reached."""
        desk = self._hall.desk
        desk.load(checked)
        try:
            desk.drives(True)
            self._until(Mode.READY, "drives on")
            desk.select("async")
            desk.move_to_start(order)
            self._until(Mode.AT_START, "move to start")
            desk.confirm()
            self._until(Mode.READY, "run", len(checked))
        except Stopped:
            return self._facility.stop
        return None

    def _until(self, goal: Mode, phase: str, expected: int = 0) -> None:
        """Tick until the facility is in ``goal``; a stop is followed to standstill."""
        for cycle in range(max(PATIENCE_CYCLES, 2 * expected)):
            mode = self._facility.mode
            if mode is goal:
                self._progress(phase, expected or cycle, expected or cycle)
                return
            if mode is Mode.STOPPED:
                raise Stopped
            if cycle % SHOW_EVERY == 0:
                self._progress(phase, min(cycle, expected) if expected else cycle, expected)
            self._cycle()
        raise TimeoutError(f"{phase}: {self._facility.mode.name} after {PATIENCE_CYCLES} cycles")

    def _cycle(self) -> None:
        facility, clock = self._facility, self._clock
        if self._interrupted:
            self._interrupted = False
            self._hall.desk.safe_stop(self.asked)
        self._each_cycle(self._hall)
        facility.lateness = clock.advance()
        facility.missed = getattr(clock, "missed", 0)
        facility.tick()
        if isinstance(clock, LockstepClock):
            let_recorder_keep_up(self._hall)


def let_recorder_keep_up(hall: Hall) -> None:
    """Only in lockstep."""
    if hall.recorder:
        hall.recorder.let_it_keep_up()


def play(
    cell: Cell, trajectory: Trajectory | CheckedTrajectory, record: Path | None, *, seed: int = 0, realtime: bool = False,
    order: str = "rail,robot1,robot2", epoch: str = LOCKSTEP_EPOCH,
    progress: Progress = lambda phase, done, expected: None, meanwhile: EachCycle = lambda hall: None,
    each_cycle: EachCycle = lambda hall: None,
) -> Played:  # fmt: skip
    """Check the whole trajectory first (unless it was, for this cell), then play it. ``meanwhile`` gets the hall once
    before the first cycle, ``each_cycle`` before every one."""
    checked = preflighted(cell, trajectory) if isinstance(trajectory, Trajectory) else trajectory
    about = {"trajectory": checked.trajectory.source, "lines": str(len(checked)), "sha256": checked.sha256}
    remote = RemoteHall.start(cell, seed) if realtime else None
    if realtime:
        warm_up(cell)
    clock: Clock = LiveClock() if realtime else LockstepClock(epoch)
    hall = build(
        cell, clock, seed=seed, record=record,
        metadata={**about, "clock": "live" if realtime else "lockstep"}, remote=remote,
    )  # fmt: skip
    state: RealTime | None = None
    began, ended = time.monotonic(), LEFT
    player = Player(hall, clock, progress, each_cycle)
    with ends_asked_for(player.interrupt):  # until all is closed
        try:
            meanwhile(hall)
            state = enter_real_time() if realtime else None
            began = time.monotonic()
            if isinstance(clock, LiveClock):
                clock.start()
            stop = player.run(checked, order)
            ended = how_it_ended(hall.facility.stop, player.asked)
        except Exception as error:
            ended = Ending.of_error(error)
            hall.facility.emergency_brake(error)  # an error of ours may not leave the robots moving
            raise
        finally:
            codes: list[int] = []
            with ExitStack() as closing:  # whatever fails, the rest is closed
                closing.callback(lambda: codes.append(hall.close(ended)))
                if state:
                    closing.callback(state.leave)
                closing.callback(hall.farewell)
    return Played(stop, clock.tick, time.monotonic() - began, codes[0], state, tuple(hall.facility.events.raised))

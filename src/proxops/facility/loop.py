"""The one loop round the one tick: a hall is run until its work is done, and comes to rest and is closed however that ends.

Whose time passes is the clock's affair. An end that is asked for (Ctrl-C, a signal) becomes a safe stop before the next cycle.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass
from typing import Any, Final

from proxops.core.clock import LockstepClock
from proxops.core.ending import Ending
from proxops.core.interruption import ends_asked_for
from proxops.core.vocabulary import Mode
from proxops.facility.conclusion import LEFT, how_it_ended
from proxops.facility.emergency import emergency_brake
from proxops.facility.installation import Installation
from proxops.facility.realtime import RealTime, enter_real_time
from proxops.safety.guarded_cycle import MOST
from proxops.safety.rules import Stop

Progress = Callable[[str, float, float], None]
"""Called now and then with the phase, and seconds of the facility's time: done, and expected (0: not known)."""

Announce = Callable[[RealTime], None]
"""Called once, with what the machine has granted of real time."""

SHOW_EVERY_S: Final = 1.0
PATIENCE_S: Final = 600.0  # a phase whose end is not known and that takes longer has failed


def no_progress(phase: str, done_s: float, expected_s: float) -> None:
    """Nobody looks on."""


@dataclass(frozen=True)
class Ran:
    """How a run of the hall ended. The wall time runs from the first cycle to the closed log."""

    stop: Stop | None
    cycles: int
    hall_s: float  # of the facility's time
    missed: int
    wall_s: float
    recorder_code: int
    real_time: RealTime | None
    alarms: tuple[str, ...]  # raised in the run, standing or not

    def figures(self) -> dict[str, Any]:
        """For the summary: what the log itself cannot tell."""
        return {
            "wall_time_s": self.wall_s,
            "times_real_time": self.hall_s / self.wall_s,
            "recorder_exit_code": self.recorder_code,
            "real_time": str(self.real_time) if self.real_time else None,
            "alarms": list(self.alarms),
        }


class Stopped(Exception):
    """The hall stopped before it was where it should be."""


class Loop:
    """``run`` once; what it is given calls ``cycle`` or ``until``. ``asked`` names who has asked for the end, if anybody has."""

    def __init__(self, hall: Installation, progress: Progress = no_progress) -> None:
        self.hall, self._progress = hall, progress
        self.facility = hall.facility
        self.cycle_s = hall.facility.clock.period_ns * 1e-9
        self.asked = ""
        self._interrupted = False

    def interrupt(self, by: str) -> None:
        """Ask for the end."""
        self._interrupted, self.asked = True, self.asked or by

    def cycle(self, most: int = 1) -> int:
        """One tick, and before it the safe stop that has been asked for; or up to ``most`` usual cycles at once. How many have
        passed."""
        if self._interrupted:
            self._interrupted = False
            self.hall.desk.safe_stop(self.asked)
        return self.facility.tick(most)

    def until(self, goal: Mode, phase: str, expected_s: float = 0.0, each: Callable[[], None] | None = None) -> None:
        """Tick until the facility is in ``goal``; a stop is followed to standstill and raised. ``each``: before every cycle."""
        patience_s, show_every = max(PATIENCE_S, 2.0 * expected_s), self.cycles(SHOW_EVERY_S)
        cycle, shown, most = 0, 0, 1 if each else MOST
        while cycle < self.cycles(patience_s):
            mode, done_s = self.facility.mode, cycle * self.cycle_s
            if mode is goal:
                self._progress(phase, expected_s or done_s, expected_s or done_s)
                return
            if mode is Mode.STOPPED:
                raise Stopped
            if cycle >= shown:
                self._progress(phase, min(done_s, expected_s) if expected_s else done_s, expected_s)
                shown = cycle + show_every
            if each:
                each()
            cycle += self.cycle(most)
        raise TimeoutError(f"{phase}: {self.facility.mode.name} after {patience_s:g} s")

    def cycles(self, seconds: float) -> int:
        """Whole ones in so long, at least one."""
        return max(1, round(seconds / self.cycle_s))

    def run(
        self, work: Callable[[], None], *, announce: Announce = lambda real_time: None,
        done: Callable[[], str] = lambda: "", closing: tuple[Callable[[], None], ...] = (), interruptible: bool = True,
    ) -> Ran:  # fmt: skip
        """``announce`` is called once the machine has granted what real time needs; ``done`` says what was done; ``closing`` is
        called at the end, whatever happened, before the hall is closed."""
        state: RealTime | None = None
        began, ended, codes, clock = time.monotonic(), LEFT, [0], self.facility.clock
        with ends_asked_for(self.interrupt) if interruptible else nullcontext():  # until all is closed
            try:
                if not isinstance(clock, LockstepClock):
                    state = enter_real_time()
                    announce(state)
                began = time.monotonic()
                clock.start()
                work()
                ended = how_it_ended(self.facility.stop, self.asked, done())
            except Exception as error:
                ended = Ending.of_error(error)
                emergency_brake(self.facility, error)  # an error of ours may not leave the robots moving
                raise
            finally:
                with ExitStack() as last:  # whatever fails, the rest is closed
                    last.callback(lambda: codes.append(self.hall.close(ended)))
                    for close in closing:
                        last.callback(close)
                    if state:
                        last.callback(state.leave)
                    last.callback(self.hall.farewell)
        alarms = tuple(self.facility.events.raised)
        wall_s, hall_s = time.monotonic() - began, clock.tick * self.cycle_s
        return Ran(self.facility.stop, clock.tick, hall_s, clock.missed, wall_s, codes[-1], state, alarms)

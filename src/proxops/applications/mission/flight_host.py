"""Where a flight software runs: called once a cycle, watched, and its answer judged before an actuator sees it.

Whatever is wrong ends the mission with ``FlightSoftwareFailed``, which names the cause. Code that runs for ever is interrupted by
a timer (SIGALRM) when called from the main thread; elsewhere, and inside compiled code, which no signal reaches, its time can
only be measured afterwards. A user's software therefore has a host in a process of its own (``flight_process.py``), and the
host of the simulation asks that one. A computer that nobody waits for has no host: ``FreeRunningLink`` stands in its place.
"""

from __future__ import annotations

import signal
import threading
import time
from types import FrameType
from typing import Final

from proxops.applications.mission.flight_free_running import WHEEL_HOLD as WHEEL_HOLD
from proxops.applications.mission.flight_free_running import FreeRunningLink as FreeRunningLink
from proxops.applications.mission.flight_judgement import FlightSoftwareFailed as FlightSoftwareFailed
from proxops.applications.mission.flight_judgement import judged
from proxops.applications.mission.flight_trace import where
from proxops.core.flight import Commands, FlightSoftware, Measurements

START_S: Final = 30.0  # least limit of the first call: compilers and far computers wake up in it
# The timer strikes late: software that watches its own time (a link to another computer) names the cause better than we do.
LATE: Final = 1.25
AGAIN_S: Final = 0.1  # and strikes again, should the software swallow it


class _Interrupted(BaseException):
    """Raised inside software that does not come back. No ``Exception``: those it may catch."""


class FlightHost:
    """Calls a flight software; the one who flies the spacecraft asks nobody else. Times in s."""

    def __init__(
        self, software: FlightSoftware, thrusters: int, wheels: int, period_s: float, limit_s: float,
        start_s: float = START_S,
    ) -> None:  # fmt: skip
        """``limit_s``: wall time of a call; the first one has at least ``start_s``."""
        self.software = software
        self._thrusters, self._wheels, self._period_s = thrusters, wheels, period_s
        self._limit_s, self._first_s = limit_s, max(limit_s, start_s)
        self._inside = False
        # Our own has no loop without an end, and a process of its own has somebody who waits with a limit: no timer.
        self._trusted = type(software).__module__.startswith("proxops.onboard.") or getattr(software, "watched", False)
        self.cycles = 0  # answered as they should be
        self.slowest_s = 0.0  # of all calls but the first

    def step(self, measurements: Measurements) -> Commands:
        """The commands, which are fit to be carried out, or ``FlightSoftwareFailed``."""
        limit_s = self._limit_s if self.cycles else self._first_s
        begin_s = time.perf_counter()
        answer = self._answer(measurements, limit_s)
        took_s = time.perf_counter() - begin_s
        if took_s > limit_s:
            raise FlightSoftwareFailed(f"took longer than {limit_s:g} s: {took_s:.3f} s")
        commands = judged(answer, self._thrusters, self._wheels, self._period_s)
        if self.cycles and took_s > self.slowest_s:
            self.slowest_s = took_s
        self.cycles += 1
        return commands

    def close(self) -> None:
        """The flight is over: software that has a method ``close`` (a link, a file) is told."""
        close = getattr(self.software, "close", None)
        if callable(close):
            try:
                close()
            except (Exception, SystemExit) as error:
                raise raised(error) from error

    def _answer(self, measurements: Measurements, limit_s: float) -> Commands:
        """Whatever comes back, under the timer where there can be one."""
        try:
            if not self._trusted and threading.current_thread() is threading.main_thread():
                return self._watched(measurements, limit_s)
            return self.software.step(measurements)
        except _Interrupted as end:
            raise FlightSoftwareFailed(f"took longer than {limit_s:g} s{where(end.__traceback__)}") from None
        except FlightSoftwareFailed:
            raise  # a link to another computer knows its cause
        except (Exception, SystemExit) as error:
            raise raised(error) from error

    def _watched(self, measurements: Measurements, limit_s: float) -> Commands:
        """Call under a timer. Handler and timer of whoever used them before are put back."""
        handler = signal.signal(signal.SIGALRM, self._strike)
        begin_s = time.monotonic()
        left_s, again_s = signal.setitimer(signal.ITIMER_REAL, LATE * limit_s, AGAIN_S)
        try:
            try:
                self._inside = True
                return self.software.step(measurements)
            finally:
                self._inside = False  # a strike from here on is nobody's
        finally:  # reached even if the last strike fell between the two
            signal.setitimer(signal.ITIMER_REAL, 0.0)
            signal.signal(signal.SIGALRM, signal.SIG_DFL if handler is None else handler)  # None: was not Python's
            if left_s > 0.0:
                signal.setitimer(signal.ITIMER_REAL, max(left_s - (time.monotonic() - begin_s), 1e-6), again_s)

    def _strike(self, _number: int, _frame: FrameType | None) -> None:
        if self._inside:
            raise _Interrupted


def raised(error: BaseException) -> FlightSoftwareFailed:
    """The failure that an exception in the user's code is."""
    message = " ".join(str(error).split())  # on one line
    return FlightSoftwareFailed(f"raised {type(error).__name__}: {message}{where(error.__traceback__)}")

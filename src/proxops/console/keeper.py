"""Keeps the console running: ``python -m proxops.console.keeper`` starts it, and again when it ends or hangs while the facility
goes on.

A process of its own, so that neither the looking nor the starting costs the tick anything. The listening socket is held here
and outlives every console: pages that come in between wait for the next one. The console's event loop beats into a pipe; the
keeper beats into another, to the facility, and tells it what it does.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from types import FrameType
from typing import Final

from proxops.core.child import child_command
from proxops.core.pulse import Pulse, beat
from proxops.core.restarts import Restarts

LOOK_S: Final = 0.2
GRACE_S: Final = 5.0  # for the console to end by itself
HANGS_S: Final = 3.0  # a console's event loop beats every 0.2 s
FIRST_BEAT_S: Final = 120.0  # a fresh clone compiles on the way
ENDING: Final = "ending"  # what a console says last
ENDS_S: Final = 20.0  # what it may take from then on


class Keeper:
    """``words`` are the console's options, ``fd`` the socket it listens on, ``parent`` the facility's process, ``line`` our
    pulse to it, if it listens."""

    def __init__(self, words: list[str], fd: int, parent: int, line: int | None = None) -> None:
        self._pulse, self._line = Pulse(HANGS_S, FIRST_BEAT_S), line
        numbers = ("--fd", fd, "--parent", os.getpid(), "--pulse", self._pulse.writing)
        self._command = child_command("proxops.console.__main__", *words, *numbers)
        self._fd, self._parent = fd, parent
        self._console: subprocess.Popen[bytes] | None = None

    def run(self) -> None:
        """Until the facility has ended, which the console notices by itself and then ends well."""
        restarts = Restarts()
        try:
            while (code := self._served()) is not None and code != 0:
                wait_s = restarts.wait_s(time.monotonic())
                again = f"again in {wait_s:.0f} s" if wait_s else "restarted"
                self._tell(f"the console has ended (exit code {code}): {again}")
                if not self._slept(wait_s):
                    return
                restarts.count(time.monotonic())
        finally:
            self._end()

    def _served(self) -> int | None:
        """One console, from its start to its end: its exit code; None when the facility is gone."""
        self._pulse.begin(time.monotonic())
        self._console = console = subprocess.Popen(self._command, pass_fds=[self._fd, self._pulse.writing])
        while (code := console.poll()) is None:
            if not self._slept(LOOK_S):
                return None
            if ENDING in self._pulse.listen(time.monotonic()):
                self._pulse.bear(ENDS_S)
            if self._pulse.stopped:
                self._tell(f"the console has not moved for {self._pulse.silent_s():.1f} s: killed")
                console.kill()
                return console.wait()
        return code

    def _tell(self, text: str) -> None:
        """At the terminal, and to the facility, whose events pages and the log show."""
        print(f"proxops: {text}", file=sys.stderr, flush=True)
        if self._line is not None:
            beat(self._line, text)

    def _slept(self, seconds: float) -> bool:
        """True when the facility is still there afterwards."""
        until = time.monotonic() + seconds
        while os.getppid() == self._parent:
            if self._line is not None:
                beat(self._line)
            left = until - time.monotonic()
            if left <= 0.0:
                return True
            time.sleep(min(left, LOOK_S))
        return False

    def _end(self) -> None:
        console = self._console
        if console is None or console.poll() is not None:
            return
        console.terminate()
        try:
            console.wait(GRACE_S)
        except subprocess.TimeoutExpired:
            console.kill()
            console.wait()


def _told_to_end(number: int, frame: FrameType | None) -> None:
    raise SystemExit(0)


def main() -> None:
    """``keeper FD PARENT LINE WORDS…``"""
    for number in (signal.SIGINT, signal.SIGHUP):  # Ctrl-C at the terminal is the facility's affair
        signal.signal(number, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _told_to_end)
    with contextlib.suppress(OSError):
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
    fd, parent, line, *words = sys.argv[1:]
    Keeper(words, int(fd), int(parent), int(line)).run()


if __name__ == "__main__":
    main()

"""Keeps the console running: ``python -m proxops.console.keeper`` starts it, and again when it ends while the facility goes on.

A process of its own, so that neither the looking nor the starting costs the tick anything. The listening socket is held here
and outlives every console: pages that come in between wait for the next one.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections import deque
from types import FrameType
from typing import Final

LOOK_S: Final = 0.2
GRACE_S: Final = 5.0  # for the console to end by itself
RESTARTS: Final = 3  # within
WITHIN_S: Final = 60.0


class Restarts:
    """Not more than so many in a while, so that a console that cannot start does not keep a core busy."""

    def __init__(self) -> None:
        self._times: deque[float] = deque(maxlen=RESTARTS)

    def wait_s(self, now_s: float) -> float:
        """How long the next one has to wait."""
        full = len(self._times) == RESTARTS
        return max(0.0, self._times[0] + WITHIN_S - now_s) if full else 0.0

    def count(self, now_s: float) -> None:
        self._times.append(now_s)


class Keeper:
    """``words`` are the console's options, ``fd`` the socket it listens on, ``parent`` the facility's process."""

    def __init__(self, words: list[str], fd: int, parent: int) -> None:
        self._command = [
            sys.executable,
            "-P",
            "-m",
            "proxops.console",
            *words,
            "--fd",
            str(fd),
            "--parent",
            str(os.getpid()),
        ]
        self._fd, self._parent = fd, parent
        self._console: subprocess.Popen[bytes] | None = None

    def run(self) -> None:
        """Until the facility has ended, which the console notices by itself and then ends well."""
        restarts = Restarts()
        try:
            while (code := self._served()) is not None and code != 0:
                wait_s = restarts.wait_s(time.monotonic())
                again = f"again in {wait_s:.0f} s" if wait_s else "restarted"
                print(f"proxops: the console has ended (exit code {code}): {again}", file=sys.stderr, flush=True)
                if not self._slept(wait_s):
                    return
                restarts.count(time.monotonic())
        finally:
            self._end()

    def _served(self) -> int | None:
        """One console, from its start to its end: its exit code; None when the facility is gone."""
        self._console = console = subprocess.Popen(self._command, pass_fds=[self._fd])
        while (code := console.poll()) is None:
            if not self._slept(LOOK_S):
                return None
        return code

    def _slept(self, seconds: float) -> bool:
        """True when the facility is still there afterwards."""
        until = time.monotonic() + seconds
        while os.getppid() == self._parent:
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
    """``keeper FD PARENT WORDS…``"""
    for number in (signal.SIGINT, signal.SIGHUP):  # Ctrl-C at the terminal is the facility's affair
        signal.signal(number, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _told_to_end)
    with contextlib.suppress(OSError):
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
    fd, parent, *words = sys.argv[1:]
    Keeper(words, int(fd), int(parent)).run()


if __name__ == "__main__":
    main()

"""Starts the console's keeper for the facility, at its word: ``python -m proxops.console.starter``.

Starting a process holds the one that does it until the new one runs: 0.7 ms on an idle machine, 8 ms on a busy one, without
bound where others have the cores. A tick has no time for that, so this small process waits from the beginning to do it.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from types import FrameType
from typing import Final

from proxops.core.child import child_command
from proxops.core.pulse import beat

START, END = b"s", b"e"  # start it (again); end once it has ended
LOOK_S: Final = 0.2
GRACE_S: Final = 6.0  # for the keeper, which gives its console 5
GONE: Final = "the keeper has ended"


class Starter:
    """``fd``: the console's socket, ``line``: the pulse to the facility, ``words``: the console's options. Words of the
    facility come through ``orders``; its end ends this."""

    def __init__(self, fd: int, line: int, words: list[str], orders: int = 0) -> None:
        self._command = child_command("proxops.console.keeper", fd, os.getpid(), line, *words)
        self._fds, self._line, self._orders = [fd, line], line, orders
        self._told = self._ending = False

    def run(self) -> None:
        """Until the facility is gone, or has said that it ends and the keeper has ended too."""
        self._keeper = self._started()
        try:
            while not (self._ending and self._keeper.poll() is not None):
                orders = self._heard()
                if orders is None:
                    return
                if START in orders:
                    self._start_again()
                self._ending |= END in orders
                self._look()
        finally:
            self._end()

    def _heard(self) -> bytes | None:
        """What the facility has said within a look; None when it is gone."""
        ready, _, _ = select.select([self._orders], [], [], LOOK_S)
        return (os.read(self._orders, 100) or None) if ready else b""

    def _started(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(self._command, pass_fds=self._fds, stdin=subprocess.DEVNULL)

    def _start_again(self) -> None:
        self._keeper.kill()  # frozen or dead; its console sees that it is gone, and ends
        self._keeper.wait()
        self._keeper, self._told = self._started(), False

    def _look(self) -> None:
        if self._keeper.poll() is not None and not self._told:
            self._told = True
            beat(self._line, GONE)

    def _end(self) -> None:
        if self._keeper.poll() is None:
            self._keeper.terminate()
            try:
                self._keeper.wait(GRACE_S)
            except subprocess.TimeoutExpired:
                self._keeper.kill()
                self._keeper.wait()


def _told_to_end(number: int, frame: FrameType | None) -> None:
    raise SystemExit(0)


def main() -> None:
    """``starter FD LINE WORDS…``"""
    for number in (signal.SIGINT, signal.SIGHUP):  # Ctrl-C at the terminal is the facility's affair
        signal.signal(number, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _told_to_end)
    fd, line, *words = sys.argv[1:]
    Starter(int(fd), int(line), words).run()


if __name__ == "__main__":
    main()

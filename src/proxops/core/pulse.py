"""A pulse: a process writes into a pipe now and then, another listens and knows when it has fallen silent. Nobody outside of the
two can reach the pipe, so no load on a socket can starve it. Neither end ever waits."""

from __future__ import annotations

import contextlib
import os
from typing import Final

READ_BYTES: Final = 4096
UNWATCHED_S: Final = 1.0  # between two times of listening: we stood still ourselves, which says nothing of the other
LINE_BYTES: Final = 400


def beat(fd: int, text: str = "") -> None:
    """One beat, with something to tell or not. A listener that is gone or does not listen is no reason to fail."""
    with contextlib.suppress(BlockingIOError, BrokenPipeError):
        os.write(fd, " ".join(text.split()).encode()[:LINE_BYTES] + b"\n")


class Pulse:
    """The listener's end. ``writing`` goes to the other process; ``begin`` with every new one."""

    def __init__(self, patience_s: float, first_s: float) -> None:
        """``first_s``: patience until the first beat, while it starts."""
        self._patience_s, self._first_s = patience_s, first_s
        self._reading, self.writing = os.pipe()
        for fd in (self._reading, self.writing):
            os.set_blocking(fd, False)
        self._rest = b""
        self.begin(0.0)

    def begin(self, now_s: float) -> None:
        """A new process: what an earlier one has left in the pipe is not its."""
        with contextlib.suppress(BlockingIOError):
            while os.read(self._reading, READ_BYTES):
                pass
        self.heard, self._rest = False, b""
        self._last_s = self._listened_s = now_s
        self._bound_s = self._first_s

    def listen(self, now_s: float) -> list[str]:
        """What was told since the last time; plain beats tell nothing."""
        try:
            came = os.read(self._reading, READ_BYTES)
        except BlockingIOError:
            came = b""
        if came:
            self.heard, self._bound_s = True, self._patience_s
        if came or now_s - self._listened_s > UNWATCHED_S:
            self._last_s = now_s
        self._listened_s = now_s
        *lines, rest = (self._rest + came).split(b"\n")
        self._rest = rest[-LINE_BYTES:]
        return [line.decode(errors="replace") for line in lines if line]

    def bear(self, seconds: float) -> None:
        """The next beat may take so long: it has said that it ends."""
        self._bound_s = seconds

    def silent_s(self) -> float:
        """For how long nothing has come, as of the last time we listened."""
        return self._listened_s - self._last_s

    @property
    def stopped(self) -> bool:
        """Silent for too long."""
        return self.silent_s() > self._bound_s

    def close(self) -> None:
        os.close(self._reading)
        os.close(self.writing)

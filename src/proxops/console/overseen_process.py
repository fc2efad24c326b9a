"""A process that is overseen (its end of it: ``runs/overseer.py``): started, held, let go, ended, nothing left of it."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.runs.overseer import GO, HOLD, progress_ring

GRACE_S: Final = 2.0  # to end by itself
LOOK_S: Final = 0.02
LAST_LINES: Final = 6
LAST_BYTES: Final = 4000


class OverseenProcess:
    """Leads a process group of its own, so that what it starts can be ended with it. Standard output is nobody's; standard error
    goes to a file, so that it never waits for a reader. Calls may come from several threads."""

    def __init__(self, command: Callable[[Path], list[str]], *, niceness: int = 0) -> None:
        """``command``: the words, given the ring for the progress."""
        self._ring, self._lock = progress_ring(), threading.Lock()
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115  closed with the process
        try:
            self._process = subprocess.Popen(
                command(self._ring.path), bufsize=0, process_group=0,
                stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=self._errors,
            )  # fmt: skip
        except BaseException:
            self._ring.close()
            self._errors.close()
            raise
        self.pid = self._process.pid
        if niceness:
            with suppress(ProcessLookupError):
                os.setpriority(os.PRIO_PGRP, self.pid, niceness)

    @property
    def progress(self) -> NDArray[np.void]:
        """Newest record (``PROGRESS_DTYPE``); ``begun`` is 0 until the run has told something."""
        record = self._ring.latest()
        assert record is not None
        return record

    @property
    def exit_code(self) -> int | None:
        """None while it runs. Whoever asks first after its end also ends what it has left behind, while its number is still its
        own, and reaps it."""
        with self._lock:
            if self._process.returncode is None and self._gone():
                self._signal_group(signal.SIGKILL)
                self._process.wait()
            return self._process.returncode

    def hold(self) -> None:
        """Stand still before the next step."""
        self._write(HOLD)

    def go(self) -> None:
        """Go on."""
        self._write(GO)

    def end(self) -> int:
        """Ask it to end, insist after ``GRACE_S``; the exit code. Blocks for as long."""
        self.go()  # one that is held could not end in good order
        self._signal_leader(signal.SIGTERM)
        until = time.monotonic() + GRACE_S
        while (code := self.exit_code) is None:
            if time.monotonic() > until:
                self._signal_leader(signal.SIGKILL)
            time.sleep(LOOK_S)
        return code

    def last_words(self) -> str:
        """Last lines of its standard error."""
        size = os.fstat(self._errors.fileno()).st_size
        text = os.pread(self._errors.fileno(), LAST_BYTES, max(0, size - LAST_BYTES)).decode(errors="replace")
        return "\n".join([line.rstrip() for line in text.splitlines() if line.strip()][-LAST_LINES:])

    def close(self) -> None:
        """End it if need be; let go of what belongs to it."""
        if self.exit_code is None:
            self.end()
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._ring.close()
        self._errors.close()

    def _gone(self) -> bool:
        return os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None

    def _signal_leader(self, number: int) -> None:
        with self._lock:
            if self._process.returncode is None:
                self._process.send_signal(number)

    def _signal_group(self, number: int) -> None:
        with suppress(ProcessLookupError, PermissionError):  # Darwin says the latter of a group of the dead
            os.killpg(self.pid, number)

    def _write(self, letter: bytes) -> None:
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):  # it is gone: ``exit_code`` tells
            self._process.stdin.write(letter)

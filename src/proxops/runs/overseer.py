"""A run that another process oversees: it tells how far it is, is held and let go, and does not outlive who started it.

Two ways between the two. A ring in shared memory carries the progress: telling never blocks, whether somebody reads or not. The
run's standard input is a pipe that carries single letters, hold and go; its end, or another parent than the one that the ring
names, means that the overseer is gone: the run is then ended, and if it does not go, killed with all it has started.
Holding is asked for between two steps, never inside one, so no time limit of a step can run out meanwhile.
"""

from __future__ import annotations

import os
import select
import signal
import threading
import time
from pathlib import Path
from typing import Final

import numpy as np

from proxops.core.ring import Ring, bytes_of

PROGRESS_DTYPE: Final = np.dtype(
    [("parent", "<i8"), ("begun", "<i8"), ("held", "<i8"), ("t_s", "<f8"), ("of_s", "<f8"), ("what", "S48")]
)
SLOTS: Final = 16
STDIN: Final = 0
HOLD: Final = b"h"
GO: Final = b"g"
LOOK_S: Final = 0.25  # between looks at the parent
GRACE_S: Final = 2.0  # to end in good order
TELL_S: Final = 0.05  # wall time between two tellings


def progress_ring() -> Ring:
    """The overseer's end: a ring whose first record names this process as the parent."""
    ring, first = Ring.create("progress", PROGRESS_DTYPE, SLOTS), np.zeros(1, PROGRESS_DTYPE)
    first[0]["parent"] = os.getpid()
    ring.push(bytes_of(first))
    return ring


class Overseer:
    """The run's end. Without a ring nobody oversees it, and nothing here does anything."""

    def __init__(self, ring: Path | None) -> None:
        self._ring, self._going, self._told_s = None, threading.Event(), 0.0
        self._going.set()
        if ring is None:
            return
        self._ring = Ring.attach(ring, PROGRESS_DTYPE)
        first = self._ring.latest()
        assert first is not None
        self._record = first.reshape(1)
        self._parent = int(first["parent"])
        self._heard(0.0)  # it may be held before its first step
        threading.Thread(target=self._listen, daemon=True, name="overseer").start()

    @property
    def watching(self) -> bool:
        """Somebody oversees this run."""
        return self._ring is not None

    def tell(self, what: str, t_s: float, of_s: float) -> None:
        """How far: ``t_s`` of ``of_s`` seconds of the run's own time. The first telling says that it has begun."""
        now = time.monotonic()
        if self._ring is None or now - self._told_s < TELL_S:
            return
        self._told_s = now
        row = self._record[0]
        row["begun"], row["t_s"], row["of_s"], row["what"] = 1, t_s, of_s, what.encode()[:48]
        self._ring.push(bytes_of(self._record))

    def wait_while_held(self) -> bool:
        """Between two steps: come back when the run may go on. True if it was held, so that no clock may count the time."""
        if self._going.is_set():
            return False
        self._say_held(1)
        self._going.wait()
        self._say_held(0)
        return True

    def _say_held(self, held: int) -> None:
        assert self._ring is not None
        self._record[0]["held"] = held
        self._ring.push(bytes_of(self._record))

    def _listen(self) -> None:
        while os.getppid() == self._parent and self._heard(LOOK_S):
            pass
        self._abandoned()

    def _heard(self, wait_s: float) -> bool:
        """Obey what comes within ``wait_s``; False at the end of the pipe."""
        ready, _, _ = select.select([STDIN], [], [], wait_s)
        letters = os.read(STDIN, 64) if ready else None
        if letters:
            (self._going.clear if letters.endswith(HOLD) else self._going.set)()
        return letters != b""

    def _abandoned(self) -> None:
        """Nobody wants this run any more. What it has started goes with it, where it leads a group of its own."""
        self._going.set()
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(GRACE_S)
        if os.getpgrp() == os.getpid():
            os.killpg(os.getpid(), signal.SIGKILL)
        os.kill(os.getpid(), signal.SIGKILL)

"""What killed processes left in shared memory: rings that nobody maps any more, and trajectories that were never taken.

Every process that has a ring mapped holds a shared lock on it (``core/ring.py``), which the kernel gives up with the process,
however that ends. Who gets the exclusive lock knows that owner, recorder and watchers are all gone. No number of a process
is asked: numbers come again, and in a container they are others.

No record is lost by this. A recorder that outlives its facility has the ring mapped and so keeps it until it has drained it.
One that has not come so far finds no ring and ends, but then its facility has died while it waited for it
(``Recorder.wait_ready``), before the first cycle.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import stat
import struct
import time
from pathlib import Path
from typing import Final

from proxops.core.ring import MAGIC, PREFIX, WORDS, shared_folder

FORGOTTEN_S: Final = (
    3600.0  # after which nobody takes a trajectory any more that was laid there; it is a matter of seconds
)
_MAGIC_AT: Final = struct.Struct(f"<{WORDS}q")


def remove_abandoned(folder: Path | None = None, passing: str | None = None, now_s: float | None = None) -> list[Path]:
    """Remove our own abandoned rings from the shared folder, and what begins with ``passing`` and is old; what was removed.

    ``now_s``: Unix time, as files are stamped. Links are never followed, files of other users never touched."""
    now_s, removed = time.time() if now_s is None else now_s, []
    for path in sorted((folder or shared_folder()).glob(f"{PREFIX}*")):
        with contextlib.suppress(OSError):  # gone meanwhile, or not ours to open: then it is not ours to remove
            aged = passing is not None and path.name.startswith(passing)
            if _aged(path, now_s) if aged else _abandoned(path):
                removed.append(path)
    return removed


def _ours(state: os.stat_result) -> bool:
    return stat.S_ISREG(state.st_mode) and state.st_uid == os.geteuid()


def _aged(path: Path, now_s: float) -> bool:
    state = path.lstat()
    if not _ours(state) or now_s - state.st_mtime < FORGOTTEN_S:
        return False
    path.unlink()
    return True


def _abandoned(path: Path) -> bool:
    """True when it was a ring that nobody maps; then it is removed."""
    if not _ours(path.lstat()):
        return False
    fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        if not _ours(os.fstat(fd)) or not _is_ring(fd):
            return False
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)  # BlockingIOError: somebody has it mapped
        path.unlink()  # while it is locked: whoever maps it now asks for the lock first
        return True
    except BlockingIOError:
        return False
    finally:
        os.close(fd)


def _is_ring(fd: int) -> bool:
    head = os.pread(fd, _MAGIC_AT.size, 0)
    return len(head) == _MAGIC_AT.size and _MAGIC_AT.unpack(head)[-1] == MAGIC

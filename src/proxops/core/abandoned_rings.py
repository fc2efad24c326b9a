"""What killed processes left in shared memory: rings that nobody maps any more.

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
from pathlib import Path
from typing import Final

from proxops.core.ring import MAGIC, PREFIX, WORDS, shared_folder

_MAGIC_AT: Final = struct.Struct(f"<{WORDS}q")


def remove_abandoned(folder: Path | None = None) -> list[Path]:
    """Remove our own abandoned rings from the shared folder; what was removed. Links are never followed, files of other users
    never touched."""
    removed = []
    for path in sorted((folder or shared_folder()).glob(f"{PREFIX}*")):
        with contextlib.suppress(OSError):  # gone meanwhile, or not ours to open: then it is not ours to remove
            if _abandoned(path):
                removed.append(path)
    return removed


def _ours(state: os.stat_result) -> bool:
    return stat.S_ISREG(state.st_mode) and state.st_uid == os.geteuid()


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

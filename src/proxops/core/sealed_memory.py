"""Sealed memory: an anonymous file that nobody can change, cut or lengthen any more, its maker included (Linux).

It can be handed to another process as a descriptor: who maps it is safe from SIGBUS and from a change after a check. To ask for
the seals, or to close it, never reaches a file system that could keep the asker waiting.
"""

from __future__ import annotations

import fcntl
import os
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from proxops.core.errors import BadInput, Refused

SEALS: Final[int] = fcntl.F_SEAL_SEAL | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_WRITE
PORTION: Final = 1 << 20


def sealed_memory(name: str, parts: Iterable[Any]) -> int:
    """Descriptor of new sealed memory that holds ``parts`` (bytes or C-contiguous arrays), one after another."""
    fd = os.memfd_create(name, os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    try:
        for part in parts:
            left = memoryview(part).cast("B")
            while left:
                left = left[os.write(fd, left) :]
        fcntl.fcntl(fd, fcntl.F_ADD_SEALS, SEALS)
    except BaseException:
        os.close(fd)
        raise
    return fd


def is_sealed(fd: int) -> bool:
    """Every seal is set. False for whatever else a descriptor can be."""
    try:
        return fcntl.fcntl(fd, fcntl.F_GET_SEALS) & SEALS == SEALS
    except OSError:
        return False


def sealed_copy(path: Path, what: str, largest: int) -> int:
    """Descriptor of a sealed copy of a plain file of at most ``largest`` bytes; ``what`` it is called in errors. Neither a pipe
    nor a device is waited for."""
    if not hasattr(os, "memfd_create"):
        raise Refused(f"{what}: this system has no sealed memory (memfd_create); Linux has")
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise BadInput(f"cannot read the {what}: {error.strerror}", where=str(path)) from None
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise BadInput(f"cannot read the {what}: not a plain file", where=str(path))
        return sealed_memory(what, _portions(fd, path, what, largest))
    except OSError as error:
        raise BadInput(f"cannot read the {what}: {error.strerror}", where=str(path)) from None
    finally:
        os.close(fd)


def _portions(fd: int, path: Path, what: str, largest: int) -> Iterable[bytes]:
    """The file piece by piece: its size may change while it is read, or be a lie (/proc)."""
    size = 0
    while portion := os.read(fd, PORTION):
        size += len(portion)
        if size > largest:
            raise BadInput(f"the {what} is too large", where=str(path), bound=f"{largest} bytes")
        yield portion

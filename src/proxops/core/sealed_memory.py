"""Sealed memory: an anonymous file that nobody can change, cut or lengthen any more, its maker included (Linux).

It can be handed to another process as a descriptor: who maps it is safe from SIGBUS and from a change after a check. To ask for
the seals, or to close it, never reaches a file system that could keep the asker waiting.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from proxops.core.errors import Refused
from proxops.core.user_file import read_bytes

SEALS: Final[int] = fcntl.F_SEAL_SEAL | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_WRITE


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
    """Descriptor of a sealed copy of a plain file of at most ``largest`` bytes; ``what`` it is called in errors."""
    if not hasattr(os, "memfd_create"):
        raise Refused(f"{what}: this system has no sealed memory (memfd_create); Linux has")
    return sealed_memory(what, [read_bytes(path, f"the {what}", largest)])

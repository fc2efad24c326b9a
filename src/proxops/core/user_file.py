"""Reading a file that a user has named: a plain file of a bounded size, or one clear error.

A device never ends, a pipe never begins, and a terminal waits for somebody to type: none of them is opened.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Final

from proxops.core.errors import BadInput

KINDS: Final = {
    stat.S_IFDIR: "a folder",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
}
BOUND: Final = "a plain file"
_FLAGS: Final = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY  # should it become a pipe after the look at it


def opened(path: Path, what: str) -> int:
    """Descriptor of a plain file, which the caller closes; ``what`` is how complaints call it ("the log")."""
    try:
        _demand_plain(os.stat(path), path, what)
        fd = os.open(path, _FLAGS)
    except FileNotFoundError:
        raise BadInput(f"cannot read {what}: no such file", where=str(path)) from None
    except (OSError, ValueError) as reason:  # ValueError: a name with a null byte in it
        raise BadInput(f"cannot read {what}: {_why(reason)}", where=repr(str(path))[1:-1]) from None
    try:
        _demand_plain(os.fstat(fd), path, what)
    except BadInput:
        os.close(fd)
        raise
    return fd


def read_bytes(path: Path, what: str, limit: int) -> bytes:
    """The whole file; BadInput when it is no plain file, cannot be read or has more than ``limit`` bytes."""
    fd = opened(path, what)
    with os.fdopen(fd, "rb") as file:
        _demand_size(os.fstat(fd).st_size, path, what, limit)
        try:
            data = file.read(limit + 1)  # some files of the system say that they are empty and are not; others grow
        except OSError as reason:
            raise BadInput(f"cannot read {what}: {_why(reason)}", where=str(path)) from None
    _demand_size(len(data), path, what, limit)
    return data


def read_text(path: Path, what: str, limit: int, encoding: str = "utf-8") -> str:
    """The same as text, ends of lines as they stand in a text file opened for reading."""
    data = read_bytes(path, what, limit)
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as reason:
        name = "an ASCII file" if encoding == "ascii" else "text in UTF-8"
        raise BadInput(
            f"{what} is not {name}", where=str(path), value=f"byte {data[reason.start]:#04x} at offset {reason.start}"
        ) from None
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def demand_file(path: Path, what: str, limit: int) -> None:
    """For files that a library reads by itself: plain, and of at most ``limit`` bytes."""
    fd = opened(path, what)
    try:
        _demand_size(os.fstat(fd).st_size, path, what, limit)
    finally:
        os.close(fd)


def _demand_plain(state: os.stat_result, path: Path, what: str) -> None:
    if not stat.S_ISREG(state.st_mode):
        kind = KINDS.get(stat.S_IFMT(state.st_mode), "not a file")
        raise BadInput(f"cannot read {what}", where=str(path), value=kind, bound=BOUND)


def _demand_size(size: int, path: Path, what: str, limit: int) -> None:
    if size > limit:
        raise BadInput(f"{what} is too large", where=str(path), value=f"{size} bytes", bound=f"{limit} bytes")


def _why(reason: OSError | ValueError) -> str:
    return reason.strerror or str(reason) if isinstance(reason, OSError) else str(reason)

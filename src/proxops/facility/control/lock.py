"""A facility's claim to its name: a locked file beside its sockets. The system lets go of it when the process ends, however."""

from __future__ import annotations

import fcntl
import itertools
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from proxops.core.control_sockets import ControlSockets, made_folder, own_folders
from proxops.core.errors import BadInput

ANY: Final = "0"


class NameTaken(BadInput):
    """Another facility lives under this name."""


class ControlLock:
    """Held while the facility lives. ``sockets`` is where it may listen, in a folder that is ours alone."""

    def __init__(self, name: str, open_to_others: bool) -> None:
        folder = made_folder(open_to_others)
        for self.name in _names() if name == ANY else (name,):
            self.sockets = ControlSockets.in_folder(folder, self.name)
            try:
                self._fd = self._claim(folder)
                return
            except NameTaken:
                if name != ANY:
                    raise

    def _claim(self, folder: Path) -> int:
        for other in own_folders():
            if other != folder and other.is_dir():  # a name is one facility's, in whichever folder
                os.close(_locked(ControlSockets.in_folder(other, self.name).control))
        return _locked(self.sockets.control)

    def release(self) -> None:
        _file(self.sockets.control).unlink(missing_ok=True)
        os.close(self._fd)


def _names() -> Iterator[str]:
    """After this process; a second facility in it gets a number."""
    yield str(os.getpid())
    yield from (f"{os.getpid()}-{k}" for k in itertools.count(2))


def _file(control: Path) -> Path:
    return control.with_suffix(".lock")


def _locked(control: Path) -> int:
    """A descriptor that holds the lock. A file that its holder has removed meanwhile is not the one that the next will find."""
    path = _file(control)
    while True:
        try:
            fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        except OSError as error:
            raise BadInput(f"cannot open the control channel: {error.strerror}", where=str(path)) from None
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if path.exists() and os.path.samestat(path.stat(), os.fstat(fd)):
                return fd
        except BlockingIOError:
            os.close(fd)
            raise NameTaken(
                "cannot open the control channel: its name is taken", where=str(control),
                way_out="is another facility running? End it, or give this one another name (--control NAME)",
            ) from None  # fmt: skip
        os.close(fd)

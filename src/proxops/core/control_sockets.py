"""Where a facility's control sockets are: two Unix sockets in a folder of the facility's user, named after the facility.

Whoever may enter the folder may try to connect; who may command is decided by the peer's credentials (facility/control/roles.py).
"""

from __future__ import annotations

import os
import re
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from proxops.core.errors import BadInput

NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")
PATH_BYTES: Final = 107  # of a Unix socket's address, on Linux
FOLDER_MODE: Final = 0o711  # others may pass through to a socket whose name they know, not look round


@dataclass(frozen=True)
class ControlSockets:
    """The two ways to one facility: requests, and stops."""

    control: Path
    stop: Path

    @classmethod
    def in_folder(cls, folder: Path, name: str) -> ControlSockets:
        """Of the facility of this name."""
        if not NAME.fullmatch(name):
            raise BadInput("not a facility's name", value=repr(name), bound="letters, digits, - and _, at most 40")
        made = cls(folder / f"control-{name}.sock", folder / f"stop-{name}.sock")
        if len(os.fsencode(made.control)) > PATH_BYTES:
            raise BadInput(
                "the control socket's path is too long", where=str(made.control), bound=f"{PATH_BYTES} bytes",
                way_out="choose a shorter XDG_RUNTIME_DIR",
            )  # fmt: skip
        return made

    @classmethod
    def beside(cls, control: Path) -> ControlSockets:
        """From the path of a control socket, as facility.json names it."""
        if not control.name.startswith("control-"):
            raise BadInput("not a control socket", where=str(control), bound="…/control-NAME.sock")
        return cls(control, control.with_name("stop-" + control.name.removeprefix("control-")))


def private_folder() -> Path | None:
    """The user's own folder for running programs; other users cannot enter it."""
    given = os.environ.get("XDG_RUNTIME_DIR")
    return Path(given) / "proxops" if given else None


def open_folder(uid: int) -> Path:
    """A folder of this user's that others can enter."""
    return Path(tempfile.gettempdir()) / f"proxops-{uid}"


def own_folders() -> list[Path]:
    """Where facilities of this user may be, the private one first."""
    private = private_folder()
    return [private, open_folder(os.getuid())] if private else [open_folder(os.getuid())]


def made_folder(open_to_others: bool) -> Path:
    """The folder for a facility's sockets, made if need be. One that others could write into is refused."""
    private = private_folder()
    folder = open_folder(os.getuid()) if open_to_others or private is None else private
    try:
        folder.mkdir(FOLDER_MODE, exist_ok=True)
    except OSError as error:
        raise _unfit(folder, f"cannot be made: {error.strerror}") from None
    check_owner(folder, os.getuid())
    folder.chmod(FOLDER_MODE)  # whatever the umask has made of it
    return folder


def check_owner(folder: Path, uid: int) -> None:
    """Refuse a folder that is not this user's alone: somebody else could have put a socket there."""
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode):
        raise _unfit(folder, "is not a folder")
    if found.st_uid != uid:
        raise _unfit(folder, f"belongs to user id {found.st_uid}, not {uid}")
    if found.st_mode & 0o022:
        raise _unfit(folder, f"can be written by others (mode {stat.S_IMODE(found.st_mode):o})")


def _unfit(folder: Path, why: str) -> BadInput:
    return BadInput(
        f"folder of the control sockets {why}", where=str(folder),
        way_out="remove it, or set XDG_RUNTIME_DIR to a folder of your own",
    )  # fmt: skip


def found_sockets(control: str) -> list[ControlSockets]:
    """Where the facility that a person names may be: NAME of one's own, USER@NAME of another's, or a control socket's path."""
    if "/" in control:
        return [ControlSockets.beside(Path(control))]
    user, at, name = control.rpartition("@")
    if not at:
        return [ControlSockets.in_folder(folder, name) for folder in own_folders()]
    folder, uid = open_folder(_uid_of(user)), _uid_of(user)
    if folder.exists():
        check_owner(folder, uid)
    return [ControlSockets.in_folder(folder, name)]


def address_of(text: str) -> tuple[str, int]:
    """HOST:PORT of control over the network."""
    host, colon, port = text.rpartition(":")
    if not (colon and host and port.isascii() and port.isdigit() and int(port) < 65535):
        raise BadInput("not an address", value=repr(text), bound="HOST:PORT with a port below 65535")
    return host, int(port)


def _uid_of(user: str) -> int:
    import pwd  # late: there is none beyond Unix, where the other clients work all the same

    try:
        return pwd.getpwnam(user).pw_uid
    except KeyError:
        raise BadInput("no such user on this machine", value=repr(user)) from None

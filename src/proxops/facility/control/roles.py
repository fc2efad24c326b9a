"""Who may ask for what: roles, the least role of every verb, and the role of whoever is at the other end of a Unix socket.

Credentials come from the kernel (SO_PEERCRED, SO_PEERGROUPS), never from a directory of users that might be slow to answer:
names of groups are looked up once, when the facility starts.
"""

from __future__ import annotations

import os
import socket
import struct
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from proxops.core.errors import BadInput
from proxops.lab.cell_file import Access


class Role(IntEnum):
    """Each may do what those before it may."""

    WATCH = 1
    OPERATE = 2
    MAINTAIN = 3


LEAST: Final[dict[str, Role]] = {
    "status": Role.WATCH,
    "safe_stop": Role.WATCH,  # whoever may look may stop
    "accept": Role.OPERATE,
    "confirm": Role.OPERATE,
    "designate": Role.OPERATE,
    "drives": Role.OPERATE,
    "jog": Role.OPERATE,
    "load": Role.OPERATE,
    "move_to_start": Role.OPERATE,
    "push": Role.OPERATE,
    "release": Role.OPERATE,
    "reset": Role.OPERATE,
    "select": Role.OPERATE,
    "sine": Role.OPERATE,
    "hardware": Role.MAINTAIN,
    "interlock": Role.MAINTAIN,
    "shut_down": Role.MAINTAIN,
}
"""The table of docs/interfaces.md. A verb that is not listed needs MAINTAIN."""

OWNER_ONLY: Final = 0o600
CREDENTIALS: Final = struct.Struct("3i")  # process, user, group
PEER_GROUPS: Final = 59  # SO_PEERGROUPS of Linux, which Python does not name
GROUPS_BYTES: Final = 1024  # 256 groups: as much as Python asks for in one go


@dataclass(frozen=True)
class Peer:
    """Who is at the other end, as the kernel says."""

    uid: int
    gids: frozenset[int]
    pid: int = 0


def peer_of(connection: socket.socket) -> Peer:
    """Credentials as they were when the peer connected. Never blocks."""
    pid, uid, gid = CREDENTIALS.unpack(connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, CREDENTIALS.size))
    try:
        told = connection.getsockopt(socket.SOL_SOCKET, PEER_GROUPS, GROUPS_BYTES)
    except OSError:  # an old kernel, or more groups than that: then only the peer's first group counts
        told = b""
    return Peer(uid, frozenset({gid, *struct.unpack(f"{len(told) // 4}I", told)}), pid)


class AccessControl:
    """Gives roles: MAINTAIN to the facility's own user and root, to members of groups what the cell file says."""

    def __init__(self, access: Access | None) -> None:
        self._owners = frozenset({0, os.getuid()})
        self._roles = [] if access is None else _gids(access)
        self.mode = OWNER_ONLY if access is None else 0o666  # of the sockets; with groups the credentials decide

    @property
    def open_to_others(self) -> bool:
        return self.mode != OWNER_ONLY

    def role_of(self, peer: Peer) -> Role | None:
        """The most that this peer may; None: nothing at all."""
        if peer.uid in self._owners:
            return Role.MAINTAIN
        return max((role for gid, role in self._roles if gid in peer.gids), default=None)


def _gids(access: Access) -> list[tuple[int, Role]]:
    """Group ids of the cell file's names; one that this machine does not know is an error before anything listens."""
    import grp

    found = []
    for role in Role:
        name = getattr(access, f"{role.name.lower()}_group")
        if name is None:
            continue
        try:
            found.append((grp.getgrnam(name).gr_gid, role))
        except KeyError:
            raise BadInput(
                f"access.{role.name.lower()}_group: no such group on this machine", value=repr(name),
                way_out=f"make it (groupadd {name}) or take it out of the cell file",
            ) from None  # fmt: skip
    return found

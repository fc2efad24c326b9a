"""A Unix socket that listens, its connections, and which of them have something to say. Nothing here blocks.

Level-triggered epoll tells who is readable. Whoever is gets its turn in the order of becoming so: a sender of a thousand
messages waits for its next turn like everybody else. The number of connections is bounded; when the house is full, the
process with the most connections loses the one that has been silent for longest: a crowd is its own loss.
"""

from __future__ import annotations

import contextlib
import errno
import os
import select
import socket
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Final

from proxops.core.errors import BadInput
from proxops.facility.control.requests import Asker
from proxops.facility.control.roles import AccessControl, peer_of

STRANGERS: Final = 8  # sent away before the next is asked who it is
NO_ROOM: Final = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
UNWELCOME: Final = (
    b'{"ok": false, "exit": 1, "error": "no access: your user is in none of the groups of the cell file"}'
)


class Connection:
    """One peer. ``spoke`` is the turn in which it was heard last; 0: never."""

    def __init__(self, opened: socket.socket, asker: Asker, pid: int) -> None:
        self.socket, self.asker, self.pid, self.spoke = opened, asker, pid, 0
        self.fd = opened.fileno()

    def send(self, data: bytes) -> bool:
        """False when the peer is gone or does not read: then it is not worth keeping."""
        try:
            self.socket.send(data, socket.MSG_DONTWAIT | socket.MSG_NOSIGNAL)
        except OSError:
            return False
        return True


class ListeningSocket:
    """``look`` every cycle, then take turns with ``next``."""

    def __init__(self, path: Path, entry: AccessControl, *, most: int, backlog: int) -> None:
        self.path, self._entry, self._most = path, entry, most
        self._listening = _listening(path, entry.mode, backlog)
        self._epoll = select.epoll()
        self._epoll.register(self._listening, select.EPOLLIN)
        self._door = self._listening.fileno()
        self.connections: dict[int, Connection] = {}
        self._ready: dict[int, None] = {}  # readable and not heard yet, in order
        self._turn = 0
        self.unwelcome = self.evicted = self.dropped = 0

    def watch(self, opened: socket.socket) -> None:
        """Tell of another socket, too, in the same look."""
        self._epoll.register(opened, select.EPOLLIN)

    def look(self) -> list[int]:
        """Note who is readable; the rest of what was found: sockets that are only watched, and the door where somebody waits."""
        found = self._epoll.poll(0, self._most + 3)
        if not found:
            return []
        others = []
        for fd, _ in found:
            if fd in self.connections:
                self._ready.setdefault(fd)
            else:
                others.append(fd)
        return others

    def knocked(self, others: list[int]) -> bool:
        """True when somebody waits at the door."""
        return self._door in others

    @property
    def waiting(self) -> int:
        """How many are readable and have not had their turn."""
        return len(self._ready)

    def next(self) -> Connection | None:
        """Whose turn it is."""
        for fd in self._ready:
            del self._ready[fd]
            self._turn += 1
            connection = self.connections[fd]
            connection.spoke = self._turn
            return connection
        return None

    def accept(self, before_eviction: Callable[[Connection], None] = lambda c: None) -> Connection | None:
        """Let in the next that may enter; None when nobody waits. Who has no role is told so and sent away."""
        for _ in range(STRANGERS):
            try:
                opened, _ = self._listening.accept()
            except OSError as error:
                if error.errno in NO_ROOM and self.connections:  # no descriptors left: make room, try again next cycle
                    self._evict(before_eviction)
                return None
            opened.setblocking(False)
            peer = peer_of(opened)
            role = self._entry.role_of(peer)
            if role is not None:
                return self._take_in(opened, Asker(f"user id {peer.uid}", role), peer.pid, before_eviction)
            self.unwelcome += 1
            with contextlib.suppress(OSError):  # it may be gone already
                opened.send(UNWELCOME, socket.MSG_NOSIGNAL)
                opened.recv(1)  # closed with something unread, the connection would lose our word as well
            opened.close()
        return None

    def _take_in(
        self, opened: socket.socket, asker: Asker, pid: int, before_eviction: Callable[[Connection], None]
    ) -> Connection:
        if len(self.connections) >= self._most:
            self._evict(before_eviction)
        made = Connection(opened, asker, pid)
        self.connections[made.fd] = made
        self._epoll.register(made.fd, select.EPOLLIN)
        return made

    def _evict(self, before: Callable[[Connection], None]) -> None:
        crowd = Counter(c.pid for c in self.connections.values()).most_common(1)[0][0]
        silent = min((c for c in self.connections.values() if c.pid == crowd), key=lambda c: c.spoke)
        before(silent)
        if silent.fd in self.connections:
            self.evicted += 1
            self.drop(silent)

    def drop(self, connection: Connection) -> None:
        """Close it and forget it."""
        if self.connections.pop(connection.fd, None) is None:
            return
        self._ready.pop(connection.fd, None)
        self._epoll.unregister(connection.fd)
        connection.socket.close()

    def close(self) -> None:
        for connection in list(self.connections.values()):
            self.drop(connection)
        self._epoll.close()
        self._listening.close()
        self.path.unlink(missing_ok=True)


def _listening(path: Path, mode: int, backlog: int) -> socket.socket:
    """Bound and with its mode before anybody can connect. What a dead facility left is replaced: the lock tells it from a
    living one (control_lock.py)."""
    opened = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    try:
        path.unlink(missing_ok=True)
        opened.bind(os.fspath(path))
        path.chmod(mode)
        opened.setblocking(False)
        opened.listen(backlog)
    except OSError as error:
        opened.close()
        raise BadInput(f"cannot open the control channel: {error.strerror}", where=str(path)) from None
    return opened

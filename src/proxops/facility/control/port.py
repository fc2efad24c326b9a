"""Control requests over a Unix socket: a few each cycle, one of each connection, within a time of their own."""

from __future__ import annotations

import os
import socket
import time
from pathlib import Path
from typing import Final

from proxops.core.channel import REQUEST_BYTES
from proxops.core.errors import EXIT_BAD_INPUT
from proxops.facility.control.listening_socket import Connection, ListeningSocket
from proxops.facility.control.requests import Requests
from proxops.facility.control.roles import AccessControl

BUDGET_NS: Final = 400_000  # of one cycle
REQUESTS: Final = 4  # of one cycle, at most one of each connection
CONNECTIONS: Final = 64
DOOR: Final = 4  # let in per cycle
TOO_LONG: Final = (
    f'{{"ok": false, "exit": {EXIT_BAD_INPUT}, "error": "control request of more than {REQUEST_BYTES} bytes"}}'.encode()
)


class ControlPort:
    """``serve`` every cycle. Never blocks; never longer than its budget and one request."""

    def __init__(self, path: Path, entry: AccessControl, requests: Requests) -> None:
        self._requests = requests
        self.listening = ListeningSocket(path, entry, most=CONNECTIONS, backlog=CONNECTIONS)

    def serve(self) -> list[int]:
        """Hear those whose turn it is; what else was found readable."""
        listening = self.listening
        others = listening.look()
        if others or listening.waiting:
            until = time.perf_counter_ns() + BUDGET_NS
            for _ in range(REQUESTS):
                connection = listening.next()
                if connection is None:
                    break
                self._hear(connection)
                if time.perf_counter_ns() > until:
                    break
            if listening.knocked(others):
                for _ in range(DOOR):
                    if listening.accept() is None or time.perf_counter_ns() > until:
                        break
        return others

    def _hear(self, connection: Connection) -> None:
        try:
            data, fds, flags, _ = socket.recv_fds(connection.socket, REQUEST_BYTES, 1, socket.MSG_CMSG_CLOEXEC)
        except BlockingIOError:
            return
        except OSError:  # it is gone
            self.listening.drop(connection)
            return
        for surplus in fds[1:]:
            os.close(surplus)
        fd = fds[0] if fds else None
        if flags & socket.MSG_TRUNC:
            if fd is not None:
                os.close(fd)
            reply = TOO_LONG
        elif data:
            reply = self._requests.answer(data, connection.asker, fd)
        else:  # goodbye
            if fd is not None:
                os.close(fd)
            self.listening.drop(connection)
            return
        if not connection.send(reply):
            self.listening.dropped += 1
            self.listening.drop(connection)

    def close(self) -> None:
        self.listening.close()

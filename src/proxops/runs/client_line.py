"""A client's socket to the bridge: packets go whether somebody listens or not, statuses are for others."""

from __future__ import annotations

import socket
from contextlib import suppress

from proxops.core.datagram import Malformed
from proxops.core.keyed_datagram import BRIDGE_LABEL, ClientSeal


class ClientLine:
    """Never blocks. ``key``: of the facility, if it has one."""

    def __init__(self, host: str, port: int, key: bytes | None = None) -> None:
        self._seal = ClientSeal(key, BRIDGE_LABEL) if key else None
        self._socket, self._to = socket.socket(socket.AF_INET, socket.SOCK_DGRAM), (host, port)
        self._socket.setblocking(False)

    def send(self, data: bytes) -> None:
        """One packet; what has come back meanwhile is thrown away, or it would fill the socket, but for the challenge."""
        try:
            self._socket.sendto(self._seal.seal(data) if self._seal else data, self._to)
        except OSError:  # nobody listens yet, or any more
            return
        while True:
            try:
                told = self._socket.recv(2048)
            except (BlockingIOError, ConnectionError):
                return
            if self._seal:
                with suppress(Malformed):  # of somebody else: as if it had not come
                    self._seal.open(told)

    def close(self) -> None:
        self._socket.close()

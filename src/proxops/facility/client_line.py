"""A client's socket to the bridge: packets go whether somebody listens or not, statuses are for others."""

from __future__ import annotations

import socket


class ClientLine:
    """Never blocks."""

    def __init__(self, host: str, port: int) -> None:
        self._socket, self._to = socket.socket(socket.AF_INET, socket.SOCK_DGRAM), (host, port)
        self._socket.setblocking(False)

    def send(self, data: bytes) -> None:
        """One packet; what has come back meanwhile is thrown away, or it would fill the socket."""
        try:
            self._socket.sendto(data, self._to)
        except OSError:  # nobody listens yet, or any more
            return
        while True:
            try:
                self._socket.recv(2048)
            except (BlockingIOError, ConnectionError):
                return

    def close(self) -> None:
        self._socket.close()

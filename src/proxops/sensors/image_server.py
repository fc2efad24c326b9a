"""Images for others over TCP: an on-board computer, a viewer, another simulator. Frames as docs/images_interface.md says.

Nothing waits here: ``send`` and ``poll`` write what the sockets take. Each client has at most ``WAITING`` frames before it, the
one that it is being sent included; when there are more, it loses the oldest that has not begun, whole. The bytes are shared.
"""

from __future__ import annotations

import socket
from collections import deque
from contextlib import suppress
from typing import Final

from proxops.core.channel import Address
from proxops.core.errors import BadInput
from proxops.core.image_frame import frame_of
from proxops.core.images import Image

PORT: Final = 47260
WAITING: Final = 3
MOST_CLIENTS: Final = 8
SEND_BUFFER: Final = 4 * 1024 * 1024  # asked of the system, which may give less
_AT_ONCE: Final = 64 * 1024  # read of what clients say, which is nothing


def listening_at(at: Address) -> socket.socket:
    """BadInput if nobody can listen there."""
    try:
        return socket.create_server(at, backlog=MOST_CLIENTS)
    except (OSError, OverflowError) as reason:
        why, where = getattr(reason, "strerror", None) or reason, f"{at[0]}:{at[1]}"
        raise BadInput(f"images cannot be served: {why}", where=where, way_out="another port") from None


class ImageServer:
    """Listens on loopback unless told otherwise; port 0 takes any (``address`` says which). ``at``: or a socket that listens."""

    def __init__(self, at: Address | socket.socket = ("127.0.0.1", PORT)) -> None:
        self._listening = at if isinstance(at, socket.socket) else listening_at(at)
        self._listening.setblocking(False)
        self._clients: list[_Listener] = []
        self.lost = 0  # frames of all clients, gone ones included
        self.refused = 0  # clients beyond MOST_CLIENTS

    @property
    def address(self) -> Address:
        host, port = self._listening.getsockname()[:2]
        return str(host), int(port)

    @property
    def clients(self) -> dict[str, tuple[int, int]]:
        """Frames sent and lost, by address."""
        return {client.name: (client.sent, client.lost) for client in self._clients}

    def send(self, image: Image, sent_ns: int = 0) -> None:
        """To all that listen now."""
        self.poll()
        if self._clients:
            frame = frame_of(image, sent_ns)
            for client in self._clients:
                self.lost += client.take(frame)
            self._write()

    def poll(self) -> None:
        """Let in who has come, send what waits, forget who has gone: in every turn of the owner's loop."""
        with suppress(BlockingIOError):
            while True:
                self._let_in(*self._listening.accept())
        self._write()

    def _let_in(self, client: socket.socket, address: tuple[str, int]) -> None:
        if len(self._clients) >= MOST_CLIENTS:
            self.refused += 1
            client.close()
            return
        client.setblocking(False)
        client.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._clients.append(_Listener(client, f"{address[0]}:{address[1]}"))

    def _write(self) -> None:
        for client in self._clients:
            client.write()
        self._clients = [client for client in self._clients if client.here]

    def close(self) -> None:
        for client in self._clients:
            client.close()
        self._clients = []
        self._listening.close()


class _Listener:
    """One client with the frames that wait for it."""

    def __init__(self, client: socket.socket, name: str) -> None:
        self._socket, self.name, self.here = client, name, True
        self._frames: deque[bytes] = deque()
        self._written = 0  # bytes of the first
        self.sent = self.lost = 0

    def take(self, frame: bytes) -> int:
        """One more; how many had to go."""
        self._frames.append(frame)
        if len(self._frames) <= WAITING:
            return 0
        del self._frames[1 if self._written else 0]
        self.lost += 1
        return 1

    def write(self) -> None:
        try:
            if self._socket.recv(_AT_ONCE) == b"":
                return self.close()
        except BlockingIOError:
            pass
        except OSError:
            return self.close()
        try:
            while self._frames:
                self._written += self._socket.send(memoryview(self._frames[0])[self._written :])
                if self._written == len(self._frames[0]):
                    self._frames.popleft()
                    self._written, self.sent = 0, self.sent + 1
        except BlockingIOError:
            pass
        except OSError:
            self.close()

    def close(self) -> None:
        self.here = False
        self._frames.clear()
        self._socket.close()

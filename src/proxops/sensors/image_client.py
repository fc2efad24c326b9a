"""Images from outside over TCP: a camera on the network, or another simulator. Frames as docs/images_interface.md says.

``poll`` never waits and never raises for what the other side does: it connects, and again when it must, takes what has come and
says what is wrong (``stream.conditions``). Memory is bounded by one frame.
"""

from __future__ import annotations

import errno
import os
import socket
from typing import Final

from proxops.core.channel import Address
from proxops.core.image_frame import MOST_BYTES, FrameHeader, FrameKind, FrameReader
from proxops.core.images import Image
from proxops.sensors.image_stream import ImageStream, StreamCondition

AGAIN_S: Final = 1.0  # between attempts to connect
READ_BYTES: Final = 256 * 1024
READS: Final = 8, 64  # of a poll, at most; as many as a frame asks for, between 2 and 16 MB: no flood holds who polls
_PENDING: Final = (errno.EINPROGRESS, errno.EALREADY, errno.EWOULDBLOCK)


class ImageClient:
    """``most_bytes``: of a frame; what the lens and the depth of pixels ask for is enough. ``sensor``: take only frames of this
    name, or of any."""

    def __init__(
        self, server: Address, stream: ImageStream | None = None, *, sensor: str = "", most_bytes: int = MOST_BYTES
    ) -> None:
        self.stream = stream or ImageStream()
        self.server, self._sensor, self._most = server, sensor, most_bytes
        self._reads = min(max(READS[0], most_bytes // READ_BYTES + 1), READS[1])
        self._reader = FrameReader(most_bytes)
        self._socket: socket.socket | None = None
        self._connected = False
        self._next_try_s = float("-inf")
        self.damaged = 0  # frames of earlier connections
        self._told = 0  # damaged frames that a condition has named

    def poll(self, now_s: float) -> list[Image]:
        """What has become whole; ``now_s`` by any clock that goes on."""
        found: list[Image] = []
        if self._connecting(now_s):
            for header, image in self._reader.feed(self._received(now_s)):
                if header.sensor == (self._sensor or header.sensor) and self._fits(now_s, header):
                    found.append(image)
        self._judge(now_s, whole=bool(found))
        return found

    def close(self) -> None:
        if self._socket is not None:
            self._socket.close()
        self._socket, self._connected = None, False

    def _fits(self, now_s: float, header: FrameHeader) -> bool:
        size = None if header.kind is FrameKind.LIDAR else (header.width, header.height)
        return self.stream.fits(now_s, header.number, size, header.payload_crc)

    def _judge(self, now_s: float, *, whole: bool) -> None:
        self.stream.look(now_s)
        damaged = self.damaged + self._reader.damaged
        if large := self._reader.too_large:
            words = f"{large.width} x {large.height} of {large.bits} bits, {large.size} bytes of at most {self._most}: not used"
            self.stream.put(StreamCondition.WRONG_SIZE, words)
            self._reader.too_large = None
        if damaged > self._told:
            words = f"{damaged} frames were damaged or none; {self._reader.skipped} bytes were passed over"
            self.stream.put(StreamCondition.DAMAGED, words)
        elif whole:
            self.stream.put(StreamCondition.DAMAGED, "")
        self._told = damaged

    def _connecting(self, now_s: float) -> bool:
        """Whether there is a connection to read from."""
        if self._connected:
            return True
        if self._socket is None:
            if now_s < self._next_try_s:
                return False
            self._next_try_s = now_s + AGAIN_S
            self._socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
            self._socket.setblocking(False)
        try:
            said = self._socket.connect_ex(self.server)
        except OSError as reason:  # a name that nobody knows
            said = reason.errno or errno.EHOSTUNREACH
        self._connected = said in (0, errno.EISCONN)
        if self._connected:
            self.damaged, self._reader = self.damaged + self._reader.damaged, FrameReader(self._most)
            self.stream.put(StreamCondition.NOT_CONNECTED, "")
        elif said not in _PENDING:
            self._give_up(os.strerror(said))
        return self._connected

    def _received(self, now_s: float) -> bytes:
        assert self._socket is not None
        parts: list[bytes] = []
        try:
            for _ in range(self._reads):
                parts.append(self._socket.recv(READ_BYTES))
                if not parts[-1]:
                    self._give_up("the other side has closed the connection")
                    break
        except BlockingIOError:
            pass
        except OSError as reason:
            self._give_up(str(reason.strerror))
        self._next_try_s = now_s + AGAIN_S if not self._connected else self._next_try_s
        return b"".join(parts)

    def _give_up(self, why: str) -> None:
        self.close()
        self.stream.put(
            StreamCondition.NOT_CONNECTED, f"{self.server[0]}:{self.server[1]}: {why}; tried again every second"
        )

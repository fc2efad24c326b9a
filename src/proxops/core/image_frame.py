"""Images on the wire: a header of 96 bytes, then raw pixels, over TCP; byte by byte in docs/images_interface.md.

Pure packing and checking; sockets are elsewhere. Little-endian. Times are nanoseconds, the rest SI, but for the gain (dB).
"""

from __future__ import annotations

import re
import struct
import zlib
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.images import CameraImage, DepthImage, Image
from proxops.core.point_file import POINT, point_rows, scan_of_rows

MAGIC: Final = b"PXIM"
VERSION: Final = 1
_HEADER: Final = struct.Struct("<4sHH20sQqqQdIIHHIII")
_CRC: Final = struct.Struct("<I")
HEADER_SIZE: Final = _HEADER.size + _CRC.size
MOST_BYTES: Final = 64 * 1024 * 1024  # of what follows a header
MOST_PIXELS: Final = 16_384  # along a side
TIME_MAX_NS: Final = 2**62
MOST_NUMBER: Final = 2**32 - 1  # of an image, as in the log
MOST_SEARCHES: Final = 32  # for a header, in what is fed at once: each may cost a checksum of a whole frame
_NAME_BYTES: Final = 20
_NAME: Final = re.compile(rb"[a-z][a-z0-9_]{0,19}\0*")


class FrameKind(IntEnum):
    CAMERA = 1
    TOF = 2
    LIDAR = 3


class BadFrame(ValueError):
    """What was received is no frame, or a damaged one."""


@dataclass(frozen=True)
class FrameHeader:
    """``height`` of a scan: 1, and ``width`` its points. ``payload_crc`` tells also whether two frames show the same."""

    kind: FrameKind
    sensor: str
    number: int
    t_ns: int  # middle of the exposure, on the sender's clock
    sent_ns: int  # UTC, 0 if the sender does not know it
    exposure_ns: int
    gain_db: float
    width: int
    height: int
    bits: int
    white: int
    size: int  # bytes that follow
    payload_crc: int


def frame_of(image: Image, sent_ns: int = 0) -> bytes:
    """Header and pixels."""
    if isinstance(image, CameraImage):
        kind, (height, width), wide = FrameKind.CAMERA, image.pixels.shape, image.pixels.dtype != np.uint8
        payload = image.pixels.astype("<u2" if wide else np.uint8, copy=False).tobytes()
        bits, more = 16 if wide else 8, (round(image.exposure_s * 1e9), image.gain_db, image.white)
    elif isinstance(image, DepthImage):
        kind, (height, width), bits, more = FrameKind.TOF, image.range_m.shape, 32, (0, 0.0, 0)
        payload = image.range_m.astype("<f4").tobytes() + image.intensity.astype("<u2").tobytes()
    else:
        kind, (height, width), bits, more = FrameKind.LIDAR, (1, len(image.points_m)), 32, (0, 0.0, 0)
        payload = point_rows(image).tobytes()
    if len(payload) > MOST_BYTES:
        raise BadFrame(f"{len(payload)} bytes do not fit a frame of {MOST_BYTES}")
    exposure_ns, gain_db, white = more
    try:
        head = _HEADER.pack(
            MAGIC, VERSION, kind, image.sensor.encode(), image.number, round(image.t * 1e9), sent_ns, exposure_ns, gain_db,
            width, height, bits, 0, white, len(payload), zlib.crc32(payload),
        )  # fmt: skip
        frame = head + _CRC.pack(zlib.crc32(head)) + payload
        if len(image.sensor) > _NAME_BYTES:
            raise BadFrame(f"the name {image.sensor} is longer than {_NAME_BYTES}")
        read_header(frame)  # what cannot be received is not sent
    except (struct.error, OverflowError, ValueError) as reason:
        raise BadFrame(f"image {image.number} of {image.sensor} cannot be sent: {reason}") from None
    return frame


def read_header(data: bytes | bytearray | memoryview) -> FrameHeader:
    """Of the first HEADER_SIZE bytes; BadFrame when they are none or say what cannot be."""
    head = bytes(data[: _HEADER.size])
    if len(data) < HEADER_SIZE or head[:4] != MAGIC:
        raise BadFrame("no header")
    if _CRC.unpack_from(data, _HEADER.size)[0] != zlib.crc32(head):
        raise BadFrame("the header is damaged")
    _, version, kind, name, number, t, sent, exposure, gain, width, height, bits, _, white, size, crc = _HEADER.unpack(
        head
    )
    if version != VERSION or kind not in tuple(FrameKind):
        raise BadFrame(f"version {version} and kind {kind} are unknown")
    if not _NAME.fullmatch(name):
        raise BadFrame("a name of up to 20 small letters, digits and _ was expected")
    header = FrameHeader(
        FrameKind(kind),
        name.rstrip(b"\0").decode(),
        number,
        t,
        sent,
        exposure,
        gain,
        width,
        height,
        bits,
        white,
        size,
        crc,
    )
    _demand_sense(header)
    return header


def _demand_sense(h: FrameHeader) -> None:
    pixels = h.width * h.height
    expected = {
        (FrameKind.CAMERA, 8): pixels, (FrameKind.CAMERA, 16): 2 * pixels, (FrameKind.TOF, 32): 6 * pixels,
        (FrameKind.LIDAR, 32): POINT.itemsize * pixels,
    }.get((h.kind, h.bits))  # fmt: skip
    scan = h.kind is FrameKind.LIDAR
    if expected is None or expected != h.size or h.size > MOST_BYTES:
        raise BadFrame(f"{h.width} x {h.height} of {h.bits} bits are not {h.size} bytes")
    if not ((scan and h.height == 1) or (not scan and 0 < h.width <= MOST_PIXELS and 0 < h.height <= MOST_PIXELS)):
        raise BadFrame(f"a size of {h.width} x {h.height}")
    if h.kind is FrameKind.CAMERA and not 0 < h.white < 2**h.bits:
        raise BadFrame(f"white is {h.white} of {h.bits} bits")
    if h.number > MOST_NUMBER:
        raise BadFrame(f"number {h.number}")
    if not (abs(h.t_ns) < TIME_MAX_NS and abs(h.sent_ns) < TIME_MAX_NS and h.exposure_ns < TIME_MAX_NS):
        raise BadFrame("a time beyond 2^62 ns")
    if not abs(h.gain_db) < 1000.0:  # NaN is not below
        raise BadFrame(f"a gain of {h.gain_db} dB")


def image_of(header: FrameHeader, data: bytes) -> Image:
    """BadFrame when the bytes are not those that were sent. The arrays are to be read only."""
    if len(data) != header.size or zlib.crc32(data) != header.payload_crc:
        raise BadFrame("the pixels are damaged")
    name, number, t, shape = header.sensor, header.number, header.t_ns * 1e-9, (header.height, header.width)
    if header.kind is FrameKind.LIDAR:
        return scan_of_rows(name, number, t, np.frombuffer(data, POINT))
    if header.kind is FrameKind.CAMERA:
        pixels: NDArray[np.uint8] | NDArray[np.uint16] = np.frombuffer(data, "<u2" if header.bits == 16 else "u1")
        exposure_s = header.exposure_ns * 1e-9
        return CameraImage(name, number, t, exposure_s, header.gain_db, header.white, pixels.reshape(shape))
    count = header.width * header.height
    ranges = np.frombuffer(data, "<f4", count).reshape(shape)
    return DepthImage(name, number, t, ranges, np.frombuffer(data, "<u2", count, 4 * count).reshape(shape))


class FrameReader:
    """Bytes as they come, frames as they are whole. After anything else it looks for the next header, but not for ever: after
    ``MOST_SEARCHES`` what is there goes. It keeps at most one frame of ``most_bytes`` and what was fed last."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most, self._waiting = most_bytes, bytearray()
        self._header: FrameHeader | None = None  # of the frame that begins ``_waiting``
        self._searches = 0  # in what was fed last
        self._skipping = 0  # bytes that are still to come of a frame that is larger than agreed
        self.too_large: FrameHeader | None = None  # the last of these
        self.damaged = 0  # frames, or what looked like one
        self.skipped = 0  # bytes that belong to no whole frame

    @property
    def waiting(self) -> int:
        """Bytes of a frame that is not whole."""
        return len(self._waiting)

    def feed(self, data: bytes) -> list[tuple[FrameHeader, Image]]:
        """What has become whole."""
        passed = min(self._skipping, len(data))
        self._skipping, self.skipped = self._skipping - passed, self.skipped + passed
        self._waiting += memoryview(data)[passed:]
        self._searches = 0
        found: list[tuple[FrameHeader, Image]] = []
        while self._begun():
            assert self._header is not None
            end = HEADER_SIZE + self._header.size
            if len(self._waiting) < end:
                break
            payload = bytes(memoryview(self._waiting)[HEADER_SIZE:end])
            try:
                found.append((self._header, image_of(self._header, payload)))
            except BadFrame:  # bytes may be missing: the next frame may begin inside
                self._pass_over()
            else:
                del self._waiting[:end]
            self._header = None
        return found

    def _begun(self) -> bool:
        """Whether a good header stands first; what is none is passed over."""
        while self._header is None:
            self._find_magic()
            if len(self._waiting) < HEADER_SIZE:
                return False
            try:
                header = read_header(self._waiting)
            except BadFrame:
                self._pass_over()
                continue
            if header.size > self._most:
                self._skip(header)
            else:
                self._header = header
        return True

    def _skip(self, header: FrameHeader) -> None:
        """A whole frame, unread."""
        self.too_large, self.damaged = header, self.damaged + 1
        size = HEADER_SIZE + header.size
        here = min(size, len(self._waiting))
        self.skipped, self._skipping = self.skipped + here, size - here
        del self._waiting[:here]

    def _find_magic(self) -> None:
        at = self._waiting.find(MAGIC)
        if at < 0:  # its beginning may stand at the end
            at = next(
                (len(self._waiting) - k for k in (3, 2, 1) if self._waiting.endswith(MAGIC[:k])), len(self._waiting)
            )
        self.skipped += at
        del self._waiting[:at]

    def _pass_over(self) -> None:
        """Its first bytes, so that the search goes on behind them; all, where that found nothing again and again."""
        self.damaged, self._searches = self.damaged + 1, self._searches + 1
        passed = len(MAGIC) if self._searches < MOST_SEARCHES else len(self._waiting)
        self.skipped += passed
        del self._waiting[:passed]

"""``foxglove.FrameTransforms`` by the block: the frames of a message stay the same, so only times and poses are filled in.

Every message has the same length: times are varints of five bytes, longer than need be, and zeros are written. Protobuf allows
both.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.ground.wire import varint

SECOND_NS: Final = 1_000_000_000
TIME_BYTES: Final = 5  # of a varint: seconds up to the year 3058
_TIME: Final = b"\x08" + bytes(TIME_BYTES) + b"\x10" + bytes(TIME_BYTES)
_XYZ: Final = b"".join(tag + bytes(8) for tag in (b"\x09", b"\x11", b"\x19"))
_XYZW: Final = _XYZ + b"\x21" + bytes(8)
_WIRE_ORDER: Final = [0, 1, 2, 4, 5, 6, 3]  # of x y z qw qx qy qz: scalar last
Bytes = NDArray[np.uint8]


class TransformRows:
    """Messages with a transform for each pair of ``frames`` (parent, child)."""

    def __init__(self, frames: Sequence[tuple[str, str]]) -> None:
        template, times, doubles = b"", [], []
        for parent, child in frames:
            names = _field(2, parent.encode()) + _field(3, child.encode())
            body = _field(1, _TIME) + names + _field(4, _XYZ) + _field(5, _XYZW)
            end = len(template) + len(_field(1, body))
            seconds = end - len(body) + 3  # behind the tag and length of the time and the tag of its seconds
            times += [seconds, seconds + TIME_BYTES + 1]
            rotation, translation = end - len(_XYZW), end - len(_XYZW) - 2 - len(_XYZ)
            doubles += [translation + 1 + 9 * i for i in range(3)] + [rotation + 1 + 9 * i for i in range(4)]
            template += _field(1, body)
        self._template = np.frombuffer(template, np.uint8)
        self.size = len(template)  # bytes of one message
        # Where each byte of a message comes from in a row of: the template, the time, the poses.
        self._source = np.arange(self.size)
        self._source[_places(times, TIME_BYTES)] = self.size + np.tile(np.arange(2 * TIME_BYTES), len(frames))
        self._source[_places(doubles, 8)] = self.size + 2 * TIME_BYTES + np.arange(8 * len(doubles))

    def rows(self, utc_ns: NDArray[np.int64], poses: NDArray[np.float64]) -> Bytes:
        """Messages (n, size). ``poses`` (n, frames, 7): x y z qw qx qy qz of the child in its parent."""
        count = len(poses)
        seconds, nanos = np.divmod(np.maximum(utc_ns, 0), SECOND_NS)
        values = np.ascontiguousarray(poses[:, :, _WIRE_ORDER], "<f8").view(np.uint8).reshape(count, 8 * poses[0].size)
        template = np.broadcast_to(self._template, (count, self.size))
        parts = np.concatenate([template, _varints(seconds), _varints(nanos), values], axis=1)
        return np.take(parts, self._source, axis=1)


def _field(number: int, body: bytes) -> bytes:
    """A field of variable length: tag, length, bytes."""
    return varint(number << 3 | 2) + varint(len(body)) + body


def _places(starts: list[int], width: int) -> NDArray[np.intp]:
    """Positions of all bytes of values that begin at ``starts``."""
    return (np.array(starts, np.intp)[:, None] + np.arange(width)).ravel()


def _varints(values: NDArray[np.int64]) -> Bytes:
    """(n, 5): seven bits a byte, lowest first, all but the last marked as having a successor."""
    parts = (values[:, None] >> 7 * np.arange(TIME_BYTES)) & 0x7F
    parts[:, :-1] |= 0x80
    return parts.astype(np.uint8)

"""``foxglove.FrameTransforms`` by the block: the frames of a message stay the same, so only times and poses are filled in.

Every message has the same length: times are varints of five bytes, longer than need be, and zeros are written. Protobuf allows
both.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.ground.message_rows import copy_bytes, numbers_in
from proxops.ground.wire import varint
from proxops.maths.kernel import kernel

SECOND_NS: Final = 1_000_000_000
TIME_BYTES: Final = 5  # of a varint: seconds up to the year 3058
_TIME: Final = b"\x08" + bytes(TIME_BYTES) + b"\x10" + bytes(TIME_BYTES)
_TIME_BITS: Final = 2 ** (8 * TIME_BYTES) - 1
_XYZ: Final = b"".join(tag + bytes(8) for tag in (b"\x09", b"\x11", b"\x19"))
_XYZW: Final = _XYZ + b"\x21" + bytes(8)
_ROTATION_ORDER: Final = (3, 0, 1, 2)  # on the wire, of qw qx qy qz: scalar last
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
            doubles += [translation + 1 + 9 * i for i in range(3)] + [rotation + 1 + 9 * i for i in _ROTATION_ORDER]
            template += _field(1, body)
        self._template = np.frombuffer(template, np.uint8)
        self.size = len(template)  # bytes of one message
        self._times, self._doubles = np.array(times, np.int64), np.array(doubles, np.int64)

    def rows(self, utc_ns: NDArray[np.int64], poses: NDArray[np.float64], skip: int = 0) -> Bytes:
        """Messages (n, size), each behind ``skip`` bytes to be filled. ``poses`` (n, frames, 7): x y z qw qx qy qz of the child
        in its parent."""
        count = len(poses)
        out = np.empty((count, skip + self.size), np.uint8)
        values = np.ascontiguousarray(poses, np.float64).view(np.int64).reshape(count, poses[0].size)
        _fill(out, numbers_in(out)[1], self._template, skip + self._times, skip + self._doubles, utc_ns, values)
        return out


@kernel
def _fill(
    out: Bytes, longs: NDArray[np.int64], template: Bytes, times: NDArray[np.int64], doubles: NDArray[np.int64],
    utc_ns: NDArray[np.int64], values: NDArray[np.int64],
) -> None:  # fmt: skip
    """Messages of a template, at the end of each row: seconds and nanoseconds at ``times`` in turn, the bits of doubles at
    ``doubles``. ``longs``: the memory of ``out``, by ``numbers_in``."""
    for row in range(out.shape[0]):
        message = out[row]
        copy_bytes(template, message[message.size - template.size :])
        seconds, nanos = divmod(max(utc_ns[row], 0), SECOND_NS)
        for i in range(times.size):
            longs[row, times[i]] = longs[row, times[i]] & ~_TIME_BITS | long_varint(nanos if i & 1 else seconds)
        for i in range(doubles.size):
            longs[row, doubles[i]] = values[row, i]


@kernel
def long_varint(number: int) -> int:
    """Of ``TIME_BYTES``, as a number: seven bits a byte, lowest first, all but the last marked as having a successor."""
    out = 0
    for k in range(TIME_BYTES):
        out |= ((number >> 7 * k & 0x7F) | (0x80 if k < TIME_BYTES - 1 else 0)) << 8 * k
    return out


def _field(number: int, body: bytes) -> bytes:
    """A field of variable length: tag, length, bytes."""
    return varint(number << 3 | 2) + varint(len(body)) + body

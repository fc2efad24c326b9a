"""From the packed bytes of a chunk to its records, never to more of them than a log can hold.

What a chunk says of its own size is judged before anything is unpacked, and unpacking ends at that size, whatever the packed
bytes say. Measured on logs of a hall at rest, the hardest packing makes a 150th of a chunk and 18 bytes of a record.
Compressions: zstd (ours), lz4 (of older logs) and none.
"""

from __future__ import annotations

import struct
import threading
import zlib
from collections.abc import Iterator
from typing import Final

import lz4.frame
import zstandard
from google.protobuf.message import DecodeError
from mcap.opcode import Opcode

from proxops.ground.mcap_file import RATIO

RECORD: Final = struct.Struct("<BQ")
MESSAGE: Final = struct.Struct("<HIQQ")  # channel, sequence, log time, publish time
CHUNK: Final = struct.Struct("<QQQII")  # start, end, uncompressed size, crc, length of the method's name
LARGEST_CHUNK: Final = 64 * 1024 * 1024  # bytes, unpacked; the recorder's are 0.17 MB, other tools make them of 4 MB
BYTES_PER_RECORD: Final = 4  # packed, at least
FEW: Final = 64  # records that are not counted
DAMAGE: Final = (ValueError, RuntimeError, OverflowError, struct.error, zstandard.ZstdError, DecodeError)
"""What a broken chunk raises."""


def unpacked(data: bytes, start: int, end: int) -> bytes:
    """Records inside the chunk whose body lies between two positions. ValueError when it cannot be what it says."""
    _, _, size, crc, length = CHUNK.unpack_from(data, start)
    start += CHUNK.size
    kind = data[start : start + length].decode("ascii", "replace")
    packed = memoryview(data)[start + length + 8 : end]
    if size > min(LARGEST_CHUNK, RATIO * len(packed)):
        raise ValueError(f"it says that {len(packed)} packed bytes are {size}")
    body = _unpacked_as(kind, packed, size)
    if len(body) != size or (crc and zlib.crc32(body) != crc):
        raise ValueError("checksum does not match")
    _judge(body, FEW + len(packed) // BYTES_PER_RECORD)
    return body


def _judge(body: bytes, most: int) -> None:
    """ValueError for more records than so many bytes can hold, and for messages without a head."""
    for count, (opcode, start, end) in enumerate(records(body, 0, len(body))):
        if count >= most:
            raise ValueError(f"more than {most} records in so few packed bytes")
        if opcode == Opcode.MESSAGE and end - start < MESSAGE.size:
            raise ValueError("a message without its head")


def _unpacked_as(kind: str, packed: memoryview, size: int) -> bytes:
    """At most ``size`` bytes, and one more to tell that there are more."""
    if kind == "":
        return bytes(packed)
    if kind == "lz4":
        body: bytes = lz4.frame.LZ4FrameDecompressor().decompress(packed, max_length=size + 1)
        return body
    if kind == "zstd":
        # The package takes the size from the packed bytes and heeds the bound only where they have none.
        if zstandard.frame_content_size(packed) > size:
            raise ValueError("its packed bytes and its head differ in size")
        return _OF_THIS_THREAD.zstd.decompress(packed, size)
    raise ValueError(f"compression {kind[:20]!r} is unknown")


class _Unpacker(threading.local):
    """One for all chunks of a thread: its memory is as large as many of them, and two threads in the same one crash."""

    def __init__(self) -> None:
        self.zstd = zstandard.ZstdDecompressor(max_window_size=LARGEST_CHUNK)


_OF_THIS_THREAD: Final = _Unpacker()


def records(data: bytes, start: int, stop: int) -> Iterator[tuple[int, int, int]]:
    """Opcode, beginning and end of the body of every whole record between two positions."""
    size, unpack = RECORD.size, RECORD.unpack_from
    while start + size <= stop:
        opcode, length = unpack(data, start)
        start += size
        if opcode == 0 or start + length > stop:
            return
        yield opcode, start, start + length
        start += length

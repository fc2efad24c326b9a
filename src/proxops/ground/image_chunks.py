"""Chunks of a log that hold images only: told by the indexes behind them, so that who wants rows need not unpack them.

The recorder puts what its imaging sensors give into chunks of their own (``viewer_message``). A chunk without indexes may hold
anything.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Collection, Iterable, Iterator
from typing import Final

from mcap.opcode import Opcode
from mcap.records import Channel

SENSOR_TOPICS: Final = "/sensor/"
_INDEX: Final = struct.Struct("<HI")  # channel, bytes of the entries
_RECORD: Final = struct.Struct("<BQ")
_ENTRY_BYTES: Final = 16
_MOST: Final = 1024  # indexes of a chunk that are looked at


def image_channels(channels: Iterable[Channel]) -> frozenset[int]:
    """Numbers of those that carry what sensors see."""
    return frozenset(channel.id for channel in channels if channel.topic.startswith(SENSOR_TOPICS))


def counted_images(fd: int, end: int, channels: Collection[int]) -> dict[int, int]:
    """How many messages of each channel a chunk has whose record ends at byte ``end``; none if it holds, or may hold, others."""
    if not channels:
        return {}
    counts = dict(_indexes(fd, end))
    return counts if counts and set(counts) <= set(channels) else {}


def _indexes(fd: int, at: int) -> Iterator[tuple[int, int]]:
    """Channel and messages, from the index records that begin at byte ``at``."""
    for _ in range(_MOST):
        head = os.pread(fd, _RECORD.size + _INDEX.size, at)
        if len(head) < _RECORD.size + _INDEX.size:
            return
        opcode, length = _RECORD.unpack_from(head)
        if opcode != Opcode.MESSAGE_INDEX:
            return
        channel, size = _INDEX.unpack_from(head, _RECORD.size)
        if size != length - _INDEX.size:
            yield -1, 0  # no channel: the chunk is looked at
            return
        yield channel, size // _ENTRY_BYTES
        at += _RECORD.size + length


def indexed_channels(entry: bytes | memoryview) -> set[int]:
    """Of a chunk index in a summary, from behind its four first numbers on; none when it is not whole."""
    size = int.from_bytes(entry[:4], "little")
    if len(entry) < 4 + size or size % 10:
        return set()
    return {int.from_bytes(entry[at : at + 2], "little") for at in range(4, 4 + size, 10)}

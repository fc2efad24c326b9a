"""The file of an overview: for every chunk of a log when it was and the least and greatest value of every variable.

Little-endian, everything at multiples of 8. A head names the version and the variables. Then come tiles, each of up to 64
blocks (a block is a chunk of the log): their times and places, the events in them, a checksum for every variable, and the
values variable by variable: first the least of all blocks, then the greatest. So one variable over an hour is a kilobyte
from each of some 230 tiles, a tile is written in one go, and a file that ends early is a shorter overview.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.messages import EVENT_DTYPE
from proxops.ground.block_bounds import Floats

MAGIC: Final = b"\x89PXOVW\r\n"
VERSION: Final = 1
TILE_BLOCKS: Final = 64
TILE_EVENTS: Final = 32_768  # with that many a tile is full, too; a chunk has at most half as many
NAMES_BYTES: Final = 4_000_000
BLOCK_DTYPE: Final = np.dtype(
    [
        ("offset", "<i8"), ("length", "<i8"),  # of the chunk's record in the log
        ("utc_first", "<i8"), ("utc_last", "<i8"), ("tick_first", "<i8"), ("tick_last", "<i8"),
        ("t_sim_first", "<f8"), ("t_sim_last", "<f8"),
        ("count", "<i4"),  # pool records; DAMAGED for a chunk that cannot be read
        ("crc", "<u4"),  # of the chunk, as it stands in the log
    ]
)  # fmt: skip
DAMAGED: Final = -1
_HEAD: Final = struct.Struct("<8sIIII")  # magic, version, bytes and checksum of the names, nothing
_TILE: Final = struct.Struct("<4sIII")  # mark, blocks, events, checksum of all but the values
_MARK: Final = b"TILE"

Read = Callable[[int, int], bytes]  # (how many bytes, from where); fewer at the end of the file


class DamagedOverview(Exception):
    """An overview that is not what its checksums say; it is made again from the log."""


@dataclass(frozen=True)
class Tile:
    """Blocks of one tile; ``values_at`` is the byte of the first variable's values, ``sums`` their checksums."""

    blocks: NDArray[np.void]
    events: NDArray[np.void]
    sums: NDArray[np.uint32]
    values_at: int

    @property
    def end(self) -> int:
        """First byte after it."""
        return self.values_at + self.sums.size * self.piece

    @property
    def piece(self) -> int:
        """Bytes of one variable."""
        return 16 * self.blocks.size

    def bounds(self, read: Read, column: int) -> Floats:
        """Row of the least and row of the greatest values of variable number ``column``."""
        data = read(self.piece, self.values_at + column * self.piece)
        if len(data) != self.piece or zlib.crc32(data) != self.sums[column]:
            raise DamagedOverview
        return np.frombuffer(data, "<f8").reshape(2, -1)


def head_bytes(columns: Sequence[str]) -> bytes:
    """Beginning of a file about these variables."""
    names = _padded(json.dumps(list(columns)).encode())
    return _HEAD.pack(MAGIC, VERSION, len(names), zlib.crc32(names), 0) + names


def tile_bytes(blocks: NDArray[np.void], events: NDArray[np.void], low: Floats, high: Floats) -> bytes:
    """A tile; ``low`` and ``high`` have a row each block and a column each variable."""
    values = np.ascontiguousarray(np.stack([low.T, high.T], axis=1), "<f8")
    sums = _padded(np.array([zlib.crc32(piece) for piece in values], "<u4").tobytes())
    rest = blocks.tobytes() + events.tobytes() + sums
    return _TILE.pack(_MARK, len(blocks), len(events), zlib.crc32(rest)) + rest + values.tobytes()


def read_head(read: Read) -> tuple[list[str], int]:
    """Names of the variables and the byte at which the tiles begin."""
    head = read(_HEAD.size, 0)
    if len(head) != _HEAD.size:
        raise DamagedOverview
    magic, version, length, crc, _ = _HEAD.unpack(head)
    if (magic, version) != (MAGIC, VERSION) or length > NAMES_BYTES:
        raise DamagedOverview
    names = read(length, _HEAD.size)
    if len(names) != length or zlib.crc32(names) != crc:
        raise DamagedOverview
    try:
        return json.loads(names), _HEAD.size + length
    except (ValueError, RecursionError):
        raise DamagedOverview from None


def read_tiles(read: Read, columns: int, at: int, size: int) -> Iterator[Tile]:
    """Whole tiles of a file of ``size`` bytes from byte ``at`` on; a damaged one ends them."""
    sums_size = 4 * columns + -4 * columns % 8
    while len(head := read(_TILE.size, at)) == _TILE.size:
        mark, blocks, events, crc = _TILE.unpack(head)
        if mark != _MARK or not 0 < blocks <= TILE_BLOCKS or events > 2 * TILE_EVENTS:
            return
        parts = blocks * BLOCK_DTYPE.itemsize, events * EVENT_DTYPE.itemsize, sums_size
        after = at + _TILE.size + sum(parts) + 16 * blocks * columns
        if after > size:
            return
        rest = read(sum(parts), at + _TILE.size)
        if zlib.crc32(rest) != crc:
            return
        yield Tile(
            np.frombuffer(rest, BLOCK_DTYPE, blocks),
            np.frombuffer(rest, EVENT_DTYPE, events, parts[0]),
            np.frombuffer(rest, "<u4", columns, parts[0] + parts[1]),
            at + _TILE.size + sum(parts),
        )
        at = after


def _padded(data: bytes) -> bytes:
    return data + b" " * (-len(data) % 8)

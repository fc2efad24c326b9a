"""A block of records as columns: the bytes of a message in the encoding ``proxops-columns``.

``FORMAT`` tells it byte by byte; it stands in the schema of every log. Bytes of equal weight lie together, so that packing
(the chunk's, zstd) finds the zeros. A column that stands still takes its value and two bytes. ``column_packer`` makes such
blocks, ``column_decoder`` reads them.
"""

from __future__ import annotations

import struct
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

Buffer = bytes | memoryview
ENCODING: Final = "proxops-columns"
FORMAT: Final = """\
One message holds the next R records of the topic: rows of the message proxops.Pool (its schema is in this file). Its fields, in
the order of their declaration, are C columns: double f8, sfixed64 i8, fixed32 u4, uint32 and enum u1. Little-endian:
  u1 version (1), u1[3] zero, u4 R, u4 C, u4 F (columns that follow from another)
  u1[C] form: 0 still, 1 + n: n-th differences (n = 0..5), 7 multiple of another column, 8 multiple of another's growth per row
  u1[C] width: bytes kept of each number of the body
  u4[F] source column, f8[F] factor: of the forms 7 and 8, in the order of the columns
  u1[8][S]: the value of each of the S still columns, byte 0 of all, then byte 1 of all, ...
  u1[8][M][min(R, 5)]: the head, the first rows of each of the M = C - S other columns, byte by byte as above
  for k = 0..7: u1[columns of a width > k][R - 5]: the body, of the other rows the k-th kept byte, counted down from the highest
Columns stand by form in head and body, within a form in their order (7 and 8 count as 1). Numbers are 64 bits; those of a double
are its bits, all but the sign inverted if that is set. A number n >= 0 of head and body is kept as 2 n, n < 0 as -2 n - 1. Row
k of n-th differences has those of order min(n, k). Forms 7 and 8 keep the number less that of factor * source (8: of factor *
(source less source one row before, 0 in the first row)); what is not finite there counts as 0.0. Arithmetic wraps at 64 bits.
"""
VERSION: Final = 1
HEAD_ROWS: Final = 5
MOST_ROWS: Final = 4096
MOST_COLUMNS: Final = 65_536
MOST_VALUES: Final = 2**23  # of a block, 64 MB
_HEAD: Final = struct.Struct("<B3xIII")
STILL, PLAIN, MULTIPLE, RATE = 0, 1, 7, 8
HEAD_BYTES: Final = _HEAD.size


class PackedColumns(NamedTuple):
    """``pieces`` of a message, better packed each for itself: bytes that say much, and bytes that are noise. They lie in the
    memory of who made them (``column_packer.ColumnPacker``) until its next block. ``low``, ``high``: bounds of each column, as
    ``BlockBounds`` has them."""

    pieces: tuple[memoryview, ...]
    low: NDArray[np.float64]
    high: NDArray[np.float64]


def rows_in(data: Buffer) -> int:
    """Rows that a message says it has; ValueError when that is too much, or it is of another version."""
    if len(data) < _HEAD.size:
        raise ValueError("a block without its head")
    version, rows, count, related = _HEAD.unpack_from(data)
    if version != VERSION:
        raise ValueError(f"a block of version {version}; this reader knows {VERSION}")
    if rows > MOST_ROWS or count > MOST_COLUMNS or rows * count > MOST_VALUES or related > count:
        raise ValueError(f"a block of {rows} rows and {count} columns")
    return int(rows)

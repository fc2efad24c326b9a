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
  u1 version (2), u1[3] zero, u4 R, u4 C, u4 F (columns that follow from another)
  u1[C] form: 0 still, 1 + n: n-th differences (n = 0..5), 7 multiple of another column, 8 multiple of another's growth per row,
    9 held: it changes in few rows
  u1[C] width: bytes kept of each number of the body
  u1[C] noise: how many of these, the lowest ones, stand in the last part
  u4[F] source column, f8[F] factor: of the forms 7 and 8, in the order of the columns
  u1[8][S]: the value of each of the S still columns, and the first of held ones, byte 0 of all, then byte 1 of all, ...
  u1[H][(R + 7) / 8]: of each of the H held columns, bit k % 8 of byte k / 8 is set if row k differs from the one before it
  u1[8][N]: the steps in the N rows that do, column by column, byte by byte as above
  u1[8][M][min(R, 5)]: the head, the first rows of each of the M = C - S other columns, byte by byte as above
  for k = 0..7: u1[columns of width - noise > k][R - 5]: the body, of the other rows the k-th kept byte, counted from the highest
  for k = 0..7: u1[columns of noise > k][R - 5]: the noise, of the same rows the byte width - noise + k, counted likewise
Columns stand by form in head, body and noise, within a form in their order (7 and 8 count as 1). Numbers are 64 bits; those of a
double are its bits, all but the sign inverted if that is set; the S values are as they are. A number n >= 0 of steps, head, body
and noise is kept as 2 n, n < 0 as -2 n - 1. Row k of n-th differences has those of order min(n, k). Forms 7 and 8 keep the number
less that of factor * source (8: of factor * (source less source one row before, 0 in the first row)); what is not finite there
counts as 0.0. Arithmetic wraps at 64 bits.
Version 1 had no held columns and no noise, nor the bytes that say how much.
"""
VERSION, VERSION_1 = 2, 1
HEAD_ROWS: Final = 5
MOST_ROWS: Final = 4096
MOST_COLUMNS: Final = 65_536
MOST_VALUES: Final = 2**23  # of a block, 64 MB
_HEAD: Final = struct.Struct("<B3xIII")
STILL, PLAIN, MULTIPLE, RATE, HELD = 0, 1, 7, 8, 9
HEAD_BYTES: Final = _HEAD.size


class PackedColumns(NamedTuple):
    """``pieces`` of a message, better packed each for itself; the last one is noise, which nothing packs. They lie in the
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
    if version not in (VERSION_1, VERSION):
        raise ValueError(f"a block of version {version}; this reader knows {VERSION_1} and {VERSION}")
    if rows > MOST_ROWS or count > MOST_COLUMNS or rows * count > MOST_VALUES or related > count:
        raise ValueError(f"a block of {rows} rows and {count} columns")
    return int(rows)

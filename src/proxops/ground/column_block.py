"""A block of records as columns: the bytes of a message in the encoding ``proxops-columns``.

``FORMAT`` tells it byte by byte; it stands in the schema of every log. Bytes of equal weight lie together, so that packing
(the chunk's, zstd) finds the zeros. A column that stands still takes its value and two bytes.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from proxops.ground.prediction import Whole, in_order, signed, sum_up
from proxops.ground.relation import Places, foretold

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


def rows_in(data: bytes) -> int:
    """Rows that a message says it has; ValueError when that is too much, or it is of another version."""
    if len(data) < _HEAD.size:
        raise ValueError("a block without its head")
    version, rows, count, related = _HEAD.unpack_from(data)
    if version != VERSION:
        raise ValueError(f"a block of version {version}; this reader knows {VERSION}")
    if rows > MOST_ROWS or count > MOST_COLUMNS or rows * count > MOST_VALUES or related > count:
        raise ValueError(f"a block of {rows} rows and {count} columns")
    return int(rows)


def decode_block(data: bytes, floats: NDArray[np.bool_]) -> Whole:
    """Columns of a message, one a row; ValueError when the bytes cannot be one of ``len(floats)`` columns."""
    rows = rows_in(data)
    _, _, count, related = _HEAD.unpack_from(data)
    if count != floats.size:
        raise ValueError(f"a block of {count} columns where there are {floats.size}")
    bytes_left = _Reader(data, _HEAD.size)
    forms, widths = bytes_left.take(count, "u1"), bytes_left.take(count, "u1")
    if forms.max(initial=0) > RATE or widths.max(initial=0) > 8:
        raise ValueError("a form or a width that does not exist")
    sources, factors = bytes_left.take(related, "<u4").astype(np.intp), bytes_left.take(related, "<f8")
    still, moving = np.flatnonzero(forms == STILL), np.flatnonzero(forms)
    out = np.empty((count, rows), np.int64)
    if rows:
        out[still] = bytes_left.planes(still.size, 1)
    by_form = moving[np.argsort(_orders(forms[moving]), kind="stable")]
    values = signed(_moving(bytes_left, rows, by_form.size, widths[by_form]))
    followers = np.flatnonzero(forms >= MULTIPLE)
    if followers.size != related or not bytes_left.done:
        raise ValueError("a block with too few or too many bytes")
    sum_up(values, _orders(forms[by_form]))
    out[by_form] = _numbers(values, floats[by_form])
    if related:
        _follow(out, followers, sources, factors, forms, floats)
    return out


def _numbers(bits: Whole, floats: NDArray[np.bool_]) -> Whole:
    """A copy, doubles in their order; its own inverse."""
    turned = np.where(floats, np.int64(2**63 - 1), np.int64(0))[:, None]
    out: Whole = bits >> 63
    out &= turned
    out ^= bits
    return out


def _orders(forms: NDArray[np.uint8]) -> NDArray[np.intp]:
    """How often differences are taken of moving columns of these forms."""
    return np.where(forms >= MULTIPLE, 0, forms.astype(np.intp) - PLAIN)


def _follow(
    out: Whole, followers: NDArray[np.intp], sources: NDArray[np.intp], factors: NDArray[np.float64],
    forms: NDArray[np.uint8], floats: NDArray[np.bool_],
) -> None:  # fmt: skip
    """Add to what is left of the followers what their sources foretell."""
    if sources.max() >= len(out) or (forms[sources] >= MULTIPLE).any() or not floats[[*followers, *sources]].all():
        raise ValueError("a column that follows from none that is known")
    left = in_order(out[followers])  # they were turned round with the others
    expected = foretold(out[sources].view(np.float64), factors, forms[followers] == RATE)
    out[followers] = in_order(left + expected)


def _levels(widths: NDArray[np.uint8]) -> Iterator[tuple[Places, Places]]:
    """Columns that keep at least one byte, then those with two, ...; and which byte of each it is, from the highest on."""
    for level in range(int(widths.max(initial=0))):
        wide = np.flatnonzero(widths > level)
        yield wide, widths[wide].astype(np.intp) - 1 - level


def _bytes_of(values: NDArray[Any]) -> NDArray[np.uint8]:
    return np.ascontiguousarray(values).view(np.uint8).reshape(*values.shape, 8)


class _Reader:
    """Takes pieces off the front; ValueError when there is less."""

    def __init__(self, data: bytes, at: int) -> None:
        self._data, self._at = data, at

    @property
    def done(self) -> bool:
        return self._at == len(self._data)

    def take(self, count: int, kind: str) -> NDArray[Any]:
        size = count * np.dtype(kind).itemsize
        if self._at + size > len(self._data):
            raise ValueError("a block that ends too early")
        self._at += size
        return np.frombuffer(self._data, kind, count, self._at - size)

    def planes(self, columns: int, rows: int) -> Whole:
        """Numbers of which bytes of equal weight stand together."""
        raw = self.take(8 * columns * rows, "u1").reshape(8, columns, rows)
        return np.ascontiguousarray(np.moveaxis(raw, 0, 2)).view(np.int64)[:, :, 0]


def _moving(data: _Reader, rows: int, columns: int, widths: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Head and body of the columns that move."""
    out = np.zeros((columns, rows), np.uint64)
    head = min(rows, HEAD_ROWS)
    out[:, :head] = data.planes(columns, head).view(np.uint64)
    if rows > HEAD_ROWS:
        raw, body = _bytes_of(out), rows - HEAD_ROWS
        for wide, place in _levels(widths):
            raw[wide, HEAD_ROWS:, place] = data.take(wide.size * body, "u1").reshape(wide.size, body)
    return out

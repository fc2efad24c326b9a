"""From the bytes of blocks of columns (``column_block.FORMAT``) to numbers, compiled: any columns of all blocks of a log at once.

Who reads some variables of a long log pays for those. The head of every block is judged when the blocks are taken, so bytes that
cannot be what they say end there. What is undone here is done in ``column_kernels``.
"""

from __future__ import annotations

import mmap
from collections.abc import Sequence
from itertools import accumulate
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.ground.column_block import (
    HEAD_BYTES,
    HEAD_ROWS,
    HELD,
    MOST_ROWS,
    MULTIPLE,
    PLAIN,
    RATE,
    STILL,
    VERSION_1,
    Buffer,
    rows_in,
)
from proxops.ground.prediction import MOST_ORDERS
from proxops.maths.kernel import kernel

Bytes = NDArray[np.uint8]
Whole = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
INFINITE: Final = int(np.float64(np.inf).view(np.int64))
MAGNITUDE: Final = 2**63 - 1
FIRST, STEP, SOURCE, FACTOR, BODY = range(5)
"""Of a row of places: first byte of its value or head, from there to its next one, source column, bytes of factor and body."""
CHANGES, STEPS, ALL_STEPS = range(BODY, BODY + 3)
"""The same of a held column: bytes that say where it changes, first byte of its steps, from there to the next of that step."""
PLACES: Final = BODY + 8
COUNTS: Final = 9  # of columns by form, or by width
FINE, CUT, FORM, SIZE, FOLLOWER, COLUMNS = range(6)
FAULTS: Final = {
    CUT: "a block that ends too early",
    FORM: "a form or a width that does not exist",
    SIZE: "a block with too few or too many bytes",
    FOLLOWER: "a column that follows from none that is known",
}


class PackedBlocks:
    """Blocks of columns of one table; ValueError when one of them cannot be that. ``floats``: which columns hold doubles."""

    def __init__(self, blocks: Sequence[Buffer], floats: Flags) -> None:
        rows = [rows_in(block) for block in blocks]
        self._floats = np.ascontiguousarray(floats)
        self._firsts = np.array([0, *accumulate(rows)], np.int64)
        self._starts = np.array([0, *accumulate(map(len, blocks))], np.int64)
        self._data = np.frombuffer(blocks[0] if len(blocks) == 1 else b"".join(blocks), np.uint8)
        self.columns(np.arange(0))

    @property
    def count(self) -> int:
        """Records in all of them."""
        return int(self._firsts[-1])

    def columns(self, wanted: Whole) -> Whole:
        """Those with these numbers, one a row."""
        out = _room(wanted.size, self.count)
        counts, order, source = (np.empty(size, np.int64) for size in (COUNTS, self._floats.size, MOST_ROWS))
        places = np.empty((self._floats.size, PLACES), np.int64)
        fault, found = read_blocks(
            self._data, self._starts, self._firsts, self._floats, wanted, counts, order, places, source,
            source.view(np.float64), out,
        )  # fmt: skip
        if fault == COLUMNS:
            raise ValueError(f"a block of {found} columns where there are {self._floats.size}")
        if fault != FINE:
            raise ValueError(FAULTS[fault])
        return out


def _room(columns: int, rows: int) -> Whole:
    """Memory in small pages: for large ones, which NumPy asks for, the system first has to make room, and here each byte is
    written once."""
    if not columns * rows:
        return np.empty((columns, rows), np.int64)
    memory = mmap.mmap(-1, 8 * columns * rows, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    return np.frombuffer(memory, np.int64).reshape(columns, rows)


def decode_block(data: Buffer, floats: Flags) -> Whole:
    """All columns of a message, one a row; ValueError when the bytes cannot be one of ``len(floats)`` columns."""
    return PackedBlocks([data], floats).columns(np.arange(floats.size))


@kernel
def read_blocks(
    data: Bytes, starts: Whole, firsts: Whole, floats: Flags, wanted: Whole, counts: Whole, order: Whole, places: Whole,
    source: Whole, values: Floats, out: Whole,
) -> tuple[int, int]:  # fmt: skip
    """Columns ``wanted`` of blocks that begin at bytes ``starts`` and at rows ``firsts``, into ``out``; what is wrong with the
    first one that is, and how many columns it says it has. ``counts``, ``order``, ``places``: room. ``values``: the memory of
    ``source``."""
    for block in range(starts.size - 1):
        start, end, first, last = starts[block], starts[block + 1], firsts[block], firsts[block + 1]
        columns = whole_at(data, start + 8, 4)
        if columns != floats.size:
            return COLUMNS, columns
        fault = find_columns(data, start, end, last - first, floats, counts, order, places)
        if fault != FINE:
            return fault, columns
        if last == first:  # no rows: nor are there values of columns that stand still
            continue
        at = start + HEAD_BYTES
        forms, widths = data[at : at + columns], data[at + columns : at + 2 * columns]
        for i in range(wanted.size):
            read_column(data, forms, widths, floats, places, wanted[i], source, values, out[i, first:last])
    return FINE, 0


@kernel
def whole_at(data: Bytes, at: int, width: int) -> int:
    """A number, its lowest byte first."""
    number = np.int64(0)
    for k in range(width):
        number |= np.int64(data[at + k]) << (8 * k)
    return int(number)


@kernel
def find_columns(
    data: Bytes, start: int, end: int, rows: int, floats: Flags, counts: Whole, order: Whole, places: Whole
) -> int:  # fmt: skip
    """Where the numbers of each column of a block lie, into ``places``; whether the block is as long as it says."""
    columns, related, head = floats.size, whole_at(data, start + 12, 4), min(rows, HEAD_ROWS)
    widths_at = start + HEAD_BYTES + columns
    noise_at = widths_at + columns
    sources = noise_at + (0 if data[start] == VERSION_1 else columns)
    still_at = sources + 12 * related
    if still_at > end:
        return CUT
    forms, widths, noise = data[widths_at - columns : widths_at], data[widths_at:noise_at], data[noise_at:sources]
    for column in range(columns):
        if forms[column] > (HELD if noise.size else RATE) or not noise_of(noise, column) <= widths[column] <= 8:
            return FORM
    moving = sort_by_form(forms, counts, order)
    held_at = still_at + (8 * (columns - moving) if rows else 0)
    head_at = find_held(data, end, forms, rows, held_at, places)
    body_at = head_at + 8 * moving * head
    found = find_bodies(widths, noise, order[:moving], rows - head, body_at, counts, places)
    if found != end:
        return CUT if found > end else SIZE
    place_values(forms, order[:moving], still_at, head_at, head, places)
    return FINE if find_sources(data, sources, related, forms, floats, places) else FOLLOWER


@kernel
def sort_by_form(forms: Bytes, ends: Whole, order: Whole) -> int:
    """Columns that move, in the order of head and body; how many. ``ends``: room."""
    ends[:] = 0
    for form in forms:
        if moves(form):
            ends[differences(form) + 1] += 1
    for k in range(MOST_ORDERS + 1):
        ends[k + 1] += ends[k]
    moving = int(ends[MOST_ORDERS + 1])
    for column in range(forms.size):
        if moves(forms[column]):
            k = differences(forms[column])
            order[ends[k]] = column
            ends[k] += 1
    return moving


@kernel
def moves(form: int) -> bool:
    """Whether a column of this form has a number for every row."""
    return bool(form != STILL and form != HELD)


@kernel
def noise_of(noise: Bytes, column: int) -> int:
    """Bytes of a column's numbers that stand in the last part; a block of the first version has none."""
    return int(noise[column]) if noise.size else 0


@kernel
def find_held(data: Bytes, end: int, forms: Bytes, rows: int, at: int, places: Whole) -> int:
    """Where each held column changes, from byte ``at`` on, and its steps behind all of these; where those end, or something
    beyond ``end`` if that cannot be."""
    each, steps = (rows + 7) // 8, 0
    for column in range(forms.size):
        if forms[column] == HELD:
            if at + each > end:
                return end + 1
            places[column, CHANGES], places[column, STEPS] = at, steps
            for byte in data[at : at + each]:
                for k in range(8):
                    steps += byte >> k & 1
            at += each
    for column in range(forms.size):
        if forms[column] == HELD:
            places[column, STEPS] += at
            places[column, ALL_STEPS] = steps
    return int(at + 8 * steps)


@kernel
def differences(form: int) -> int:
    """How often they are taken of columns of a form that moves."""
    return 0 if form >= MULTIPLE else form - PLAIN


@kernel
def find_bodies(widths: Bytes, noise: Bytes, order: Whole, rows: int, at: int, starts: Whole, places: Whole) -> int:
    """First byte of each level of each column, the levels one after the other, of the body and then of the noise; where they end.
    ``starts``: room."""
    for part in range(2):
        starts[:] = 0
        for column in order:
            first, last = levels_in(part, widths[column], noise_of(noise, column))
            for level in range(last - first):
                starts[level + 1] += rows
        starts[0] = at
        for level in range(8):
            starts[level + 1] += starts[level]
        at = starts[8]
        for column in order:
            first, last = levels_in(part, widths[column], noise_of(noise, column))
            for level in range(last - first):
                places[column, BODY + first + level] = starts[level]
                starts[level] += rows
    return int(at)


@kernel
def levels_in(part: int, width: int, noise: int) -> tuple[int, int]:
    """First byte of a number, counted from its highest, that stands in the body (``part`` 0) or in the noise, and the one after
    its last."""
    return (width - noise, width) if part else (0, width - noise)


@kernel
def place_values(forms: Bytes, order: Whole, still_at: int, head_at: int, head: int, places: Whole) -> None:
    """First byte of each value that stands and of each head, and how far it is to the next byte of the same number."""
    still = 0
    for column in range(forms.size):
        if not moves(forms[column]):
            places[column, FIRST], places[column, STEP] = still_at + still, forms.size - order.size
            still += 1
    for i in range(order.size):
        places[order[i], FIRST], places[order[i], STEP] = head_at + i * head, order.size * head


@kernel
def find_sources(data: Bytes, sources: int, related: int, forms: Bytes, floats: Flags, places: Whole) -> bool:
    """Of columns that follow from another: which, and where their factors are; False if that cannot be."""
    found = 0
    for column in range(forms.size):
        if not follows_another(forms[column]):
            continue
        if found == related:
            return False
        source = whole_at(data, sources + 4 * found, 4)
        if source >= forms.size or follows_another(forms[source]) or not (floats[column] and floats[source]):
            return False
        places[column, SOURCE], places[column, FACTOR] = source, sources + 4 * related + 8 * found
        found += 1
    return found == related


@kernel
def follows_another(form: int) -> bool:
    """Whether a column of this form is kept as what differs from what another foretells."""
    return bool(MULTIPLE <= form <= RATE)


@kernel
def read_column(
    data: Bytes, forms: Bytes, widths: Bytes, floats: Flags, places: Whole, column: int, source: Whole, values: Floats, out: Whole
) -> None:  # fmt: skip
    """All rows of a column of a block whose ``places`` are known. ``values``: the memory of ``source``."""
    if not follows_another(forms[column]):
        read_alone(data, forms[column], widths[column], floats[column], places[column], out)
        return
    read_differences(data, widths[column], places[column], out)
    source[0] = whole_at(data, places[column, FACTOR], 8)
    factor, other = values[0], places[column, SOURCE]
    read_alone(data, forms[other], widths[other], True, places[other], source[: out.size])
    foretell(source[: out.size], values[: out.size], factor, forms[column] == RATE)
    for row in range(out.size):
        number = out[row] + source[row]
        out[row] = number ^ ((number >> 63) & MAGNITUDE)


@kernel
def read_alone(data: Bytes, form: int, width: int, floating: bool, places: Whole, out: Whole) -> None:
    """A column that stands still, one that is held, or one whose differences are kept."""
    if not moves(form):
        first = spread_number(data, places[FIRST], places[STEP])
        if form == HELD:
            read_held(data, first, floating, places, out)
        else:
            out[:] = first
        return
    read_differences(data, width, places, out)
    for order in range(differences(form), 0, -1):
        last = (
            out[order - 1] if out.size >= order else np.int64(0)
        )  # kept by hand: through memory a sum waits for its own writing
        for row in range(order, out.size):
            last += out[row]
            out[row] = last
    if floating:
        for row in range(out.size):
            out[row] ^= (out[row] >> 63) & MAGNITUDE


@kernel
def spread_number(data: Bytes, at: int, step: int) -> np.int64:
    """A number whose bytes stand so far apart."""
    number = np.int64(0)
    for k in range(8):
        number |= np.int64(data[at + k * step]) << (8 * k)
    return number


@kernel
def read_held(data: Bytes, first: np.int64, floating: bool, places: Whole, out: Whole) -> None:
    """A column that begins with the bits ``first`` and changes in few rows."""
    number, at = first ^ ((first >> 63) & MAGNITUDE) if floating else first, places[STEPS]
    for row in range(out.size):
        if data[places[CHANGES] + (row >> 3)] >> (row & 7) & 1:
            step = spread_number(data, at, places[ALL_STEPS])
            number += ((step >> 1) & MAGNITUDE) ^ -(step & 1)
            at += 1
        out[row] = number ^ ((number >> 63) & MAGNITUDE) if floating else number


@kernel
def read_differences(data: Bytes, width: int, places: Whole, out: Whole) -> None:
    """Head and body of a column, with their signs."""
    head = min(out.size, HEAD_ROWS)
    out[:] = 0
    for k in range(8):
        at = places[FIRST] + k * places[STEP]
        for row in range(head):
            out[row] |= np.int64(data[at + row]) << (8 * k)
    for level in range(width if out.size > head else 0):
        at, shift, body = places[BODY + level], 8 * (width - 1 - level), out[head:]
        kept = data[at : at + body.size]
        for row in range(body.size):
            body[row] |= np.int64(kept[row]) << shift
    for row in range(out.size):
        out[row] = ((out[row] >> 1) & MAGNITUDE) ^ -(out[row] & 1)


@kernel
def foretell(bits: Whole, values: Floats, factor: float, rate: bool) -> None:
    """Whole numbers, in the order of doubles, that a column is expected to have which is in proportion to another, or to its
    growth from row to row; zero where that is no number, whose bits a processor may choose. In the other's memory: ``values``,
    the same as ``bits``."""
    if rate:
        for row in range(values.size - 1, 0, -1):
            values[row] -= values[row - 1]
        values[0] = 0.0
    for row in range(values.size):
        values[row] *= factor
    for row in range(bits.size):
        number = bits[row] if bits[row] & INFINITE != INFINITE else 0
        bits[row] = number ^ ((number >> 63) & MAGNITUDE)

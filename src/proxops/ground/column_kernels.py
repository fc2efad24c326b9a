"""Records to the bytes of a block of columns (``column_block.FORMAT``), compiled: the recorder's greatest work beside packing.

A record is plain bytes, and a column an offset and a type in it. Every column becomes a row of whole numbers, in the order of the
values that they stand for: so one search for the least and the greatest tells whether it moves and what its bounds are. All
arithmetic wraps at 64 bits, so it can be undone whatever the bits are. What is undone is in ``column_decoder``.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.ground.column_block import HEAD_BYTES, HEAD_ROWS, MULTIPLE, PLAIN, RATE, STILL, VERSION
from proxops.ground.column_decoder import INFINITE, MAGNITUDE, differences, foretell
from proxops.ground.prediction import MOST_ORDERS
from proxops.ground.relation import WORTH
from proxops.maths.kernel import kernel

Bytes = NDArray[np.uint8]
Whole = NDArray[np.int64]
Floats = NDArray[np.float64]
DOUBLE, LONG, SHORT, BYTE = range(4)  # types of a column: f8, i8, u4, u1
KINDS: Final = {"<f8": DOUBLE, "<i8": LONG, "<u4": SHORT, "u1": BYTE, "|u1": BYTE}
SAMPLE: Final = 96  # rows on which an order of differences is chosen
FACTORS: Final = 8  # whose product stays a double: each is at most 2**64


@kernel
def read_columns(
    rows: Bytes, shorts: NDArray[np.uint32], longs: Whole, at: Whole, kinds: Bytes, numbers: Whole, least: Whole, greatest: Whole
) -> None:  # fmt: skip
    """Records, one a row, as columns of whole numbers, and the bounds of each. ``shorts`` and ``longs``: the same memory, with a
    number of four and of eight bytes beginning at every byte."""
    count = rows.shape[0]
    for column in range(at.size):
        p, kind, out = at[column], kinds[column], numbers[column]
        if kind == BYTE:
            for row in range(count):
                out[row] = np.int64(rows[row, p])
        elif kind == SHORT:
            for row in range(count):
                out[row] = np.int64(shorts[row, p])
        else:
            for row in range(count):
                out[row] = longs[row, p]
        if kind == DOUBLE:
            for row in range(count):
                out[row] ^= (out[row] >> 63) & MAGNITUDE
        low = high = out[0]
        for row in range(count):
            low, high = min(low, out[row]), max(high, out[row])
        least[column], greatest[column] = low, high


@kernel
def choose_orders(numbers: Whole, columns: Whole, count: int, forms: Bytes, scratch: Whole) -> None:
    """For each of ``columns`` how often differences are taken: what leaves the fewest bits in rows from the middle."""
    first = max(0, (count - SAMPLE) // 2 - MOST_ORDERS)
    rows = min(SAMPLE + MOST_ORDERS, count - first)
    for column in columns:
        left = scratch[0, :rows]
        for row in range(rows):
            left[row] = numbers[column, first + row]
        best, form = np.inf, PLAIN
        for order in range(MOST_ORDERS + 1):
            if order:
                for row in range(rows - 1, order - 1, -1):
                    left[row] -= left[row - 1]
            if rows > order:
                bits = _bits(left, max(order, rows - SAMPLE), rows)
                if bits < best:
                    best, form = bits, PLAIN + order
        forms[column] = form


@kernel
def _bits(left: Whole, first: int, rows: int) -> float:
    """That numbers of either sign take, all together: logarithms of products, for one each would take ten times as long."""
    total = 0.0
    for start in range(first, rows, FACTORS):
        product = 1.0
        for row in range(start, min(start + FACTORS, rows)):
            product *= abs(float(left[row])) + 1.0
        total += math.log(product)
    return total


@kernel
def pack_columns(
    numbers: Whole, least: Whole, greatest: Whole, kinds: Bytes, count: int, planned: Bytes, sources: Whole, factors: Floats,
    left: Whole, scratch: Whole, values: Floats, order: Whole, out: Bytes, seams: Whole,
) -> int:  # fmt: skip
    """The whole message into ``out``; its length. ``planned``: forms of columns that move, ``sources`` and ``factors`` of those
    that follow from another. ``values``: the memory of the second row of ``scratch``, as doubles. ``order``: room for numbers of
    columns. ``seams``: where the first, the second and the other bytes of the body begin."""
    columns, related = kinds.size, 0
    forms, widths = out[HEAD_BYTES : HEAD_BYTES + columns], out[HEAD_BYTES + columns : HEAD_BYTES + 2 * columns]
    for column in range(columns):
        form = planned[column] if least[column] != greatest[column] else STILL
        if form >= MULTIPLE:
            source = numbers[sources[column]]
            if follows(numbers[column], source, factors[column], form == RATE, count, left[column], scratch[1], values):
                order[related] = column
                related += 1
            else:
                form = PLAIN + 1
        forms[column], widths[column] = form, 0
        if form != STILL:
            widths[column] = take_differences(numbers[column], count, form, left[column], scratch)
    out[0] = VERSION
    out[1:4] = 0
    at = put(put(put(4, count, 4, out), columns, 4, out), related, 4, out) + 2 * columns
    for i in range(related):
        at = put(at, sources[order[i]], 4, out)
    for i in range(related):
        values[0] = factors[order[i]]
        at = put(at, scratch[1, 0], 8, out)
    return place_numbers(numbers, left, kinds, count, forms, widths, order, out, at, seams)


@kernel
def put(at: int, number: int, width: int, out: Bytes) -> int:
    """Bytes of a number, the lowest first; where they end."""
    for k in range(width):
        out[at + k] = np.uint8(number >> 8 * k & 255)
    return at + width


@kernel
def follows(
    numbers: Whole, source: Whole, factor: float, rate: bool, count: int, left: Whole, bits: Whole, values: Floats
) -> bool:  # fmt: skip
    """What is left of a column that is in proportion to another (``column_decoder.foretell``); False if it is not. ``values``:
    the memory of ``bits``, as doubles."""
    for row in range(count):
        bits[row] = source[row] ^ ((source[row] >> 63) & MAGNITUDE)
    foretell(bits[:count], values[:count], factor, rate)
    low = high = np.int64(0)
    for row in range(count):
        left[row] = numbers[row] - bits[row]
    for number in left[1:count]:
        low, high = min(low, number), max(high, number)
    return bool(low > -WORTH and high < WORTH)


@kernel
def take_differences(numbers: Whole, count: int, form: int, left: Whole, scratch: Whole) -> int:
    """What is left of a column, as numbers without sign; the bytes that those behind the head need. ``left``: of a column that
    follows from another it is there."""
    if form < MULTIPLE:
        values = numbers
        for order in range(form - PLAIN):
            one = scratch[order & 1]
            one[: order + 1] = values[: order + 1]
            subtract(values, order, count, one)
            values = one
        left[:count] = values[:count]
    used = np.int64(0)
    for row in range(count):
        left[row] = (left[row] >> 63) ^ (left[row] << 1)
    for number in left[HEAD_ROWS:count]:
        used |= number
    width, rest = 0, np.uint64(used)
    while rest:
        width, rest = width + 1, rest >> np.uint64(8)
    return width


@kernel
def subtract(values: Whole, order: int, count: int, out: Whole) -> None:
    """Differences of rows behind ``order``, into other memory: so several are taken at once."""
    target, upper, lower = out[order + 1 : count], values[order + 1 : count], values[order : count - 1]
    for i in range(target.size):
        target[i] = upper[i] - lower[i]


@kernel
def place_numbers(
    numbers: Whole, left: Whole, kinds: Bytes, count: int, forms: Bytes, widths: Bytes, order: Whole, out: Bytes,
    at: int, seams: Whole,
) -> int:  # fmt: skip
    """Still values, head and body of a block into ``out`` from byte ``at`` on; where they end. ``order``: room for the moving
    columns, by form."""
    columns, moving = forms.size, 0
    for ordered in range(MOST_ORDERS + 1):
        for column in range(columns):
            form = forms[column]
            if form != STILL and differences(form) == ordered:
                order[moving] = column
                moving += 1
    still = columns - moving
    place = 0
    for column in range(columns if count else 0):
        if forms[column] == STILL:
            number = numbers[column, 0]
            if kinds[column] == DOUBLE:
                number ^= (number >> 63) & MAGNITUDE
            for k in range(8):
                out[at + k * still + place] = np.uint8(number >> 8 * k & 255)
            place += 1
    at += 8 * place
    head = min(count, HEAD_ROWS)
    for i in range(moving):
        for row in range(head):
            for k in range(8):
                out[at + (k * moving + i) * head + row] = np.uint8(left[order[i], row] >> 8 * k & 255)
    at += 8 * moving * head
    for level in range(8):
        if level < seams.size:
            seams[level] = at
        for i in range(moving):
            column = order[i]
            if widths[column] > level:
                cut_bytes(left[column, head:count], 8 * (widths[column] - 1 - level), out[at : at + count - head])
                at += count - head
    return at


@kernel
def cut_bytes(values: Whole, shift: int, out: Bytes) -> None:
    """One byte of each number."""
    for i in range(out.size):
        out[i] = np.uint8(np.uint64(values[i]) >> np.uint64(shift))


@kernel
def fill_bounds(
    numbers: Whole, least: Whole, greatest: Whole, kinds: Bytes, count: int, bits: Whole, values: Floats, low: Floats,
    high: Floats,
) -> None:  # fmt: skip
    """Bounds of all columns as doubles; NaN counts only where there is nothing else. ``values``: the memory of ``bits``."""
    for column in range(kinds.size):
        first, last = least[column], greatest[column]
        if kinds[column] != DOUBLE:
            low[column], high[column] = first, last
            continue
        if first < ~INFINITE or last > INFINITE:
            first, last = INFINITE + 1, ~INFINITE - 1
            for number in numbers[column, :count]:
                if ~INFINITE <= number <= INFINITE:
                    first, last = min(first, number), max(last, number)
        bits[0], bits[1] = first ^ ((first >> 63) & MAGNITUDE), last ^ ((last >> 63) & MAGNITUDE)
        low[column], high[column] = values[0], values[1]

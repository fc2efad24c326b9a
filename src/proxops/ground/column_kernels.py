"""Records to the bytes of a block of columns (``column_block.FORMAT``), compiled: the recorder's greatest work beside packing.

A record is plain bytes, and a column an offset and a type in it. Every column becomes a row of whole numbers, in the order of the
values that they stand for: so one search for the least and the greatest tells whether it moves and what its bounds are. All
arithmetic wraps at 64 bits, so it can be undone whatever the bits are. What is undone is in ``column_decoder``.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.ground.column_block import HEAD_BYTES, HEAD_ROWS, HELD, MULTIPLE, PLAIN, RATE, STILL, VERSION
from proxops.ground.column_decoder import (
    COUNTS,
    INFINITE,
    MAGNITUDE,
    follows_another,
    foretell,
    levels_in,
    moves,
    sort_by_form,
)
from proxops.ground.message_rows import copy_bytes
from proxops.ground.prediction import MOST_ORDERS
from proxops.ground.relation import WORTH
from proxops.maths.kernel import kernel

Bytes = NDArray[np.uint8]
Whole = NDArray[np.int64]
Floats = NDArray[np.float64]
DOUBLE, LONG, SHORT, BYTE = range(4)  # types of a column: f8, i8, u4, u1
KINDS: Final = {"<f8": DOUBLE, "<i8": LONG, "<u4": SHORT, "u1": BYTE, "|u1": BYTE}
SAMPLE: Final = 96  # rows on which an order of differences is chosen
WIDTHS: Final = (8, 8, 4, 1)  # bytes of each type
HELD_ROWS: Final = 4  # for each in which a held column changes
FREE_BYTES: Final = 2  # highest ones of a number, which are never noise
CHANCE: Final = 2.0  # times as many equal pairs of bytes as chance gives: more are not noise
ONE: Final = int(np.float64(1.0).view(np.int64))


@kernel
def read_columns(
    rows: Bytes, shorts: NDArray[np.uint32], longs: Whole, at: Whole, kinds: Bytes, changed: Bytes, planned: Bytes,
    numbers: Whole, least: Whole, greatest: Whole,
) -> bool:  # fmt: skip
    """Records, one a row, as columns of whole numbers, and the bounds of each; of a column that stands still only its first
    number. True if the plan says something of all that move: what it takes for held and is not, is struck from it. ``shorts`` and
    ``longs``: the memory of ``rows``, by ``numbers_in``. ``changed``: room for a row."""
    mark_changes(rows, changed)
    fits = True
    for column in range(at.size):
        p, kind, out = at[column], kinds[column], numbers[column]
        count = rows.shape[0] if any_set(changed, p, WIDTHS[kind]) else 1
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
        if count > 1:
            if planned[column] == HELD and not is_held(out, count):
                planned[column] = STILL
            fits &= planned[column] != STILL
    return fits


@kernel
def mark_changes(rows: Bytes, changed: Bytes) -> None:
    """Bytes of a record that are not the same in all rows: in one walk along the memory, so that what stands still, mostly more
    than half of it, is not gathered at all."""
    changed[:] = 0
    first = rows[0]
    for row in range(1, rows.shape[0]):
        one = rows[row]
        for i in range(changed.size):
            changed[i] |= one[i] ^ first[i]


@kernel
def any_set(marks: Bytes, start: int, count: int) -> bool:
    found = False
    for k in range(count):
        found |= marks[start + k] != 0
    return found


@kernel
def is_held(numbers: Whole, count: int) -> bool:
    """Whether a column is the same as in the row before in most rows."""
    changes = 0
    for row in range(1, count):
        changes += numbers[row] != numbers[row - 1]
    return changes * HELD_ROWS <= count


@kernel
def choose_forms(
    numbers: Whole, columns: Whole, count: int, forms: Bytes, noisy: Bytes, scratch: Whole, values: Floats
) -> None:
    """For each of ``columns`` whether it is held, or how often differences are taken: what leaves the fewest bits in rows from
    the middle. ``noisy``: whether the lower bytes of what is left are noise. ``values``: the memory of the second row of
    ``scratch``, as doubles."""
    first = max(0, (count - SAMPLE) // 2 - MOST_ORDERS)
    rows = min(SAMPLE + MOST_ORDERS, count - first)
    for column in columns:
        noisy[column] = False
        if is_held(numbers[column], count):
            forms[column] = HELD
            continue
        left = scratch[0, :rows]
        for row in range(rows):
            left[row] = numbers[column, first + row]
        best, form = MAGNITUDE, PLAIN
        for order in range(MOST_ORDERS + 1):
            if order:
                for row in range(rows - 1, order - 1, -1):
                    left[row] -= left[row - 1]
            if rows > order:
                bits = _bits(left[max(order, rows - SAMPLE) :], scratch[1], values)
                if bits < best:
                    best, form = bits, PLAIN + order
        forms[column] = form
        width = take_differences(numbers[column, first:], rows, form, scratch[0], scratch)
        noisy[column] = is_noise(scratch[0, MOST_ORDERS:rows], width)


@kernel
def is_noise(left: Whole, width: int) -> bool:
    """Whether each byte below the highest of numbers without sign is as good as drawn by lot: equal pairs are as rare."""
    if 2 * left.size < SAMPLE:
        return False
    count, seen = left.size, np.zeros(256, np.int64)
    for k in range(width - FREE_BYTES):
        seen[:] = 0
        pairs = 0
        for number in left:
            byte = number >> 8 * k & 255
            pairs += seen[byte]
            seen[byte] += 1
        if pairs > CHANCE * count * (count - 1) / 512:
            return False
    return True


@kernel
def bytes_of(number: int) -> int:
    """That a number without sign needs."""
    width, rest = 0, np.uint64(number)
    while rest:
        width, rest = width + 1, rest >> np.uint64(8)
    return width


@kernel
def _bits(left: Whole, room: Whole, values: Floats) -> int:
    """That numbers of either sign take, all together, in units of 2**-32: the bits of a double, exponent and fraction as one
    number, are nearly its logarithm."""
    for row in range(left.size):
        values[row] = abs(float(left[row])) + 1.0
    total = np.int64(0)
    for row in range(left.size):
        total += (room[row] - ONE) >> 20
    return int(total)


@kernel
def pack_columns(
    numbers: Whole, least: Whole, greatest: Whole, kinds: Bytes, count: int, planned: Bytes, noisy: Bytes, sources: Whole,
    factors: Floats, heads: Whole, planes: Bytes, scratch: Whole, values: Floats, order: Whole, out: Bytes, seams: Whole,
) -> int:  # fmt: skip
    """The whole message into ``out``; its length. ``planned``: forms of columns that move, ``sources`` and ``factors`` of those
    that follow from another. ``heads``, ``planes``: room for the head and the other bytes of each column. ``values``: the
    memory of the second row of ``scratch``, as doubles. ``order``: room for numbers of columns. ``seams``: where the first and
    the other bytes of the body begin, and the noise."""
    columns, related, left = kinds.size, 0, scratch[2]
    parts = out[HEAD_BYTES : HEAD_BYTES + 3 * columns].reshape(3, columns)
    forms, widths, noise = parts[0], parts[1], parts[2]
    for column in range(columns):
        form = planned[column] if least[column] != greatest[column] else STILL
        if follows_another(form):
            source = sources[column]
            if least[source] != greatest[source] and follows(
                numbers[column], numbers[source], factors[column], form == RATE, count, left, scratch[1], values
            ):
                order[related] = column
                related += 1
            else:
                form = PLAIN + 1
        forms[column], widths[column] = form, 0
        if moves(form):
            widths[column] = take_differences(numbers[column], count, form, left, scratch)
            keep_bytes(left[:count], widths[column], heads[column], planes[column])
        noise[column] = max(widths[column] - FREE_BYTES, 0) if noisy[column] else 0
    out[0] = VERSION
    out[1:4] = 0
    at = put(put(put(4, count, 4, out), columns, 4, out), related, 4, out) + 3 * columns
    for i in range(related):
        at = put(at, sources[order[i]], 4, out)
    for i in range(related):
        values[0] = factors[order[i]]
        at = put(at, scratch[1, 0], 8, out)
    return place_numbers(numbers, heads, planes, kinds, count, forms, widths, noise, order, out, at, seams)


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
            for row in range(order + 1):
                one[row] = values[row]
            subtract(values, order, count, one)
            values = one
        for row in range(count):
            left[row] = (values[row] >> 63) ^ (values[row] << 1)
    else:
        for row in range(count):
            left[row] = (left[row] >> 63) ^ (left[row] << 1)
    used = np.int64(0)
    for number in left[HEAD_ROWS:count]:
        used |= number
    return bytes_of(int(used))


@kernel
def subtract(values: Whole, order: int, count: int, out: Whole) -> None:
    """Differences of rows behind ``order``, into other memory: so several are taken at once."""
    target, upper, lower = out[order + 1 : count], values[order + 1 : count], values[order : count - 1]
    for i in range(target.size):
        target[i] = upper[i] - lower[i]


@kernel
def place_numbers(
    numbers: Whole, heads: Whole, planes: Bytes, kinds: Bytes, count: int, forms: Bytes, widths: Bytes, noise: Bytes,
    order: Whole, out: Bytes, at: int, seams: Whole,
) -> int:  # fmt: skip
    """Still values, steps, head, body and noise of a block into ``out`` from byte ``at`` on; where they end. ``order``: room for
    the moving columns, by form."""
    moving = order[: sort_by_form(forms, np.empty(COUNTS, np.int64), order)]
    if count:
        at = place_still(numbers, kinds, forms, forms.size - moving.size, out, at)
        at = place_held(numbers, forms, count, out, at)
    head = min(count, HEAD_ROWS)
    body = count - head
    for i in range(moving.size):
        for row in range(head):
            for k in range(8):
                out[at + (k * moving.size + i) * head + row] = np.uint8(heads[moving[i], row] >> 8 * k & 255)
    at += 8 * moving.size * head
    for part in range(2):
        if part:
            seams[-1] = at
        for level in range(8):
            if not part and level < seams.size - 1:
                seams[level] = at
            for column in moving:
                first, last = levels_in(part, widths[column], noise[column])
                if first + level < last:
                    begin = (first + level) * body
                    copy_bytes(planes[column, begin : begin + body], out[at : at + body])
                    at += body
    return at


@kernel
def place_still(numbers: Whole, kinds: Bytes, forms: Bytes, still: int, out: Bytes, at: int) -> int:
    """The bits of what stands still and of the first row of what is held; where they end."""
    place = at
    for column in range(forms.size):
        if not moves(forms[column]):
            number = numbers[column, 0]
            if kinds[column] == DOUBLE:
                number ^= (number >> 63) & MAGNITUDE
            put_spread(number, place, still, out)
            place += 1
    return at + 8 * still


@kernel
def place_held(numbers: Whole, forms: Bytes, count: int, out: Bytes, at: int) -> int:
    """Rows in which held columns change, and by how much; where that ends."""
    each, steps, begin = (count + 7) // 8, 0, at
    for column in range(forms.size):
        if forms[column] == HELD:
            for k in range(each):
                out[at + k] = 0
            for row in range(1, count):
                if numbers[column, row] != numbers[column, row - 1]:
                    out[at + (row >> 3)] |= 1 << (row & 7)
                    steps += 1
            at += each
    end, place = at + 8 * steps, at
    for column in range(forms.size):
        if forms[column] == HELD:
            for row in range(1, count):
                if out[begin + (row >> 3)] >> (row & 7) & 1:
                    step = numbers[column, row] - numbers[column, row - 1]
                    put_spread((step >> 63) ^ (step << 1), place, steps, out)
                    place += 1
            begin += each
    return end


@kernel
def put_spread(number: int, at: int, step: int, out: Bytes) -> None:
    """Bytes of a number, the lowest first, so far apart."""
    for k in range(8):
        out[at + k * step] = np.uint8(number >> 8 * k & 255)


@kernel
def keep_bytes(left: Whole, width: int, head: Whole, planes: Bytes) -> None:
    """Head of a column, and the bytes of its other rows, the highest of all first: while its numbers are at hand."""
    rows = min(left.size, HEAD_ROWS)
    body = left.size - rows
    for row in range(rows):
        head[row] = left[row]
    for level in range(width):
        cut_bytes(left[rows:], 8 * (width - 1 - level), planes[level * body : (level + 1) * body])


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
        if first != last and (first < ~INFINITE or last > INFINITE):
            first, last = INFINITE + 1, ~INFINITE - 1
            for number in numbers[column, :count]:
                if ~INFINITE <= number <= INFINITE:
                    first, last = min(first, number), max(last, number)
        bits[0], bits[1] = first ^ ((first >> 63) & MAGNITUDE), last ^ ((last >> 63) & MAGNITUDE)
        # Of zeros and of what is no number there are several, and which one it is must not depend on who looked.
        low[column] = values[0] + 0.0 if values[0] == values[0] else np.nan
        high[column] = values[1] + 0.0 if values[1] == values[1] else np.nan

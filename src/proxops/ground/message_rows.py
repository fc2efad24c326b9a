"""Messages of one length by the block, one a row, each behind room for what MCAP puts before it. Compiled.

Whoever makes them has a template and the places in it where numbers go. Numbers of four and of eight bytes are moved whole,
wherever they begin (``numbers_in``): byte by byte they would take three times as long.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from mcap.opcode import Opcode
from numpy.typing import NDArray

from proxops.maths.kernel import kernel

Bytes = NDArray[np.uint8]
Shorts = NDArray[np.uint32]
Whole = NDArray[np.int64]
HEAD_BYTES: Final = 31  # opcode u1, length u8, channel u2, sequence u4, log time u8, publish time u8
_MESSAGE: Final = int(Opcode.MESSAGE)
_BEFORE_LENGTH_ENDS: Final = 9


def numbers_in(rows: Bytes) -> tuple[Shorts, Whole]:
    """Numbers of four and of eight bytes that begin at every byte of each row."""
    count, size = rows.shape
    steps = rows.strides[0], 1
    return (
        np.ndarray((count, max(size - 3, 0)), "<u4", rows, 0, steps),
        np.ndarray((count, max(size - 7, 0)), "<i8", rows, 0, steps),
    )


@kernel
def put_heads(out: Bytes, longs: Whole, channel: int, ticks: Whole, utc_ns: Whole) -> None:
    """Before messages that lie behind ``HEAD_BYTES`` of each row. ``longs``: the same memory, by ``numbers_in``."""
    for row in range(len(out)):
        head, number, time = out[row], ticks[row], max(utc_ns[row], 0)
        head[0] = _MESSAGE
        longs[row, 1] = out.shape[1] - _BEFORE_LENGTH_ENDS
        head[9], head[10] = channel & 0xFF, channel >> 8
        for k in range(4):
            head[11 + k] = number >> 8 * k & 0xFF
        longs[row, 15], longs[row, 23] = time, time


@kernel
def copy_bytes(source: Bytes, out: Bytes) -> None:
    """One by one, for the compiler to take many at once: an assignment of slices takes eight times as long."""
    for i in range(source.size):
        out[i] = source[i]


@kernel
def put_numbers(
    rows: Bytes, shorts: Shorts, longs: Whole, chosen: Whole, at: Whole, widths: Bytes, template: Bytes, to: Whole, most: int,
    out: Bytes, out_shorts: Shorts, out_longs: Whole,
) -> None:  # fmt: skip
    """Messages of the ``chosen`` rows: the template, with numbers of so many bytes from byte ``at`` of the row put to byte ``to``
    of the message's row. One of a single byte is cut to ``most``."""
    skip = out.shape[1] - template.size
    for i in range(chosen.size):
        row = chosen[i]
        copy_bytes(template, out[i, skip:])
        for k in range(at.size):
            if widths[k] == 8:
                out_longs[i, to[k] + skip] = longs[row, at[k]]
            elif widths[k] == 4:
                out_shorts[i, to[k] + skip] = shorts[row, at[k]]
            else:
                out[i, to[k] + skip] = min(rows[row, at[k]], most)

"""Whole numbers foretold from those before them: what is left to store are small numbers, and nothing is lost.

A float64 is taken as its 64 bits in the order of the numbers they stand for, so that neighbours in value are neighbours as whole
numbers. All arithmetic wraps at 64 bits, so it can be undone whatever the bits are. Columns lie in rows of the arrays: one after
the other along time.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

Whole = NDArray[np.int64]
MOST_ORDERS: Final = 5  # differences of differences: a smooth motion's fifth ones are its rounding
SAMPLE: Final = 96  # rows on which an order is chosen
_MAGNITUDE: Final = np.int64(2**63 - 1)


def in_order(bits: Whole) -> Whole:
    """Bits of doubles as whole numbers in the order of the doubles; its own inverse."""
    out: Whole = bits >> 63
    out &= _MAGNITUDE
    out ^= bits
    return out


def sample_rows(rows: int) -> slice:
    """Of a block: from its middle, enough for differences of every order."""
    first = max(0, (rows - SAMPLE) // 2 - MOST_ORDERS)
    return slice(first, first + SAMPLE + MOST_ORDERS)


def chosen_orders(sample: Whole) -> NDArray[np.intp]:
    """For each column how often to take differences: what leaves the fewest bits in a sample of it."""
    left, bits = sample, []
    for order in range(MOST_ORDERS + 1):
        if order:
            left = np.diff(left, axis=1)
        size = np.abs(left[:, max(0, left.shape[1] - SAMPLE) :].astype(np.float32))
        bits.append(np.log(size + np.float32(1.0)).sum(axis=1) if size.shape[1] else np.full(len(sample), np.inf))
    best: NDArray[np.intp] = np.argmin(bits, axis=0)
    return best


def take_differences(values: Whole, orders: NDArray[np.intp]) -> None:
    """Replace columns, sorted by their ``orders``, by what is left of them. Row k has differences of at most order k."""
    for order in range(1, int(orders.max(initial=0)) + 1):
        part = values[np.searchsorted(orders, order) :, order - 1 :]
        part[:, 1:] = part[:, 1:] - part[:, :-1]


def sum_up(values: Whole, orders: NDArray[np.intp]) -> None:
    """Undo ``take_differences``."""
    for order in range(int(orders.max(initial=0)), 0, -1):
        part = values[np.searchsorted(orders, order) :, order - 1 :]
        np.cumsum(part, axis=1, out=part)


def unsigned(values: Whole) -> NDArray[np.uint64]:
    """Small numbers of either sign as small numbers without: 0, -1, 1, -2 become 0, 1, 2, 3."""
    out = values >> 63
    out ^= values << 1
    return out.view(np.uint64)


def signed(values: NDArray[np.uint64]) -> Whole:
    """Undo ``unsigned``."""
    out: Whole = (values & np.uint64(1)).view(np.int64)
    np.negative(out, out=out)
    out ^= (values >> np.uint64(1)).view(np.int64)
    return out

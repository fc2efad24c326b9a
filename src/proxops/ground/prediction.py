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
_MAGNITUDE: Final = np.int64(2**63 - 1)


def in_order(bits: Whole) -> Whole:
    """Bits of doubles as whole numbers in the order of the doubles; its own inverse."""
    out: Whole = bits >> 63
    out &= _MAGNITUDE
    out ^= bits
    return out

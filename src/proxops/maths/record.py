"""Records that kernels work on: structured arrays of one element."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import ParamSpec, cast

import numpy as np
from numpy.typing import NDArray

P = ParamSpec("P")


def one_layout(make: Callable[P, np.dtype[np.void]]) -> Callable[P, np.dtype[np.void]]:
    """One object for each layout: of two that are equal Numba compares every field, in every call of a kernel (5 us)."""
    return cast(Callable[P, "np.dtype[np.void]"], cache(make))


def room_for(count: int, least: int) -> int:
    """Elements of a field that holds ``count`` of them: a power of two, from ``least`` on. A field's size is part of its record's
    type, and each type has kernels of its own: with room to spare, cells that differ in their parts share them."""
    return max(least, 1 << (count - 1).bit_length())


def doubles_of(record: NDArray[np.void], first: str, count: int) -> NDArray[np.float64]:
    """View of neighbouring doubles of a one-element record, which is quicker to read than its fields."""
    fields = record.dtype.fields
    assert fields is not None
    return np.ndarray((count,), "<f8", record.data, int(fields[first][1]))

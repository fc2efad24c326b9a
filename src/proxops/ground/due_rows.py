"""Cycles of a block that viewers are shown, and numbers of each, out of its records by one kernel."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from proxops.ground.message_rows import numbers_in
from proxops.maths.kernel import kernel

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]


class Due(NamedTuple):
    """Ticks and times of cycles, and a row of doubles of each."""

    ticks: Whole
    utc_ns: Whole
    values: Floats

    def where(self, wanted: NDArray[np.bool_]) -> Due:
        """These of them."""
        return self if wanted.all() else Due(self.ticks[wanted], self.utc_ns[wanted], self.values[wanted])


class DueRows:
    """Every so many cycles, the doubles that begin at bytes ``at`` of a record."""

    def __init__(self, dtype: np.dtype[np.void], every: int, at: Whole) -> None:
        self._tick_at, self._utc_at = bytes_at(dtype, "clock", ("tick", "utc_ns"))
        self._every, self._at = every, at

    def of(self, rows: NDArray[np.uint8]) -> Due:
        """Of a block's records, one a row."""
        (ticks, utc_ns), bits = np.empty((2, len(rows)), np.int64), np.empty((len(rows), self._at.size), np.int64)
        count = _gather(numbers_in(rows)[1], self._tick_at, self._utc_at, self._every, self._at, ticks, utc_ns, bits)
        return Due(ticks[:count], utc_ns[:count], bits[:count].view(np.float64))


def bytes_at(dtype: np.dtype[np.void], group: str, names: tuple[str, ...] | None = None) -> list[int]:
    """First bytes of variables of a group, all of them if none is named."""
    first, kind = dtype.fields[group][1], dtype[group]  # type: ignore[index]
    return [first + kind.fields[name][1] for name in names or kind.names or ()]  # type: ignore[index]


@kernel
def _gather(
    longs: Whole, tick_at: int, utc_at: int, every: int, at: Whole, ticks: Whole, utc_ns: Whole, bits: Whole
) -> int:  # fmt: skip
    """``longs``: records by ``numbers_in``. How many cycles were due."""
    count = 0
    for row in range(len(longs)):
        if longs[row, tick_at] % every == 0:
            ticks[count], utc_ns[count] = longs[row, tick_at], longs[row, utc_at]
            for k in range(at.size):
                bits[count, k] = longs[row, at[k]]
            count += 1
    return count

"""Least and greatest value of every variable in a block of records, as doubles."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from proxops.ground.wire import runs

Floats = NDArray[np.float64]


class BlockBounds:
    """For records of one ``dtype`` (groups of variables, packed or with gaps)."""

    def __init__(self, dtype: np.dtype[np.void]) -> None:
        self._runs = runs(dtype)
        self.dtype, self.count = dtype, sum(run.count for run in self._runs)

    def of(self, records: NDArray[np.void]) -> tuple[Floats, Floats]:
        """(least, greatest) in the order of the variables. NaN counts only where there is nothing else; no record gives NaN."""
        if not records.size:
            return np.full(self.count, np.nan), np.full(self.count, np.nan)
        values = self._values(np.ascontiguousarray(records))
        with np.errstate(invalid="ignore"):
            # Of zeros and of what is no number there are several, and which one it is depends on who looked.
            low, high = (
                np.where(np.isnan(b), np.nan, b + 0.0) for b in (np.fmin.reduce(values), np.fmax.reduce(values))
            )
        return low, high

    def _values(self, records: NDArray[np.void]) -> Floats:
        """All as doubles, (records, variables): a few long copies and one reduction cost less than a reduction each."""
        values, column = np.empty((len(records), self.count)), 0
        for run in self._runs:
            at, step = run.record
            source = np.ndarray((len(records), run.count), run.type, records, at, (records.strides[0], step))
            values[:, column : column + run.count] = source
            column += run.count
        return values

"""Records of the pool as columns of 64-bit numbers, and back: as many small copies as there are runs of equal type."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.ground.prediction import Whole
from proxops.ground.schema import KEPT
from proxops.ground.wire import Layout, StridedVariables, layout, runs

_AS_WHOLE: Final = {"<f8": "<i8"}  # a double travels as its bits


class ColumnRows:
    """For records of one table. ``floats`` tells which columns hold the bits of doubles."""

    def __init__(self, dtype: np.dtype[np.void]) -> None:
        self.dtype, self._runs = dtype, runs(dtype)
        self.floats = np.concatenate([np.full(run.count, run.type == "<f8") for run in self._runs])

    def columns(self, records: NDArray[np.void]) -> Whole:
        """(columns, records)."""
        records = np.ascontiguousarray(records)
        out, at = np.empty((self.floats.size, len(records)), np.int64), 0
        for run in self._runs if len(records) else ():
            out[at : at + run.count] = _seen(run, records).T
            at += run.count
        return out

    def records(self, columns: Whole) -> NDArray[np.void]:
        """Undo ``columns``."""
        out, at = np.empty(columns.shape[1], self.dtype), 0
        for run in self._runs if out.size else ():
            _seen(run, out)[...] = columns[at : at + run.count].T
            at += run.count
        return out


def _seen(run: StridedVariables, records: NDArray[np.void]) -> NDArray[np.generic]:
    """A run's variables of all records where they lie, (records, variables)."""
    at, step = run.record
    kind = _AS_WHOLE.get(run.type, run.type)
    return np.ndarray((len(records), run.count), kind, records, at, (records.dtype.itemsize, step))


def column_rows(table: Layout) -> ColumnRows:
    """Of a table; made once for each schema."""
    return _of_schema(table.schema)


@lru_cache(maxsize=KEPT)
def _of_schema(schema: bytes) -> ColumnRows:
    return ColumnRows(layout(schema).dtype)

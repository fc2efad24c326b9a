"""All records of a log, column by column: a variable of an hour is one piece of memory, read at the memory's own pace."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from proxops.ground.column_rows import column_rows
from proxops.ground.prediction import Whole
from proxops.ground.wire import Layout

_KEPT_AS: Final = {"<f8": "<i8", "<i8": "<i8", "<u4": "<u4", "u1": "u1"}


class PoolColumns:
    """``count`` records of a table, to be filled by ``put``."""

    def __init__(self, table: Layout, count: int) -> None:
        self.table, self.count, self._rows = table, count, column_rows(table)
        kinds = [_KEPT_AS[column.type] for column in table.columns]
        self._places = {kind: np.flatnonzero([one == kind for one in kinds]) for kind in sorted(set(kinds))}
        self._parts = {kind: np.empty((at.size, count), kind) for kind, at in self._places.items()}
        self._found = {
            table.columns[number].path: (kind, row, table.columns[number].type)
            for kind, at in self._places.items()
            for row, number in enumerate(at.tolist())
        }

    @classmethod
    def of(cls, records: NDArray[np.void], table: Layout) -> PoolColumns:
        out = cls(table, records.size)
        out.put(0, out._rows.columns(records))
        return out

    def put(self, at: int, columns: Whole) -> None:
        """Some records from number ``at`` on, as ``ColumnRows`` gives them."""
        for kind, places in self._places.items():
            self._parts[kind][:, at : at + columns.shape[1]] = columns[places]

    def __contains__(self, path: str) -> bool:
        return path in self._found

    def column(self, path: str) -> NDArray[Any]:
        """All values of ``group.variable`` where they lie."""
        kind, row, own = self._found[path]
        values: NDArray[Any] = self._parts[kind][row].view(own)
        return values

    def records(self, rows: slice | NDArray[Any] = slice(None)) -> NDArray[np.void]:
        """Some records, one after the other in memory."""
        count = np.arange(self.count)[rows].size
        columns = np.empty((len(self.table.columns), count), np.int64)
        for kind, places in self._places.items():
            columns[places] = self._parts[kind][:, rows]
        return self._rows.records(columns)

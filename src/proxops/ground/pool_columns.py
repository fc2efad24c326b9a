"""All records of a log, variable by variable: one of an hour is one piece of memory, read at the memory's own pace.

A group of variables is decoded when one of them is first asked for, and kept: who asks for few pays for few.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from proxops.ground.column_rows import column_rows
from proxops.ground.prediction import Whole
from proxops.ground.wire import Column, Layout

WIDE: Final = ("<f8", "<i8")  # types of as many bytes as a decoded number
AT_ONCE: Final = 8  # others: what is decoded of them is only copied


class ColumnSource(Protocol):
    """What has ``count`` records in columns, as ``ColumnRows`` gives them."""

    @property
    def count(self) -> int: ...

    def columns(self, wanted: Whole) -> Sequence[Whole] | Whole:
        """Those with these numbers, one a row."""
        ...


class PlainColumns:
    """Columns that lie in memory, one a row."""

    def __init__(self, numbers: Whole) -> None:
        self._numbers = numbers

    @property
    def count(self) -> int:
        return int(self._numbers.shape[1])

    def columns(self, wanted: Whole) -> list[Whole]:
        return [self._numbers[number] for number in wanted]


class PoolColumns:
    """Records of a table."""

    def __init__(self, table: Layout, source: ColumnSource) -> None:
        self.table, self.count, self._source = table, source.count, source
        self._groups = {column.path: column.group for column in table.columns}
        self._values: dict[str, NDArray[Any]] = {}

    @classmethod
    def of(cls, records: NDArray[np.void], table: Layout) -> PoolColumns:
        return cls(table, PlainColumns(column_rows(table).columns(records)))

    def __contains__(self, path: str) -> bool:
        return path in self._groups

    def column(self, path: str) -> NDArray[Any]:
        """All values of ``group.variable``, one after the other in memory."""
        if path not in self._values:
            self._take_group(self._groups[path])
        return self._values[path]

    def _take_group(self, group: str) -> None:
        own = [(number, column) for number, column in enumerate(self.table.columns) if column.group == group]
        wide = [(number, column) for number, column in own if column.type in WIDE]
        for (_, column), numbers in zip(wide, self._numbers(wide), strict=True):
            self._values[column.path] = numbers.view(column.type)
        narrow = [(number, column) for number, column in own if column.type not in WIDE]
        for some in (narrow[k : k + AT_ONCE] for k in range(0, len(narrow), AT_ONCE)):
            for (_, column), numbers in zip(some, self._numbers(some), strict=True):
                self._values[column.path] = numbers.astype(column.type)

    def _numbers(self, columns: list[tuple[int, Column]]) -> Sequence[Whole] | Whole:
        return self._source.columns(np.array([number for number, _ in columns], np.int64))

    def records(self) -> NDArray[np.void]:
        """All of them, one after the other in memory."""
        return column_rows(self.table).records(np.asarray(self._source.columns(np.arange(len(self.table.columns)))))

"""What an application keeps of every cycle, as groups of the facility's pool: recorded and seen live like all others."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from proxops.core.experiment_result import ExperimentResult
from proxops.core.messages import Group
from proxops.core.pool import Pool
from proxops.facility.installation import Installation
from proxops.ground.experiment_log import about_text, groups_of
from proxops.ground.row_stream import Rows, RowStream, SeriesOf, column_index
from proxops.maths.rotation import Array

Columns = dict[str, Array]
"""Rows by their columns: a number that is set in one takes a twentieth of the time that it takes in a row."""


def columns_of(rows: Rows) -> Columns:
    """Views of them, seen once."""
    return {name: rows[name] for name in rows.dtype.names or ()}


class RowGroups:
    """``row``: one record of the application's, doubles only; ``series_of`` says which of its columns make which group."""

    def __init__(self, row: np.dtype[np.void], series_of: SeriesOf) -> None:
        self._index = column_index(row, series_of)
        self.groups: tuple[Group, ...] = groups_of(series_of(np.zeros(1, row)))[1:]  # the clock is the pool's own

    def attach(self, pool: Pool, rows: Rows) -> None:
        """To a pool that has the groups, and to all ``rows`` that there will be."""
        self._told = pool.run(self.groups[0].name, count=self._index.size)
        self._doubles = rows.view(np.float64).reshape(len(rows), -1)
        self._count = 0
        self.show(0)

    def show(self, count: int) -> None:
        """So many rows are kept by now: the newest into the pool, or nothing that is a number if this cycle has none."""
        if count > self._count:
            self._doubles[count - 1].take(self._index, out=self._told, mode="clip")  # without a copy in between
        else:
            self._told[:] = np.nan
        self._count = count


def conclude(hall: Installation, result: ExperimentResult, notes: tuple[str, ...], stream: RowStream) -> None:
    """What came of an application joins the log that the facility ends; ``stream`` has what else belongs to that."""
    told = replace(result, conventions=(*result.conventions, *notes))
    hall.last_words.metadata["experiment"] = about_text(told)
    hall.last_words.attachments.update({**stream.attachments, **result.attachments})

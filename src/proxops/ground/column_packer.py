"""Blocks of records as columns, as the recorder makes them: memory that is kept, and a plan of how each column is foretold.

Only who writes a log imports this: it loads the kernels that pack. Those of readers are in ``column_decoder``.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.ground.blocks import BLOCK_RECORDS, byte_rows
from proxops.ground.column_block import HEAD_BYTES, HEAD_ROWS, MULTIPLE, RATE, STILL, PackedColumns
from proxops.ground.column_kernels import (
    DOUBLE,
    KINDS,
    Bytes,
    Whole,
    choose_forms,
    fill_bounds,
    pack_columns,
    read_columns,
)
from proxops.ground.message_rows import numbers_in
from proxops.ground.prediction import in_order
from proxops.ground.relation import LEAST_ROWS, relations, sample_rows
from proxops.ground.wire import places

SEAMS: Final = 3  # first and other bytes of the numbers, and noise
PLAN_CYCLES: Final = 16 * BLOCK_RECORDS  # for which it is not asked anew how each column is best foretold


class ColumnPacker:
    """Of one recording, for records with a column at each byte ``at``. The plan is chosen from a block and good for those after
    it: what it says of a block costs bytes at worst."""

    def __init__(self, at: Whole, kinds: Bytes) -> None:
        self._at, self._kinds, self._doubles = at, kinds, kinds == DOUBLE
        self._least, self._greatest, self._order = (np.zeros(at.size, np.int64) for _ in range(3))
        self._seams, self._widths = np.zeros(SEAMS, np.int64), np.zeros(at.size, np.uint8)
        self._bounds = np.empty((2, at.size))
        self._epoch: int | None = None
        self._planned, self._noisy = (np.zeros(at.size, np.uint8) for _ in range(2))
        self._changed = np.zeros(0, np.uint8)
        self._sources, self._factors = np.zeros(at.size, np.int64), np.zeros(at.size)
        self._make_room(0)

    @classmethod
    def of(cls, dtype: np.dtype[np.void]) -> ColumnPacker:
        """For records of a table."""
        kinds, at = zip(*places(dtype), strict=True)
        return cls(np.array(at, np.int64), np.array([KINDS[kind] for kind in kinds], np.uint8))

    def renew(self, epoch: int) -> None:
        """Choose again if ``epoch`` is another than before. The same block, packed twice, finds the same plan."""
        if epoch != self._epoch:
            self._epoch = epoch
            self._planned[:] = STILL

    def columns_of(self, records: NDArray[np.void]) -> PackedColumns | None:
        """Of a block; None if it has no records."""
        if not records.size:
            return None
        self.renew(int(records["clock"]["tick"][0]) // PLAN_CYCLES)
        return self.pack(byte_rows(records))

    def pack(self, rows: Bytes) -> PackedColumns:
        """Of records, one a row, as plain bytes."""
        count = len(rows)
        if count > self._numbers.shape[1]:
            self._make_room(count)
        low, high = self._bounds
        if count:
            if self._changed.size != rows.shape[1]:
                self._changed = np.zeros(rows.shape[1], np.uint8)
            shorts, longs = numbers_in(rows)
            plan = self._changed, self._planned
            if not read_columns(rows, shorts, longs, self._at, self._kinds, *plan, *self._columns):
                self._plan(count)
            fill_bounds(*self._columns, self._kinds, count, *self._scratch_of_one, low, high)
        else:
            self._least[:], self._bounds[:] = self._greatest, np.nan
        end = pack_columns(
            *self._columns, self._kinds, count, self._planned, self._noisy, self._sources, self._factors, self._heads,
            self._planes, self._scratch, self._scratch_of_one[1], self._order, self._out, self._seams,
        )  # fmt: skip
        edges, view = [0, *self._seams.tolist(), end], self._out.data
        return PackedColumns(tuple(view[a:b] for a, b in pairwise(edges)), low, high)

    def _plan(self, count: int) -> None:
        """Chosen from this block: which follow from which, which of the others are held, and how often differences are taken of
        the rest. For all columns: where one begins to move, others change their ways."""
        moving = np.flatnonzero(self._least != self._greatest)
        self._planned[:], self._noisy[:] = STILL, False
        if count >= LEAST_ROWS:
            able = moving[self._doubles[moving]]
            related = relations(in_order(self._numbers[able[:, None], sample_rows(count)]).view(np.float64), able)
            self._planned[related.columns] = np.where(related.rates, RATE, MULTIPLE)
            self._sources[related.columns], self._factors[related.columns] = related.sources, related.factors
        alone = moving[self._planned[moving] == STILL]
        choose_forms(self._numbers, alone, count, self._planned, self._noisy, self._scratch, self._scratch_of_one[1])

    def _make_room(self, count: int) -> None:
        columns = self._at.size
        self._numbers, self._planes = np.empty((columns, count), np.int64), np.empty((columns, 8 * count), np.uint8)
        self._heads = np.empty((columns, HEAD_ROWS), np.int64)
        self._columns = self._numbers, self._least, self._greatest
        self._scratch = np.empty((3, max(count, 2)), np.int64)
        self._scratch_of_one = self._scratch[1], self._scratch[1].view(np.float64)
        self._out = np.empty(HEAD_BYTES + columns * (3 + 4 + 8 + 8 + count // 8 + 1 + 8 * max(count, 1)), np.uint8)

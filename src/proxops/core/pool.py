"""The live data pool: one record of a table of groups, with the quickest ways to fill it from the tick."""

from __future__ import annotations

import struct
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from proxops.core.messages import POOL, Group, doubles, group_offset, pool_dtype, run_of
from proxops.core.ring import bytes_of

CODES = {"f8": "d", "i8": "q", "u4": "I", "u1": "B"}  # numpy's type names as struct's


class Pool:
    """``pool.writer("state")(…)`` writes a whole group at once; ``pool.run("setpoint")`` is a view of doubles."""

    def __init__(self, groups: tuple[Group, ...] = POOL) -> None:
        self.groups = groups
        self.record: NDArray[np.void] = np.zeros(1, pool_dtype(groups))
        self.bytes = bytes_of(self.record)

    def writer(self, group: str, count: int | None = None) -> Callable[..., None]:
        """Writes the first ``count`` variables of a group (all by default), in the order of the table."""
        table = next(g for g in self.groups if g.name == group)
        layout = struct.Struct("<" + "".join(CODES[v.type] for v in table.variables[:count]))
        return partial(layout.pack_into, self.bytes, group_offset(group, self.record.dtype))

    def run(self, group: str, first: str | None = None, count: int | None = None) -> NDArray[np.float64]:
        """Writable view of a run of doubles, on into the groups that follow if ``count`` says so."""
        return doubles(self.record, group, first, count, self.groups)

    def integers(self, type_: str, group: str, first: str, count: int = 1) -> NDArray[Any]:
        """Writable view of a run of integers of one type (``CODES``), for kernels."""
        return run_of(self.record, type_, group, first, count, self.groups)

"""The live data pool: one record of ``messages.POOL``, with the quickest ways to fill it from the tick."""

from __future__ import annotations

import struct
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from proxops.core.messages import POOL, POOL_DTYPE, doubles, group_offset
from proxops.core.ring import bytes_of

CODES = {"f8": "d", "i8": "q", "u4": "I", "u1": "B"}  # numpy's type names as struct's


class Pool:
    """``pool.writer("state")(…)`` writes a whole group at once; ``pool.run("setpoint")`` is a view of doubles."""

    def __init__(self) -> None:
        self.record: NDArray[np.void] = np.zeros(1, POOL_DTYPE)
        self.bytes = bytes_of(self.record)

    def writer(self, group: str, count: int | None = None) -> Callable[..., None]:
        """Writes the first ``count`` variables of a group (all by default), in the order of the table."""
        table = next(g for g in POOL if g.name == group)
        layout = struct.Struct("<" + "".join(CODES[v.type] for v in table.variables[:count]))
        buffer, offset, pack_into = self.bytes, group_offset(group), layout.pack_into

        def write(*values: float) -> None:
            pack_into(buffer, offset, *values)

        return write

    def run(self, group: str, first: str | None = None, count: int | None = None) -> NDArray[np.float64]:
        """Writable view of a run of doubles, on into the groups that follow if ``count`` says so."""
        return doubles(self.record, group, first, count)

"""The live data pool: one record of ``messages.POOL`` and ready-made views into it, so that the tick writes without look-ups."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from proxops.core.messages import POOL, POOL_DTYPE, doubles


class Pool:
    """``pool["state.mode"][0] = 3`` writes one variable; ``pool.run("setpoint")`` is a view of a group of doubles."""

    def __init__(self) -> None:
        self.record: NDArray[np.void] = np.zeros(1, POOL_DTYPE)
        self._views = {f"{g.name}.{v.name}": self.record[g.name][v.name] for g in POOL for v in g.variables}

    def __getitem__(self, name: str) -> NDArray[np.generic]:
        return self._views[name]

    def run(self, group: str, first: str | None = None, count: int | None = None) -> NDArray[np.float64]:
        """Writable view of a run of doubles."""
        return doubles(self.record, group, first, count)

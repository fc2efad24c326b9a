"""The bridge's groups in the pool as kernels fill them, for cycles that pass in one call (``usual_following``)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from proxops.core.messages import POSE
from proxops.core.pool import Pool


class TelemetryViews(NamedTuple):
    """Runs of variables of one type, in the order of the table."""

    states: NDArray[np.uint8]  # from the phase to whether the command has a place
    sequence: NDArray[np.int64]
    counters: NDArray[np.uint32]  # from those taken to those doubled
    numbers: NDArray[np.float64]  # from what is left to the pace
    poses: NDArray[np.float64]  # commanded and shown relative pose, and the port's that is asked for

    @classmethod
    def of(cls, pool: Pool) -> TelemetryViews:
        return cls(
            pool.integers("u1", "bridge", "phase", 8),
            pool.integers("i8", "bridge", "sequence"),
            pool.integers("u4", "bridge", "taken", 6),
            pool.run("bridge", "left_m"),
            pool.run("commanded_relative", count=3 * len(POSE)),
        )

"""A log with other records than it was read with."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
from numpy.typing import NDArray

from proxops.ground.log import Log
from proxops.ground.pool_columns import PoolColumns


def with_records(log: Log, pool: NDArray[np.void], **changes: Any) -> Log:
    """``log`` with the records ``pool``, and other fields changed as in ``dataclasses.replace``."""
    return dataclasses.replace(log, cycles=PoolColumns.of(pool, log.cycles.table), **changes)

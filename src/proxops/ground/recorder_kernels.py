"""The kernels that a recording calls, loaded before there is anything to record."""

from __future__ import annotations

from functools import cache

import numpy as np

from proxops.core.messages import EVENT_DTYPE, POOL_DTYPE
from proxops.ground.blocks import Block
from proxops.ground.column_packer import ColumnPacker
from proxops.ground.relation import LEAST_ROWS
from proxops.ground.stage import warm_up_stage


@cache
def load_kernels() -> None:
    """In the way that a recording calls them. In a parent, so that each fork has them."""
    records = np.zeros(LEAST_ROWS, POOL_DTYPE)  # enough to look for relations
    records["clock"]["tick"] = range(LEAST_ROWS)
    block = Block(records, np.empty(0, EVENT_DTYPE), np.empty(0, np.int64))
    block.encode(ColumnPacker.of(POOL_DTYPE).columns_of(records))
    warm_up_stage(records)

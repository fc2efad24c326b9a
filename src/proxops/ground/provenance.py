"""The cell and tools with which a log was recorded, from its own metadata."""

from __future__ import annotations

import json

import numpy as np

from proxops.ground.log import Log
from proxops.lab.cell import Cell, load_cell
from proxops.lab.user_tool import UserTool


def cell_of(log: Log) -> Cell:
    """The shipped cell with the recorded tools. A log of another cell needs ``--cell``."""
    tools = [log.metadata.get(f"T_flange_port{robot}") for robot in (1, 2)]
    if not all(tools):
        return load_cell()
    T1, T2 = (np.array(json.loads(text or "[]"), dtype=np.float64) for text in tools)
    return load_cell(None, UserTool(T1, T2, log.metadata.get("user_tool", "log")))

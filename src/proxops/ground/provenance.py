"""The cell and tools with which a log was recorded, from its own metadata."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from proxops.core.errors import BadInput
from proxops.core.json_text import read_json
from proxops.ground.log import Log
from proxops.lab.any_cell import load_cell
from proxops.lab.cell import Cell
from proxops.lab.user_tool import UserTool


def cell_of(log: Log) -> Cell:
    """The shipped cell with the recorded tools. A log of another cell needs ``--cell``."""
    tools = [log.metadata.get(f"T_flange_port{robot}") for robot in (1, 2)]
    if not all(tools):
        return load_cell()
    T1, T2 = (_pose(text or "", str(log.path)) for text in tools)
    return load_cell(None, UserTool(T1, T2, log.metadata.get("user_tool", "log")))


def _pose(text: str, where: str) -> NDArray[np.float64]:
    try:
        T_flange_port = np.array(read_json(text, "the recorded tool", where), dtype=np.float64)
    except (ValueError, TypeError):
        T_flange_port = np.empty(0)
    if T_flange_port.shape != (4, 4) or not np.isfinite(T_flange_port).all():
        raise BadInput("the recorded tool is no pose", where=where, value=text, way_out="give the tool: --user-tool")
    return T_flange_port

"""A cell with other limits than its file says: of the axes, in the guard and in the packed record alike, and of the ports."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from proxops.lab.cell import Cell


def limited(cell: Cell, **changes: object) -> Cell:
    """``changes``: by the names of the packed record; a number holds for all axes."""
    packed = cell.hall.copy()
    for name, value in changes.items():
        packed[0][name] = value
    axes = {name: np.array(packed[0][name]) for name in cell.guarded._fields}
    return replace(cell, hall=packed, guarded=cell.guarded._replace(**axes))

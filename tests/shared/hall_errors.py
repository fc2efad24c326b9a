"""By how much the ports of a hall stand elsewhere than it reports: from the cell's own figures, not from what a filter assumes.

The axes of a hall are off by constants, drawn with the cell's ``positioning_sigma``; postures are drawn among those in which
Table 3 has both ports. In half a minute a posture hardly changes, so that a run has one error of each port.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from proxops.lab.any_cell import load_cell
from proxops.lab.cell import Cell
from proxops.lab.coordinates import port_poses
from proxops.lab.port_components import port_components
from proxops.lab.positioning import table3_postures
from proxops.maths.pose import compose, inverse_pose

POSTURES = 4000  # of which one in ten has both ports in Table 3's ranges


@cache
def _cell() -> Cell:
    return load_cell()


@cache
def _postures() -> NDArray[np.float64]:
    cell = _cell()
    h, values, ports = cell.hall[0], np.empty((2, 6)), np.empty((2, 4, 4))
    kept = []
    for q in table3_postures(cell.axes, POSTURES, np.random.default_rng(7)):
        port_components(cell.hall, q, np.zeros(2), values, ports)
        if np.all((h["range_lower"] <= values) & (values <= h["range_upper"])):
            kept.append(q)
    return np.array(kept)


def port_errors(rng: np.random.Generator) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """T_port_shown, 4 by 4, of the chaser's port (robot 1) and of the target's in a hall and a posture that are drawn."""
    cell, postures = _cell(), _postures()
    q = postures[rng.integers(len(postures))]
    off = q + cell.positioning_sigma * rng.standard_normal(len(q))
    chaser, target = (
        compose(inverse_pose(told), real)
        for told, real in zip(port_poses(cell.hall, q), port_poses(cell.hall, off), strict=True)
    )
    return chaser, target

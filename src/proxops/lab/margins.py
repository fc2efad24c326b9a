"""How near a motion comes to axis limits and singularities: the answer that goes with an inverse."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from proxops.core.messages import AXES
from proxops.lab.cell import Cell
from proxops.lab.coordinates import HallRecord
from proxops.lab.kinematics import singularity_margins
from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array

NAMES = ("axis_range", "wrist", "elbow", "shoulder")
UNITS = ("rad", "rad", "rad", "m")  # axis_range: m where the rail is nearest
NOTED_WRIST = math.radians(1.0)


@kernel
def _smallest(hall: HallRecord, q: Array, margin: Array, line: NDArray[np.int64], which: NDArray[np.int64]) -> None:
    """Per kind of margin: the smallest, its line (from 0) and its axis or robot (from 0)."""
    h = hall[0]
    for k in range(q.shape[0]):
        for i in range(13):
            room = min(q[k, i] - h.lower[i], h.upper[i] - q[k, i])
            if room < margin[0]:
                margin[0], line[0], which[0] = room, k, i
        for robot in range(2):
            lengths = h.lengths1 if robot == 0 else h.lengths2
            found = singularity_margins(lengths, q[k, 1 + 6 * robot : 7 + 6 * robot])
            for j in range(3):
                if found[j] < margin[1 + j]:
                    margin[1 + j], line[1 + j], which[1 + j] = found[j], k, robot


@dataclass(frozen=True)
class Margin:
    """The smallest margin of one kind on a motion; below zero is beyond the limit. SI units."""

    name: str
    value: float
    unit: str
    line: int  # counted from 0
    where: str


def smallest_margins(cell: Cell, q: NDArray[np.float64]) -> list[Margin]:
    """The nearest that axes ``q`` (n, 13) come to an axis limit and to each kind of singularity."""
    margin, line, which = np.full(4, np.inf), np.zeros(4, np.int64), np.zeros(4, np.int64)
    _smallest(cell.hall, q, margin, line, which)
    wheres = [AXES[which[0]], *(f"robot{which[j] + 1}" for j in (1, 2, 3))]
    units = ["m" if which[0] == 0 else "rad", *UNITS[1:]]
    return [Margin(*row) for row in zip(NAMES, margin.tolist(), units, line.tolist(), wheres, strict=True)]

"""Which solids of a hall can reach its fence: arms, and whatever rides on the rail.

Most cannot, in any posture: the lever of axis 1 bounds how far a solid ever is from that axis. Those that can are watched, one
pair each. Mock-ups are not among them: their red boxes stay in the spacecraft's room, which lies within the fence.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from proxops.lab.cell import Cell
from proxops.lab.shapes import BODIES, MOCKUP, ROBOT1, ROBOT2, Shape
from proxops.safety.levers import hull
from proxops.safety.nearness import FENCED
from proxops.safety.pairs import Pair


def fenced(cell: Cell, shapes: tuple[Shape, ...], levers: NDArray[np.float64]) -> list[Pair]:
    """Pairs of a solid and the fence; ``levers`` (axes, shapes) as ``lever_table`` has them."""
    margin = cell.file.zones.body_margin_mm * 1e-3
    unasked = (ROBOT1 + MOCKUP, ROBOT2 + MOCKUP)
    return [
        Pair(FENCED, i, i, margin, f"{BODIES[shape.body]} – fence")
        for i, shape in enumerate(shapes)
        if shape.body not in unasked and levers[:, i].any() and _reaches(cell, shape, levers[:, i], margin)
    ]


def _reaches(cell: Cell, shape: Shape, levers: NDArray[np.float64], margin: float) -> bool:
    """Whether some posture may bring the solid within ``margin`` of the fence."""
    fence = cell.file.zones.fence
    first = shape.body < ROBOT2  # on the rail
    x, y = cell.hall["base1" if first else "base2"][0, :2, 3].tolist()
    ends = (x + cell.axes.lower[0], x + cell.axes.upper[0]) if first else (x, x)
    reach = margin + float(levers[1 if first else 7] or _from_origin(shape))
    inside = fence.x_m[0] < ends[0] - reach and ends[1] + reach < fence.x_m[1]
    return not (inside and fence.y_m[0] < y - reach and y + reach < fence.y_m[1])


def _from_origin(shape: Shape) -> float:
    """How far a solid of base or carriage, which no axis turns, reaches from its body's origin, seen from above."""
    points, grown = hull(shape)
    return float(np.linalg.norm(points[:, :2], axis=1).max()) + grown

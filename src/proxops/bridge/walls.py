"""Both spacecraft's red boxes against the walls of their room, as fences of the cost.

Zones stop a box before it is in a wall; this keeps the posture from getting there. How far a box reaches along an axis of the lab
is the sum of its half edges' shares, |R| rounded where an edge lies across the axis, so that the gradient has no steps.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.bridge.penalty import fence
from proxops.lab.cell import Cell
from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array
from proxops.maths.stack import vector
from proxops.safety.watched_solids import mockup_boxes

ROUNDING: Final = 0.02  # of |R|: a box seems larger by that share of an edge, at most
WALL_FIELDS: Final = [
    ("box_middle", "f8", (2, 3)), ("box_half", "f8", (2, 3)), ("box_radius", "f8", (2,)),  # red boxes in port frames
    ("room", "f8", (2, 3)),  # lower and upper walls in the lab
    ("wall_soft", "f8"), ("wall_weight", "f8"),
]  # fmt: skip


def put_walls(cell: Cell, c: np.void, soft_m: float, weight: float) -> None:
    """Boxes and room of a cell into the record of a cost."""
    room, boxes = cell.file.zones.room, mockup_boxes(cell)
    c["box_middle"], c["box_half"] = 0.5 * (boxes[:, 0] + boxes[:, 1]), 0.5 * (boxes[:, 1] - boxes[:, 0])
    c["box_radius"] = (1.0 + 2.0 * ROUNDING) * np.linalg.norm(c["box_half"], axis=1)
    c["room"] = np.array([room.x_m, room.y_m, room.z_m]).T
    c["wall_soft"], c["wall_weight"] = soft_m, weight


@kernel
def wall_terms(
    cost: NDArray[np.void], robot: int, R_lab_port: Array, p_lab_port: Array, force: Array, torque: Array
) -> float:
    """Value for one box; adds its force on the port and its torque on the spacecraft, (3) each."""
    c = cost[0]
    half, soft, total = c.box_half[robot], c.wall_soft, 0.0
    lever, moved = vector(3), vector(3)  # box in port, lab axes; how the box's end moves with the attitude
    for i in range(3):
        lever[i] = 0.0
        for j in range(3):
            lever[i] += R_lab_port[i, j] * c.box_middle[robot, j]
    for k in range(3):
        middle, lower, upper = p_lab_port[k] + lever[k], c.room[0, k], c.room[1, k]
        if min(middle - lower, upper - middle) > c.box_radius[robot] + soft:
            continue  # however it is turned
        reach = 0.0
        for j in range(3):
            reach += half[j] * math.sqrt(R_lab_port[k, j] ** 2 + ROUNDING**2)
        low, low_slope = fence(middle - reach, lower, np.inf, soft, c.wall_weight)
        high, high_slope = fence(middle + reach, -np.inf, upper, soft, c.wall_weight)
        if low + high == 0.0:
            continue
        total += low + high
        pushed, grown = low_slope + high_slope, high_slope - low_slope  # by the box's middle, by its reach
        force[k] += pushed
        for i in range(3):
            moved[i] = pushed * lever[i]
            for j in range(3):
                share = R_lab_port[k, j] / math.sqrt(R_lab_port[k, j] ** 2 + ROUNDING**2)
                moved[i] += grown * half[j] * share * R_lab_port[i, j]
        torque[(k + 1) % 3] += moved[(k + 2) % 3]  # moved x e_k
        torque[(k + 2) % 3] -= moved[(k + 1) % 3]
    return total

"""What has been commanded along the normal, tick by tick, and where the hardware therefore was at a moment: the robot goes from
node to node on the cubic that has the commanded positions and rates at its ends, a delay late."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array

NODES: Final = 64  # of the ring: delays up to a quarter of a second at 4 ms


def straight_path(x: float, step: float) -> Array:
    """Ring of nodes (NODES, 2), position (m) and rate (m per tick), of an approach that is at ``x`` at node 0 and came
    there with ``step`` per tick."""
    return np.array([(x + step * (i if i == 0 else i - NODES), step) for i in range(NODES)])


@kernel
def put_node(path: Array, tick: int, x: float, step: float) -> None:
    """The node of a tick takes the place of the oldest one."""
    path[tick % NODES, 0], path[tick % NODES, 1] = x, step


@kernel
def placed(path: Array, ticks: float) -> tuple[float, float]:
    """Position (m) and rate (m per tick) at a moment in ticks, counted from node 0."""
    i = math.ceil(ticks)
    a, b = path[(i - 1) % NODES], path[i % NODES]
    u = ticks - (i - 1)
    gap = b[0] - a[0]
    bend, twist = 3.0 * gap - 2.0 * a[1] - b[1], a[1] + b[1] - 2.0 * gap
    return a[0] + u * (a[1] + u * (bend + u * twist)), a[1] + u * (2.0 * bend + 3.0 * u * twist)

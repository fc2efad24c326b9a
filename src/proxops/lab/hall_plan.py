"""Where what stands round the robots is drawn: walls, pedestal, floodlight by eye, the fence as the cell has it. Lab, metres.

Pictures of reports, the console's page and the sensors' scene draw these; nothing that moves depends on what is placed by eye.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.lab.hall_file import Fence

Segment = tuple[tuple[float, float], tuple[float, float]]  # from and to, lab x and y

WALL_X, WALL_Y = -4.2, 5.2  # the two walls behind the scene
HALL_END_X, OPEN_SIDE_Y = 30.0, -16.0  # how far floor and walls go on
WALL_HEIGHT: Final = 4.8
FENCE_HEIGHT: Final = 2.0
FENCE_POSTS_M: Final = (2.0, 2.125)  # between posts, along x and along y
PEDESTAL_HALF: Final = 0.45  # half edge of the steel block under robot 2
LAMP_DISTANCE: Final = 3.9
LIT_FROM_BASE2: Final = (2.2, 0.0, 1.9)  # what the floodlight looks at, from the base of robot 2, lab axes


def wall_lines() -> tuple[Segment, Segment]:
    """Feet of the walls: only the two behind the scene, so that one never looks through one."""
    corner = (WALL_X, WALL_Y)
    return (corner, (HALL_END_X, WALL_Y)), (corner, (WALL_X, OPEN_SIDE_Y))


def fence_lines(fence: Fence) -> tuple[Segment, Segment]:
    """Feet of the protective fence along the two walls; the near side is left open for the view."""
    (x, end_x), (near_y, y) = fence.x_m, fence.y_m
    return ((x, y), (end_x, y)), ((x, y), (x, near_y))


def fence_posts(fence: Fence) -> list[tuple[float, float]]:
    """Feet of the fence's posts."""
    (x0, end_x), (near_y, y0) = fence.x_m, fence.y_m
    along_x = [(float(x), y0) for x in np.arange(x0, end_x + 0.1, FENCE_POSTS_M[0])]
    along_y = [(x0, float(y)) for y in np.arange(y0, near_y - 0.1, -FENCE_POSTS_M[1])]
    return along_x + along_y[1:]


def lamp_beam(
    p_lab_base2: NDArray[np.float64], towards_lab: Sequence[float]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Where the floodlight's head hangs, and the direction of its light."""
    towards = np.asarray(towards_lab, dtype=np.float64)
    towards = towards / np.linalg.norm(towards)
    return p_lab_base2 + np.array(LIT_FROM_BASE2) + LAMP_DISTANCE * towards, -towards

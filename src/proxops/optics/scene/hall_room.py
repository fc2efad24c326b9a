"""What stands still round the robots, as sensors see it: floor, walls, the black curtain behind robot 2, pedestal, fence.
Lab, metres.

Floor, fence and pedestal stand as the pictures of reports have them (``lab.hall_plan``); the walls are those of the room of
the cell's plan that holds robot 2, and without a plan as far outside the fence as ours. There is no ceiling: above the walls
is black. The curtain is ASSUMED: Molton behind robot 2, just outside the fence, over the hall's width, and some metres along
its sides.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from proxops.lab import hall_plan
from proxops.lab.cell import Cell
from proxops.lab.shapes import floor_z_m, hall_shapes
from proxops.optics.scene.material import Material
from proxops.optics.scene.mesh import Mesh, joined
from proxops.optics.scene.palette import BLACK_CLOTH, CONCRETE, DARK_WALL, STEEL, paint
from proxops.optics.scene.primitives import box

THICK_M: Final = 0.02  # of floor, walls and curtain: their seen side stands where it should
BEHIND_FENCE_M: Final = 0.15  # of the curtain
CURTAIN_HEIGHT_M: Final = 4.5  # above the floor
CURTAIN_SIDE_M: Final = 5.0  # along the hall's long walls
WALL_FROM_FENCE_M: Final = 0.8  # where no plan tells
POST_M, WIRE_M = 0.06, 0.014  # across
WIRES: Final = 7
FENCE_PAINT: Final = paint(0.45)  # yellow
Span = tuple[float, float]


def room_mesh(cell: Cell) -> Mesh:
    """All of it, in the lab."""
    floor = floor_z_m(hall_shapes(cell))
    x, y = _walls(cell)
    low, high = floor, floor + hall_plan.WALL_HEIGHT
    parts = [
        _block(x, y, (floor - THICK_M, floor), CONCRETE),
        *(_block((at - THICK_M, at), y, (low, high), DARK_WALL) for at in (x[0], x[1] + THICK_M)),
        *(_block(x, (at - THICK_M, at), (low, high), DARK_WALL) for at in (y[0], y[1] + THICK_M)),
        *_curtain(cell, floor, x, y),
        _pedestal(cell, floor),
        *_fence(cell, floor),
    ]
    return joined(parts)


def _walls(cell: Cell) -> tuple[Span, Span]:
    """Inner sides."""
    base_x, base_y = cell.hall["base2"][0][:2, 3].tolist()
    for room in cell.file.plan.rooms if cell.file.plan else ():
        if room.holds(base_x, base_y):
            return (room.x_m[0], room.x_m[1]), (room.y_m[0], room.y_m[1])
    fence = cell.file.zones.fence
    return (
        (fence.x_m[0] - WALL_FROM_FENCE_M, fence.x_m[1] + WALL_FROM_FENCE_M),
        (fence.y_m[0] - WALL_FROM_FENCE_M, fence.y_m[1] + WALL_FROM_FENCE_M),
    )


def _curtain(cell: Cell, floor: float, x: Span, y: Span) -> list[Mesh]:
    """Behind robot 2 as seen from the middle of the rail, and along both sides of that end."""
    fence, base_x = cell.file.zones.fence, float(cell.hall["base2"][0][0, 3])
    from_low = base_x - fence.x_m[0] < fence.x_m[1] - base_x
    behind = (
        max(fence.x_m[0] - BEHIND_FENCE_M, x[0] + THICK_M)
        if from_low
        else min(fence.x_m[1] + BEHIND_FENCE_M, x[1] - THICK_M)
    )
    right, left = max(fence.y_m[0] - BEHIND_FENCE_M, y[0] + THICK_M), min(fence.y_m[1] + BEHIND_FENCE_M, y[1] - THICK_M)
    z = (floor + 0.05, floor + CURTAIN_HEIGHT_M)
    along = (behind, behind + CURTAIN_SIDE_M) if from_low else (behind - CURTAIN_SIDE_M, behind)
    rear = (behind - 0.5 * THICK_M, behind + 0.5 * THICK_M)
    sides = ((at - 0.25 * THICK_M, at + 0.25 * THICK_M) for at in (right, left))
    return [_block(rear, (right, left), z, BLACK_CLOTH), *(_block(along, side, z, BLACK_CLOTH) for side in sides)]


def _pedestal(cell: Cell, floor: float) -> Mesh:
    x, y, top = cell.hall["base2"][0][:3, 3].tolist()
    half = hall_plan.PEDESTAL_HALF
    return _block((x - half, x + half), (y - half, y + half), (floor - 0.01, top - 0.001), STEEL)


def _fence(cell: Cell, floor: float) -> list[Mesh]:
    """Posts and wires along the two lines that pictures have."""
    fence, top = cell.file.zones.fence, floor + hall_plan.FENCE_HEIGHT
    parts = [
        _block(_round(x, POST_M), _round(y, POST_M), (floor - 0.01, top + 0.01), FENCE_PAINT)
        for x, y in hall_plan.fence_posts(fence)
    ]
    for z in np.linspace(floor + 0.2, top, WIRES).tolist():
        for (x0, y0), (x1, y1) in hall_plan.fence_lines(fence):
            across = 0.5 * WIRE_M
            x, y = sorted((x0, x1)), sorted((y0, y1))
            parts.append(
                _block((x[0] - across, x[1] + across), (y[0] - across, y[1] + across), _round(z, WIRE_M), STEEL)
            )
    return parts


def _round(middle: float, width: float) -> Span:
    return middle - 0.5 * width, middle + 0.5 * width


def _block(x: Span, y: Span, z: Span, material: Material) -> Mesh:
    """A box between planes of the lab."""
    T_lab_box = np.eye(4)
    T_lab_box[:3, 3] = [0.5 * (low + high) for low, high in (x, y, z)]
    return box((x[1] - x[0], y[1] - y[0], z[1] - z[0]), material).moved(T_lab_box)

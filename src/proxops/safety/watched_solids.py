"""What is watched for collisions in a cell, and how far its axes can carry it: built once for a cell, packed for ``nearness``.

Which pairs these are is the table of a hall (``pairs``) or the rule for cells of arms (``arm_pairs``).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from proxops.core.errors import BadInput
from proxops.lab.any_cell import AnyCell
from proxops.lab.arm_cell import ArmCell
from proxops.lab.arm_shapes import arm_shapes
from proxops.lab.cell import Cell
from proxops.lab.chain import fill_chain
from proxops.lab.shapes import BODIES, MOCKUP, ROBOT1, ROBOT2, Shape, floor_z_m, hall_shapes
from proxops.safety import nearness
from proxops.safety.arm_pairs import arm_pairs
from proxops.safety.fence import fenced
from proxops.safety.levers import chain_levers, lever_table, pair_levers
from proxops.safety.pairs import Pair, watched

Boxes = NDArray[np.float64]  # (2, 2, 3): per robot the lower and upper corner in its port frame, m
LEVEL_AXES: Final = [0, 1, 7]  # rail and both A1: what they move in a hall keeps its height


class WatchedSolids(NamedTuple):
    """Solids on numbered bodies, the pairs that are watched, and how far each axis carries any point (m/rad; rail: m/m)."""

    shapes: tuple[Shape, ...]
    pairs: list[Pair]
    fixed: NDArray[np.void]
    bodies: int
    levers: NDArray[np.float64]


def watched_solids(cell: AnyCell, boxes: Boxes | None, opened: bool) -> WatchedSolids:
    """``boxes``: the red boxes of a hall's spacecraft, unless their mock-ups tell. ``opened``: the two may meet."""
    return _usual(cell, opened) if boxes is None or isinstance(cell, ArmCell) else _of_hall(cell, boxes, opened)


@lru_cache(maxsize=8)  # a facility looks at its cell from many sides
def _usual(cell: AnyCell, opened: bool) -> WatchedSolids:
    return _of_arms(cell) if isinstance(cell, ArmCell) else _of_hall(cell, mockup_boxes(cell), opened)


def _of_hall(cell: Cell, boxes: Boxes, opened: bool) -> WatchedSolids:
    shapes = (*hall_shapes(cell), *_box_shapes(boxes))
    table = lever_table(cell, shapes)
    pairs = [*watched(cell, shapes, opened), *fenced(cell, shapes, table)]
    fixed = np.zeros(1, nearness.fixed_dtype(*nearness.rooms(cell.n_axes, 1, len(pairs), len(shapes))))
    _pack(fixed[0], shapes, pairs, table)
    _pack_hall(fixed[0], cell, shapes, pairs, table)
    return WatchedSolids(shapes, pairs, fixed, len(BODIES), table.max(axis=1))


def mockup_boxes(cell: Cell) -> Boxes:
    """The red boxes of the cell: each mock-up's bounding box in its port frame, grown by the margin."""
    grow = cell.file.zones.box_margin_mm * 1e-3
    boxes = np.empty((2, 2, 3))
    for k, start in enumerate((ROBOT1, ROBOT2)):
        ends = np.array([s.extent_m() for s in hall_shapes(cell) if s.body == start + MOCKUP])
        boxes[k] = ends[:, 0].min(axis=0) - grow, ends[:, 1].max(axis=0) + grow
    return boxes


def _box_shapes(boxes: Boxes) -> list[Shape]:
    """The red boxes as solids of the mock-ups' bodies."""
    found = []
    for k, start in enumerate((ROBOT1, ROBOT2)):
        lower, upper = boxes[k]
        if not (lower < upper).all():
            raise BadInput(
                f"red box of robot {k + 1}", value=boxes[k].tolist(), bound="lower corner below upper corner"
            )
        T_port_box = np.eye(4)
        T_port_box[:3, 3] = 0.5 * (lower + upper)
        found.append(Shape(f"box{k + 1}", start + MOCKUP, "box", tuple((upper - lower).tolist()), T_port_box))
    return found


def _pack(f: np.void, shapes: tuple[Shape, ...], pairs: list[Pair], table: NDArray[np.float64]) -> None:
    f["pairs"], f["solids"] = len(pairs), len(shapes)
    columns = zip(*(pair[:4] for pair in pairs), strict=True)
    for name, column in zip(("kind", "first", "second", "margin"), columns, strict=True):
        f[name][: len(pairs)] = column
    first, second = (f[name][: len(pairs)] for name in ("first", "second"))
    f["levers"][: len(table), : len(pairs)] = pair_levers(table, first, second)
    for number, shape in enumerate(shapes):
        f["body"][number], f["half"][number] = shape.body, shape.half_m
        f["radius"][number], f["pose"][number] = shape.radius_m, shape.T_body_shape
        f["form"][number] = nearness.FORMS.index(shape.kind)


def _pack_hall(
    f: np.void, cell: Cell, shapes: tuple[Shape, ...], pairs: list[Pair], table: NDArray[np.float64]
) -> None:
    for number, pair in enumerate(pairs):  # these stand still themselves
        if pair.kind in (nearness.WALLS, nearness.FENCED):
            f["levers"][: len(table), number] = table[:, pair.first]
        elif pair.kind == nearness.RAIL_ENDS:
            f["levers"][0, number] = 1.0
        elif pair.kind == nearness.ABOVE_FLOOR:
            f["levers"][LEVEL_AXES, number] = 0.0
    room, fence = cell.file.zones.room, cell.file.zones.fence
    f["fence"] = np.array([fence.x_m, fence.y_m]).T
    f["room"] = np.array([room.x_m, room.y_m, room.z_m]).T
    f["floor_z"], f["rail"] = floor_z_m(shapes), (cell.axes.lower[0], cell.axes.upper[0])
    if not room.z_m[0] > f["floor_z"]:
        raise BadInput(
            "zones.room.z_m: the floor lies inside the room", where=str(cell.source), value=f"{room.z_m[0]:g} m",
            bound=f"above {f['floor_z']:g} m",
        )  # fmt: skip


def _of_arms(cell: ArmCell) -> WatchedSolids:
    shapes = arm_shapes(cell)
    pairs = arm_pairs(cell, shapes)
    bodies = len(cell.links) + 1
    fixed = np.zeros(1, nearness.fixed_dtype(*nearness.rooms(cell.n_axes, bodies, len(pairs), len(shapes))))
    table = chain_levers(cell, shapes)
    _pack(fixed[0], shapes, pairs, table)
    fill_chain(fixed[0], cell.links)
    floor = cell.file.zones.floor_z_m
    fixed[0]["floor_z"] = -np.inf if floor is None else floor
    return WatchedSolids(shapes, pairs, fixed, bodies, table.max(axis=1))

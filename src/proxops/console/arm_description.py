"""A cell of arms as plain data for the page: the links of its arms and what stands still around them.

The same table as a hall's (hall_description.py); what a cell of arms has not (spacecraft, pedestal, lamp, walls) is empty.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from proxops.console.link_description import Described, bounds, described_axes, described_link, described_solid, rows
from proxops.lab.arm_cell import ArmCell
from proxops.lab.arm_cell_file import MountedArm
from proxops.lab.arm_shapes import arm_shapes
from proxops.lab.shapes import Shape
from proxops.lab.urdf_drawing import Solid
from proxops.maths.rotation import Array

ALUMINIUM: Final = (0.56, 0.58, 0.61, 1.0)
AROUND_M: Final = 1.2  # of floor round what stands there, where the cell has no plan


def describe_arms(cell: ArmCell) -> Described:
    """Everything that the page needs to draw the cell; JSON as it stands."""
    file, names, still = cell.file, [link.name for link in cell.links], _still(cell)
    arms = [_arm(arm, names, k) for k, arm in enumerate(file.arms, 1)]
    lower, upper = _extent(cell, arms, still)
    floor_z_m = float(lower[2]) if file.zones.floor_z_m is None else file.zones.floor_z_m
    floor = _floor(cell, lower, upper)
    return {
        "name": file.name,
        "axes": described_axes(cell),
        "links": [*map(described_link, cell.links), _surroundings(still)],
        "frames": [{"name": "lab", "link": -1}, *(frame for arm in arms for frame in _frames(arm))],
        "arms": arms,
        "crafts": [],
        "floor_z_m": floor_z_m,
        "room": {"x_m": _span(lower, upper, 0), "y_m": _span(lower, upper, 1), "z_m": [floor_z_m, float(upper[2])]},
        "yellow_layer_m": file.zones.yellow_layer_mm * 1e-3,
        "rail": file.rail and {"origin_lab_m": list(file.rail.origin_lab_m), "stroke_m": bounds(cell, 0)},
        "plan": {
            "floor_x_m": floor[0], "floor_y_m": floor[1], "walls": [], "wall_height_m": 0.0, "fence": [], "fence_posts": [],
            "fence_height_m": 0.0,
        },
        "pedestal": None,
        "lamp": None,
    }  # fmt: skip


def _arm(arm: MountedArm, names: list[str], k: int) -> Described:
    return {"robot": k, "base": names.index(f"robot{k}/{arm.root}"), "flange": names.index(f"robot{k}/{arm.tip}")}


def _frames(arm: Described) -> list[Described]:
    return [{"name": f"{name} {arm['robot']}", "link": arm[name]} for name in ("base", "flange")]


def _still(cell: ArmCell) -> list[Shape]:
    """What stands on the lab, the last body, but for the floor."""
    return [shape for shape in arm_shapes(cell) if shape.body == len(cell.links) and shape.kind != "halfspace"]


def _surroundings(still: list[Shape]) -> Described:
    """What stands still, as one link that hangs on the lab."""
    drawn = [Solid(shape.kind, shape.size_m, shape.T_body_shape, ALUMINIUM, "aluminium") for shape in still]
    solids = [described_solid(solid) for solid in drawn]
    return {
        "name": "surroundings", "parent": -1, "joint": "fixed", "axis": [0.0, 0.0, 1.0], "drive": -1,
        "T_parent_joint": rows(np.eye(4)), "mockup": 0, "visuals": solids, "solids": solids,
    }  # fmt: skip


def _extent(cell: ArmCell, arms: list[Described], still: list[Shape]) -> tuple[Array, Array]:
    """Lower and upper corner, lab, of a box round what stands still and all that the arms can reach."""
    ends = [shape.extent_m() for shape in still]
    for arm in arms:
        reach = _reach_m(cell, arm)
        ends += [(place - reach, place + reach) for place in _base_places(cell, arm["base"])]
    return np.min([low for low, _ in ends], axis=0), np.max([high for _, high in ends], axis=0)


def _reach_m(cell: ArmCell, arm: Described) -> float:
    """Of the flange from the base, the arm stretched."""
    at, length = arm["flange"], 0.0
    while at != arm["base"]:
        length += float(np.linalg.norm(cell.links[at].T_parent_joint[:3, 3]))
        at = cell.links[at].parent
    return length


def _base_places(cell: ArmCell, at: int) -> list[Array]:
    """Where a base can stand, lab: one place, or the ends of its rail."""
    places = [np.zeros(3)]
    while at >= 0:
        link = cell.links[at]
        if link.drive >= 0:
            ends = [
                np.array(link.drawn.axis) * end for end in (cell.axes.lower[link.drive], cell.axes.upper[link.drive])
            ]
            places = [place + end for place in places for end in ends]
        places = [link.T_parent_joint[:3, :3] @ place + link.T_parent_joint[:3, 3] for place in places]
        at = link.parent
    return places


def _span(lower: Array, upper: Array, i: int) -> list[float]:
    return [float(lower[i]), float(upper[i])]


def _floor(cell: ArmCell, lower: Array, upper: Array) -> list[list[float]]:
    """Spans of the floor along x and y: all rooms of the plan, or what is reached and some way round it."""
    if cell.file.plan is None:
        return [_span(lower - AROUND_M, upper + AROUND_M, i) for i in (0, 1)]
    rooms = cell.file.plan.rooms
    spans = [room.x_m for room in rooms], [room.y_m for room in rooms]
    return [[min(low for low, _ in along), max(high for _, high in along)] for along in spans]

"""Links and axes of any cell as plain data for the page.

Poses are sixteen numbers row by row, metres in the frame that their name gives first. A link's pose at axes ``q`` is
T_lab_parent @ T_parent_joint @ (a turn about, or a way along, ``axis`` by ``q[drive]``); parents come first.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from proxops.lab.any_cell import AnyCell
from proxops.lab.link_tree import TreeLink
from proxops.lab.urdf_drawing import Solid

Described = dict[str, Any]


def described_link(link: TreeLink) -> Described:
    """One link of the tree."""
    drawn = link.drawn
    return {
        "name": link.name,
        "parent": link.parent,
        "joint": drawn.moves,
        "axis": list(drawn.axis),
        "drive": link.drive,
        "T_parent_joint": rows(link.T_parent_joint),
        "mockup": _mockup_of(link.name),
        "visuals": [described_solid(s) for s in drawn.visuals],
        "solids": [described_solid(s) for s in drawn.solids],
    }


def _mockup_of(name: str) -> int:
    """1 or 2: part of that robot's mock-up, which a CAD model may replace; 0: part of a machine."""
    return int(name[5]) if "/mockup/" in name else 0


def described_solid(solid: Solid) -> Described:
    """A box, cylinder, sphere or mesh with its finish."""
    told = {
        "kind": solid.kind,
        "size_m": list(solid.size_m),
        "T_link_solid": rows(solid.T_link_solid),
        "rgba": list(solid.rgba),
        "material": solid.material,
    }
    if solid.surface is not None:
        told["corners_m"] = np.round(solid.surface.vertices, 6).ravel().tolist()
        told["triangles"] = solid.surface.triangles.ravel().tolist()
    return told


def described_axes(cell: AnyCell) -> list[Described]:
    """Name, unit, range and home of every axis."""
    return [
        {"name": name, "unit": "m" if slides else "rad", "range": bounds(cell, i), "home": float(cell.home[i])}
        for i, (name, slides) in enumerate(zip(cell.axis_names, cell.slides, strict=True))
    ]


def bounds(cell: AnyCell, axis: int) -> list[float | None]:
    """Range of an axis, m or rad; nothing where it is endless."""
    return [float(b[axis]) if math.isfinite(b[axis]) else None for b in (cell.axes.lower, cell.axes.upper)]


def rows(T: NDArray[np.float64]) -> list[float]:
    """A pose as sixteen numbers."""
    return [float(number) for number in T.ravel()]

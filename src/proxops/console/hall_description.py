"""The hall as plain data for the page: one tree of links for rail, robots and mock-ups, and what stands around them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from proxops.console.link_description import Described, bounds, described_axes, described_link, rows
from proxops.lab import hall_plan
from proxops.lab.cell import Cell
from proxops.lab.link_tree import hall_links
from proxops.lab.mockup import PORT
from proxops.lab.shapes import floor_z_m, hall_shapes
from proxops.lab.urdf import LINKS
from proxops.maths.pose import pose_from_abc
from proxops.safety.watched_solids import mockup_boxes


def describe_hall(cell: Cell) -> Described:
    """Everything that the page needs to draw the cell; JSON as it stands."""
    links = [described_link(link) for link in hall_links(cell)]
    return {
        "name": cell.file.name,
        "axes": described_axes(cell),
        "links": links,
        "frames": _frames([link["name"] for link in links]),
        "arms": [_arm([link["name"] for link in links], k) for k in (1, 2)],
        "crafts": _crafts(cell, [link["name"] for link in links]),
        "floor_z_m": floor_z_m(hall_shapes(cell)),
        "room": {name: list(getattr(cell.file.zones.room, name)) for name in ("x_m", "y_m", "z_m")},
        "yellow_layer_m": cell.file.zones.yellow_layer_mm * 1e-3,
        "rail": {"origin_lab_m": list(cell.file.rail.origin_lab_m), "stroke_m": bounds(cell, 0)},
        "plan": _plan(cell),
        "pedestal": _pedestal(cell),
        "lamp": _lamp(cell),
    }


def _arm(names: list[str], k: int) -> Described:
    return {"robot": k, "base": names.index(f"robot{k}/{LINKS[0]}"), "flange": names.index(f"robot{k}/{LINKS[-1]}")}


def _frames(names: list[str]) -> list[Described]:
    """Coordinate frames with a name: which link carries them; -1 is the lab."""
    found = [{"name": "lab", "link": -1}]
    for k in (1, 2):
        for name, link in (("base", LINKS[0]), ("flange", LINKS[-1]), ("port", f"mockup/{PORT}")):
            found.append({"name": f"{name} {k}", "link": names.index(f"robot{k}/{link}")})
    return found


def _crafts(cell: Cell, names: list[str]) -> list[Described]:
    """Per robot what is mounted: links of flange and port, the red box in the port frame, and CAD where it is given."""
    found = []
    for k, (robot, (lower, upper)) in enumerate(zip(cell.robots, mockup_boxes(cell), strict=True), 1):
        found.append(
            {
                "robot": k,
                "what": robot.payload.what,
                "flange": names.index(f"robot{k}/{LINKS[-1]}"),
                "port": names.index(f"robot{k}/mockup/{PORT}"),
                "T_flange_port": rows(cell.hall[f"port{k}"][0]),
                "box_m": [lower.tolist(), upper.tolist()],
                "cad": _cad(robot.payload, k),
            }
        )
    return found


def _cad(payload: Any, robot: int) -> Described | None:
    """Where the page fetches a mock-up's CAD model and how it stands in the port frame."""
    name = payload.cad
    if not name:
        return None
    x, y, z = payload.cad_xyz_m
    a, b, c = np.radians(payload.cad_abc_deg)
    return {
        "format": Path(name).suffix.lower().lstrip("."),
        "url": f"/api/cad/robot{robot}",
        "scale": payload.cad_scale,
        "T_port_cad": rows(pose_from_abc(x, y, z, a, b, c)),
    }


def _plan(cell: Cell) -> Described:
    fence = cell.file.zones.fence
    return {
        "floor_x_m": [hall_plan.WALL_X, hall_plan.HALL_END_X],
        "floor_y_m": [hall_plan.OPEN_SIDE_Y, hall_plan.WALL_Y],
        "walls": hall_plan.wall_lines(),
        "wall_height_m": hall_plan.WALL_HEIGHT,
        "fence": hall_plan.fence_lines(fence),
        "fence_posts": hall_plan.fence_posts(fence),
        "fence_height_m": hall_plan.FENCE_HEIGHT,
    }


def _pedestal(cell: Cell) -> Described:
    """The block under robot 2, from the floor to its base plane."""
    x, y, z = cell.hall["base2"][0][:3, 3].tolist()
    return {"xy_m": [x, y], "half_m": hall_plan.PEDESTAL_HALF, "top_z_m": z}


def _lamp(cell: Cell) -> Described:
    head, beam = hall_plan.lamp_beam(cell.hall["base2"][0][:3, 3], cell.file.lamp.towards_lab)
    return {"head_lab_m": head.tolist(), "beam_lab": beam.tolist(), "reach_m": hall_plan.LAMP_DISTANCE}

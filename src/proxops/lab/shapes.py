"""What stands and moves in the hall as simple solids: the <collision> primitives of its models, and where axes put them.

A body is whatever keeps its shape when axes move: floor, rail bed, carriage, the links of both arms, plates (on the
flanges) and mock-ups (in the port frames). ``body_poses`` places the bodies, ``T_body_shape`` a solid on its body.
"""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from proxops.core.errors import BadInput
from proxops.core.xml_text import load_xml
from proxops.lab.cell import Cell, model_path
from proxops.lab.coordinates import HallRecord
from proxops.lab.mockup import Mockup
from proxops.lab.urdf import LINKS
from proxops.maths.kernel import kernel
from proxops.maths.pose import pose_from_abc, put_composed
from proxops.maths.rotation import Array

FLOOR, RAIL, CARRIAGE, ROBOT1, ROBOT2 = 0, 1, 2, 3, 12
FLANGE, MOCKUP = 7, 8  # counted from ROBOT1 or ROBOT2: 0 base, 1 … 6 links, 7 flange with plate, 8 mock-up
BODIES: Final = (
    "floor", "rail", "carriage",
    *(f"robot{k}/{name}" for k in (1, 2) for name in (*LINKS, "mockup")),
)  # fmt: skip

Kind = Literal["box", "cylinder", "sphere", "halfspace"]
SIZES: Final[dict[str, tuple[str, ...]]] = {"box": ("size",), "cylinder": ("radius", "length"), "sphere": ("radius",)}


@dataclass(frozen=True, eq=False)
class Shape:
    """One solid, centred on its own frame. ``size_m``: edges of a box; radius and length (along z) of a cylinder;
    radius of a sphere; nothing for a halfspace, which fills all below its xy plane."""

    name: str
    body: int  # into BODIES
    kind: Kind
    size_m: tuple[float, ...]
    T_body_shape: NDArray[np.float64]

    @property
    def half_m(self) -> tuple[float, float, float]:
        """Half edges of the smallest box round it, along its own axes."""
        if self.kind == "box":
            x, y, z = self.size_m
            return 0.5 * x, 0.5 * y, 0.5 * z
        if self.kind == "cylinder":
            radius, length = self.size_m
            return radius, radius, 0.5 * length
        return (self.size_m[0],) * 3 if self.kind == "sphere" else (math.inf,) * 3

    @property
    def radius_m(self) -> float:
        """Radius of the smallest sphere round its centre that holds it."""
        x, y, z = self.half_m
        return {"box": math.hypot(x, y, z), "cylinder": math.hypot(x, z), "sphere": x, "halfspace": math.inf}[self.kind]

    def extent_m(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Lower and upper ends along the axes of its body."""
        R, centre = self.T_body_shape[:3, :3], self.T_body_shape[:3, 3]
        if self.kind == "box":
            reach = np.abs(R) @ np.array(self.half_m)
        elif self.kind == "cylinder":
            radius, length = self.size_m
            reach = 0.5 * length * np.abs(R[:, 2]) + radius * np.sqrt(np.clip(1.0 - R[:, 2] ** 2, 0.0, 1.0))
        else:
            reach = np.full(3, self.radius_m)
        return centre - reach, centre + reach


@lru_cache(maxsize=8)
def hall_shapes(cell: Cell) -> tuple[Shape, ...]:
    """Every solid of the hall, body by body. Its models are read once."""
    file, source = cell.file, cell.source
    rail = _read(model_path(source, file.rail.model), {"rail": RAIL, "carriage": CARRIAGE})
    found = [_floor(cell, rail), *rail]
    for start, robot, mockup in zip((ROBOT1, ROBOT2), cell.robots, cell.mockups, strict=True):
        found += _read(model_path(source, robot.model), {link: start + i for i, link in enumerate(LINKS)})
        found += mockup_shapes(mockup, start + MOCKUP)
    return tuple(found)


def mockup_shapes(mockup: Mockup, body: int) -> list[Shape]:
    """The collision solids of all links of a mock-up, in the port frame."""
    solids = [(solid, T_port_link) for _, link, T_port_link in mockup.links for solid in link.findall("collision")]
    shapes = [_solid(mockup.path, solid, f"{BODIES[body]}#{i}", body) for i, (solid, _) in enumerate(solids, 1)]
    return [replace(s, T_body_shape=T @ s.T_body_shape) for s, (_, T) in zip(shapes, solids, strict=True)]


def floor_z_m(shapes: tuple[Shape, ...]) -> float:
    """Height of the floor in the lab."""
    return float(next(s for s in shapes if s.body == FLOOR).T_body_shape[2, 3])


def _floor(cell: Cell, rail: list[Shape]) -> Shape:
    """The rail's bed stands on the floor: that is what tells its height. The frame of the body is the lab."""
    below_base_m = min(shape.extent_m()[0][2] for shape in rail if shape.body == RAIL)
    T_lab_floor = pose_from_abc(0.0, 0.0, cell.file.rail.origin_lab_m[2] + below_base_m, 0.0, 0.0, 0.0)
    return Shape("floor", FLOOR, "halfspace", (), T_lab_floor)


def _read(path: Path, bodies: dict[str, int]) -> list[Shape]:
    """The collision solids of the links named in ``bodies``."""
    links = {link.attrib.get("name", ""): link for link in load_xml(path, "the model").iter("link")}
    found = []
    for name, body in bodies.items():
        solids = links[name].findall("collision") if name in links else []
        if not solids:
            raise BadInput(
                f"no collision shape on link {name}", where=str(path), way_out="give it a primitive that encloses it"
            )
        found += [_solid(path, solid, f"{BODIES[body]}#{i + 1}", body) for i, solid in enumerate(solids)]
    return found


def _solid(path: Path, collision: ET.Element, name: str, body: int) -> Shape:
    geometry = collision.find("geometry/*")
    if geometry is None or geometry.tag not in SIZES:
        raise BadInput(
            f"collision shape {name}", where=str(path), value="nothing" if geometry is None else geometry.tag,
            bound=", ".join(SIZES), way_out="enclose it in primitives",
        )  # fmt: skip
    origin = collision.find("origin")
    placed = {} if origin is None else origin.attrib
    size = [number for key in SIZES[geometry.tag] for number in _numbers(path, name, geometry.attrib.get(key, ""))]
    x, y, z, roll, pitch, yaw = (
        number for key in ("xyz", "rpy") for number in _numbers(path, name, placed.get(key, "0 0 0"))
    )
    if len(size) != {"box": 3, "cylinder": 2, "sphere": 1}[geometry.tag] or not min(size) > 0:
        raise BadInput(f"collision shape {name}", where=str(path), value=size, bound="sizes above zero")
    kind: Kind = "box" if geometry.tag == "box" else "cylinder" if geometry.tag == "cylinder" else "sphere"
    return Shape(name, body, kind, tuple(size), pose_from_abc(x, y, z, yaw, pitch, roll))  # URDF's rpy turns as ABC


def _numbers(path: Path, name: str, text: str) -> list[float]:
    try:
        numbers = [float(word) for word in text.split()]
    except ValueError:
        numbers = [math.nan]
    if not all(map(math.isfinite, numbers)):
        raise BadInput(f"collision shape {name}", where=str(path), value=repr(text), bound="finite numbers")
    return numbers


@kernel
def _link(T: Array, x: float, y: float, z: float, axis: int, angle: float, out: Array) -> None:
    """The next link's frame: go (x, y, z), then turn about its own ``axis`` (0 x, 1 y, 2 z)."""
    c, s = math.cos(angle), math.sin(angle)
    j, k = (axis + 1) % 3, (axis + 2) % 3
    for i in range(3):
        out[i, 3] = T[i, 3] + T[i, 0] * x + T[i, 1] * y + T[i, 2] * z
        out[i, axis] = T[i, axis]
        out[i, j] = c * T[i, j] + s * T[i, k]
        out[i, k] = c * T[i, k] - s * T[i, j]


@kernel
def _arm_poses(lengths: Array, T_flange_port: Array, q: Array, out: Array) -> None:
    """Links, flange and mock-up of an arm from its base in ``out[0]``; the chain of ``kinematics.forward``."""
    a1, d1, a2, a3, d4, d6 = lengths[0], lengths[1], lengths[2], lengths[3], lengths[4], lengths[5]
    _link(out[0], 0.0, 0.0, 0.0, 2, -q[0], out[1])
    _link(out[1], a1, 0.0, d1, 1, q[1], out[2])
    _link(out[2], a2, 0.0, 0.0, 1, q[2], out[3])
    _link(out[3], 0.0, 0.0, a3, 0, -q[3], out[4])
    _link(out[4], d4, 0.0, 0.0, 1, q[4], out[5])
    _link(out[5], 0.0, 0.0, 0.0, 0, -q[5], out[6])
    _link(out[6], d6, 0.0, 0.0, 1, 0.5 * math.pi, out[FLANGE])
    put_composed(out[FLANGE], T_flange_port, out[MOCKUP])


@kernel
def body_poses(hall: HallRecord, q: Array, out: Array) -> None:
    """T_lab_body of every body at axes ``q`` (13) into ``out`` (21, 4, 4)."""
    h = hall[0]
    for body in range(out.shape[0]):
        for i in range(4):
            for j in range(4):
                out[body, i, j] = 1.0 if i == j else 0.0
    for i in range(3):
        out[RAIL, i, 3] = out[CARRIAGE, i, 3] = h.base1[i, 3]
        for j in range(4):
            out[ROBOT1, i, j] = h.base1[i, j]
            out[ROBOT2, i, j] = h.base2[i, j]
    out[CARRIAGE, 0, 3] += q[0]
    out[ROBOT1, 0, 3] += q[0]
    _arm_poses(h.lengths1, h.port1, q[1:7], out[ROBOT1:ROBOT2])
    _arm_poses(h.lengths2, h.port2, q[7:13], out[ROBOT2:])

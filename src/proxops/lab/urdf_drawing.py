"""What a URDF file says about looks: links with their visible and their collision solids, and the joints between them.

``lab/urdf.py`` and ``lab/shapes.py`` read what the kernels need and refuse the rest; here whatever can be drawn is taken.
So are meshes in files beside the model (STL, OBJ, glTF) of a size that pages and logs can carry. One that is elsewhere
(``package://``) or larger is passed over: a link that has nothing else to show is drawn by its collision solids.
"""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.errors import BadInput
from proxops.core.xml_text import load_xml
from proxops.lab.mesh_file import READERS, read_surface
from proxops.lab.mesh_judgement import JudgedSurface
from proxops.lab.surface import Surface
from proxops.maths.pose import pose_from_abc

Pose = NDArray[np.float64]
Rgba = tuple[float, ...]
SIZES: Final[dict[str, tuple[tuple[str, int], ...]]] = {
    "box": (("size", 3),), "cylinder": (("radius", 1), ("length", 1)), "sphere": (("radius", 1),),
}  # fmt: skip
MODELS: Final = Path(str(files("proxops.lab").joinpath("models")))  # as shipped
GREY: Final[Rgba] = (0.6, 0.6, 0.62, 1.0)
DRAWN_TRIANGLES: Final = 20_000  # of one mesh: more is too much for the console's page and for every log
MOVING: Final = {"revolute": "revolute", "continuous": "revolute", "prismatic": "prismatic"}


@dataclass(frozen=True)
class Solid:
    """A box (edges), cylinder (radius, length along z) or sphere (radius), centred on its own frame; or a mesh (edges of the box
    round it) in its file's axes, with its ``surface``. Metres."""

    kind: str
    size_m: tuple[float, ...]
    T_link_solid: Pose
    rgba: Rgba = GREY
    material: str = ""
    surface: Surface | None = None


@dataclass(frozen=True)
class DrawnLink:
    """A link, and the joint by which it hangs on its parent; ``parent`` is empty for a root."""

    name: str
    parent: str
    joint: str  # its name
    moves: str  # revolute, prismatic or fixed
    T_parent_joint: Pose
    axis: tuple[float, ...]
    visuals: tuple[Solid, ...]
    solids: tuple[Solid, ...]


def read_drawing(path: Path, root: str, most: int = DRAWN_TRIANGLES) -> list[DrawnLink]:
    """The link ``root`` and everything that hangs on it, parents before children; meshes of up to ``most`` triangles each."""
    robot = load_xml(path, "the model")
    colours = _colours(path, robot)
    links = {link.attrib.get("name", ""): link for link in robot.findall("link")}
    joints: dict[str, list[ET.Element]] = {}
    for joint in robot.findall("joint"):
        joints.setdefault(_end(joint, "parent"), []).append(joint)
    if root not in links:
        raise BadInput(f"no link {root}", where=str(path))
    found = [_link(path, links[root], None, colours, most)]
    for link in found:  # grows while it is walked
        children = (j for j in joints.get(link.name, ()) if _end(j, "child") in links)
        found += [_link(path, links[_end(j, "child")], j, colours, most) for j in children]
        if len(found) > len(links):
            raise BadInput("the joints go round in a circle", where=str(path), value=link.name)
    return found


def _end(joint: ET.Element, end: str) -> str:
    element = joint.find(end)
    return "" if element is None else element.attrib.get("link", "")


def _link(path: Path, link: ET.Element, joint: ET.Element | None, colours: dict[str, Rgba], most: int) -> DrawnLink:
    name = link.attrib.get("name", "")
    visuals, solids = (
        tuple(s for e in link.findall(tag) if (s := _solid(path, e, colours, most))) for tag in ("visual", "collision")
    )
    moves = "fixed" if joint is None else MOVING.get(joint.attrib.get("type", ""), "fixed")
    axis = None if joint is None else joint.find("axis")
    given = (
        (1.0, 0.0, 0.0) if axis is None else read_numbers(path, axis.attrib.get("xyz", "1 0 0"), 3)
    )  # URDF's default
    length = math.hypot(*given) or 1.0
    return DrawnLink(
        name,
        parent="" if joint is None else _end(joint, "parent"),
        joint="" if joint is None else joint.attrib.get("name", ""),
        moves=moves,
        T_parent_joint=np.eye(4) if joint is None else read_origin(path, joint),
        axis=tuple(a / length for a in given),
        visuals=visuals or solids,
        solids=solids,
    )


def _colours(path: Path, robot: ET.Element) -> dict[str, Rgba]:
    """Colours of the materials that are named for the whole file."""
    found = {m.attrib.get("name", ""): m.find("color") for m in robot.findall("material")}
    return {name: read_numbers(path, c.attrib.get("rgba", ""), 4) for name, c in found.items() if c is not None}


def _solid(path: Path, element: ET.Element, colours: dict[str, Rgba], most: int) -> Solid | None:
    geometry = element.find("geometry/*")
    if geometry is None:
        return None
    judged = _judged(path, geometry) if geometry.tag == "mesh" and element.tag == "visual" else None
    surface = judged.surface if judged and len(judged.surface.triangles) <= most else None
    if surface is not None:
        size = tuple(surface.extent_m.tolist())
    elif geometry.tag in SIZES:
        given = ((geometry.attrib.get(key, ""), count) for key, count in SIZES[geometry.tag])
        size = tuple(n for text, count in given for n in read_numbers(path, text, count))
    else:
        return None
    material = element.find("material")
    name = "" if material is None else material.attrib.get("name", "")
    own = None if material is None else material.find("color")
    rgba = colours.get(name, GREY) if own is None else read_numbers(path, own.attrib.get("rgba", ""), 4)
    return Solid(geometry.tag, size, read_origin(path, element), rgba, name, surface)


def _judged(path: Path, geometry: ET.Element) -> JudgedSurface | None:
    """Of a mesh that can be read."""
    file = mesh_path(path, geometry)
    if file is None:
        return None
    scale = read_numbers(path, geometry.attrib.get("scale", "1 1 1"), 3)
    return read_surface(file, (scale[0], scale[1], scale[2]))


def mesh_path(path: Path, geometry: ET.Element) -> Path | None:
    """The file of a <mesh>, if it is one that can be read: beside the model or below, or else a shipped one."""
    name = geometry.attrib.get("filename", "").removeprefix("file://")
    if not name or "://" in name or Path(name).suffix.lower() not in READERS:
        return None
    found = (folder / name for folder in (path.parent, MODELS))
    return next((file for file in found if file.is_file()), None)


def mesh_warnings(path: Path, most: int = DRAWN_TRIANGLES) -> tuple[str, ...]:
    """What is to be known about the meshes of a model: what was mended in them, and which are passed over."""
    found: list[str] = []
    for geometry in load_xml(path, "the model").iterfind(".//visual/geometry/mesh"):
        name, judged = geometry.attrib.get("filename", ""), _judged(path, geometry)
        if judged is None:
            found.append(f"{path}: mesh {name!r} is not drawn: no such file beside it ({', '.join(READERS)} are read)")
        elif len(judged.surface.triangles) > most:
            found.append(f"{path}: mesh {name!r} is not drawn: it has more than {most:,} triangles")
        else:
            found += judged.warnings
    return tuple(found)


def read_origin(path: Path, element: ET.Element) -> Pose:
    """Pose that an element's <origin> gives; none is where the link is."""
    origin = element.find("origin")
    placed = {} if origin is None else origin.attrib
    x, y, z = read_numbers(path, placed.get("xyz", "0 0 0"), 3)
    roll, pitch, yaw = read_numbers(path, placed.get("rpy", "0 0 0"), 3)
    return pose_from_abc(x, y, z, yaw, pitch, roll)  # URDF's rpy turns as ABC


def read_numbers(path: Path, text: str, count: int, what: str = "a drawing") -> tuple[float, ...]:
    """So many finite numbers of an attribute; ``what`` they are for."""
    try:
        numbers = tuple(float(word) for word in text.split())
    except ValueError:
        numbers = ()
    if len(numbers) != count or not all(map(math.isfinite, numbers)):
        raise BadInput(f"{what} needs finite numbers", where=str(path), value=repr(text), bound=f"{count} of them")
    return numbers

"""A mock-up, what a robot shows of a spacecraft: one URDF file with its looks, the solids that enclose it and its mass.

The root link is ``port``, the user tool's frame; further links hang on it by fixed joints. A file that leaves out what the zones
or the payload check need is refused by name: a mock-up that nothing watches would be seen on the screen and hit in the hall.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.errors import BadInput
from proxops.core.xml_text import load_xml
from proxops.lab.mass_properties import MassProperties, joined
from proxops.lab.urdf_drawing import read_drawing, read_numbers, read_origin

PORT: Final = "port"  # root link
MOMENTS: Final = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
ROUNDING: Final = 1e-6  # share of the largest moment by which printed digits may break the triangle inequality


@dataclass(frozen=True, eq=False)
class Mockup:
    """A mock-up as its file has it."""

    path: Path
    links: tuple[tuple[str, ET.Element, NDArray[np.float64]], ...]  # name, element, T_port_link
    load: MassProperties  # in the port frame


def read_mockup(path: Path, key: str) -> Mockup:
    """The mock-up of a file; ``key`` of the cell names it."""
    elements = {link.attrib.get("name", ""): link for link in load_xml(path, f"{key}: the mock-up").iter("link")}
    T_port_link: dict[str, NDArray[np.float64]] = {}
    for drawn in read_drawing(path, PORT):
        if drawn.moves != "fixed":
            raise BadInput(
                f"{key}: joint {drawn.joint} of a mock-up moves", where=str(path), value=drawn.moves, bound="fixed",
                way_out="nothing drives it and nobody knows where it stands: fix it",
            )  # fmt: skip
        T_port_link[drawn.name] = T_port_link.get(drawn.parent, np.eye(4)) @ drawn.T_parent_joint
    loose = [name for name in elements if name not in T_port_link]
    if loose:
        raise BadInput(f"{key}: link {loose[0]} does not hang on link {PORT}", where=str(path))
    links = tuple((name, elements[name], T) for name, T in T_port_link.items())
    _demand_shapes(path, key, links)
    return Mockup(path, links, _load(path, key, links))


def _demand_shapes(path: Path, key: str, links: tuple[tuple[str, ET.Element, NDArray[np.float64]], ...]) -> None:
    """Whatever is seen has to be watched."""
    for name, link, _ in links:
        bare = link.find("collision") is None
        if bare and (link.find("visual") is not None or name == PORT):
            raise BadInput(
                f"{key}: no collision shape on link {name} of the mock-up", where=str(path),
                way_out="enclose it in <collision> primitives: box, cylinder, sphere",
            )  # fmt: skip


def _load(path: Path, key: str, links: tuple[tuple[str, ET.Element, NDArray[np.float64]], ...]) -> MassProperties:
    parts = [
        _inertial(path, f"{key}: <inertial> of link {name}", inertial).seen_from(T)
        for name, link, T in links
        if (inertial := link.find("inertial")) is not None
    ]
    if not parts:
        raise BadInput(
            f"{key}: the mock-up has no <inertial>", where=str(path),
            way_out="say what it weighs: the payload is judged before drives go on",
        )  # fmt: skip
    return joined(parts)


def _inertial(path: Path, what: str, inertial: ET.Element) -> MassProperties:
    """Mass properties in the link's frame."""
    mass, tensor = inertial.find("mass"), inertial.find("inertia")
    (mass_kg,) = read_numbers(path, "" if mass is None else mass.attrib.get("value", ""), 1, what)
    given = " ".join(str(tensor.attrib.get(name, "0")) for name in MOMENTS) if tensor is not None else ""
    xx, xy, xz, yy, yz, zz = read_numbers(path, given, 6, what)
    inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    low, middle, high = np.linalg.eigvalsh(inertia)
    if mass_kg < 0.0 or low < -ROUNDING * high or high > (low + middle) * (1.0 + ROUNDING):
        raise BadInput(
            f"{what}: no body has such a mass and tensor", where=str(path),
            value=f"{mass_kg:g} kg, principal moments {low:.4g}, {middle:.4g}, {high:.4g} kg m²",
            bound="mass and moments from zero on, no moment above the sum of the other two",
        )  # fmt: skip
    return MassProperties(mass_kg, np.zeros(3), inertia).seen_from(read_origin(path, inertial))

"""What a URDF must keep, link by link and joint by joint, before anything moves; every complaint names the part.

The file's own text is judged, not only what Pinocchio made of it: its reader leaves out an inertial that it cannot read, and
links that are welded together become one body there.
"""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any, Final

import numpy as np

from proxops.core.errors import BadInput
from proxops.core.xml_text import load_xml

TRIANGLE_SLACK: Final = 1e-9  # relative; printed tensors that sit on the boundary are inflated in the files
FARTHEST_M: Final = 1000.0  # of a mass centre or a joint from its link's frame
TENSOR: Final = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
MOVING: Final = ("revolute", "prismatic")
# How far a continuous joint may go: it gets an angle with stops there, not a point on a circle.
TURNS_RAD: Final = 1000.0


def readable(source: Path) -> str:
    """The file's text with continuous joints as revolute ones that turn very far; BadInput if it is no XML."""
    root = load_xml(source, "the URDF")
    for joint in root.findall("joint"):
        if joint.get("type") == "continuous":
            joint.set("type", "revolute")
            limit = joint.find("limit")
            if limit is None:
                raise BadInput(
                    f"joint {joint.get('name')}: no <limit>",
                    where=str(source),
                    way_out="velocity and effort are needed",
                )
            limit.set("lower", str(-TURNS_RAD))
            limit.set("upper", str(TURNS_RAD))
    return ET.tostring(root, encoding="unicode")


def check_urdf(source: Path, pin: Any) -> None:
    """BadInput for what no body or joint can be. ``pin``: the model that Pinocchio read."""
    root = load_xml(source, "the URDF")
    total = sum(_check_link(link, str(source)) for link in root.findall("link"))
    moving = [joint for joint in root.findall("joint") if joint.get("type") in MOVING]
    for joint in moving:
        _check_joint(joint, str(source))
    base = pin.inertias[1]
    if not base.mass > 0.0:
        raise BadInput("the base has no mass", where=str(source), way_out="give its first link an <inertial>")
    for name, body in zip(pin.names[2:], pin.inertias[2:], strict=True):
        if not body.mass > 0.0:
            raise BadInput(
                f"joint {name}: what it moves has no mass", where=str(source), way_out="give a link an <inertial>"
            )
    read = sum(body.mass for body in pin.inertias[1:])
    if not math.isclose(read, total, rel_tol=1e-9):
        raise BadInput(
            "Pinocchio read other masses than the file has", where=str(source), value=read, bound=f"{total} kg"
        )


def _check_link(link: ET.Element, where: str) -> float:
    """The link's mass, kg."""
    inertial, name = link.find("inertial"), link.get("name", "?")
    if inertial is None:
        return 0.0
    mass, tensor = inertial.find("mass"), inertial.find("inertia")
    if mass is None or tensor is None:
        raise BadInput(f"link {name}: mass or inertia missing", where=where)
    origin = inertial.find("origin")
    place = _numbers("" if origin is None else origin.get("xyz", ""), f"link {name}: mass centre", where)
    _numbers("" if origin is None else origin.get("rpy", ""), f"link {name}: axes of the inertia", where)
    if max(map(abs, place)) > FARTHEST_M:
        raise BadInput(f"link {name}: mass centre", where=where, value=place, bound=f"within {FARTHEST_M:g} m")
    values = {key: _number(tensor.get(key, "0"), f"link {name}: {key}", where) for key in TENSOR}
    mass_kg = _number(mass.get("value", ""), f"link {name}: mass", where)
    check_inertia(name, mass_kg, values, where)
    return mass_kg


def _check_joint(joint: ET.Element, where: str) -> None:
    name, limit, axis = joint.get("name", "?"), joint.find("limit"), joint.find("axis")
    if axis is not None and math.hypot(*_numbers(axis.get("xyz", ""), f"joint {name}: axis", where)) < 1e-6:
        raise BadInput(f"joint {name}: axis of no length", where=where, value=axis.get("xyz"))
    if limit is None:
        raise BadInput(f"joint {name}: no <limit>", where=where, way_out="lower, upper, velocity and effort are needed")
    lower, upper, speed, effort = (
        _number(limit.get(key, "0"), f"joint {name}: {key}", where) for key in ("lower", "upper", "velocity", "effort")
    )
    if not lower < upper:
        raise BadInput(f"joint {name}: limits", where=where, value=f"{lower:g} … {upper:g}", bound="lower below upper")
    for word, value in (("velocity", speed), ("effort", effort)):
        if not value > 0.0:
            raise BadInput(f"joint {name}: {word}", where=where, value=value, bound="above 0")


def _number(text: str, what: str, where: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise BadInput(f"{what} is no number", where=where, value=repr(text))
    return value


def _numbers(text: str, what: str, where: str) -> list[float]:
    """Three; zeros if nothing is there."""
    parts = text.split() or ["0", "0", "0"]
    if len(parts) != 3:
        raise BadInput(what, where=where, value=repr(text), bound="three numbers")
    return [_number(part, what, where) for part in parts]


def check_inertia(name: str, mass_kg: float, i: dict[str, float], where: str) -> None:
    """BadInput unless a body could have this mass and this tensor about its centre of mass."""
    if not mass_kg > 0.0:
        raise BadInput(f"link {name}: mass", where=where, value=mass_kg, bound="above 0 kg")
    tensor = np.array([[i["ixx"], i["ixy"], i["ixz"]], [i["ixy"], i["iyy"], i["iyz"]], [i["ixz"], i["iyz"], i["izz"]]])
    a, b, c = np.linalg.eigvalsh(tensor)
    if a <= 0.0 or a + b < c * (1.0 - TRIANGLE_SLACK):
        raise BadInput(
            f"link {name}: no body has this inertia", where=where, value=f"principal moments {a:.6g}, {b:.6g}, {c:.6g} kg m2",
            bound="positive, none larger than the sum of the two others",
        )  # fmt: skip

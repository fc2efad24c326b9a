"""What the kernels need of a robot's URDF: the six lengths, limits, speeds, accelerations. The URDF is the only truth.

The closed form fits one kind of chain (docs/frames.md). A model that differs in any way that the closed form would
silently pass over (an offset, a turn, another joint type, another parent) is refused by name.
"""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from proxops.core.errors import BadInput
from proxops.core.xml_text import load_xml

Triple = tuple[float, float, float]

# KUKA's convention with all axes at zero, in the base frame.
ARM_AXES: Final[dict[str, Triple]] = {
    "a1": (0, 0, -1), "a2": (0, 1, 0), "a3": (0, 1, 0), "a4": (-1, 0, 0), "a5": (0, 1, 0), "a6": (-1, 0, 0),
}  # fmt: skip
LINKS: Final = ("base_link", *(f"link_{i}" for i in range(1, 7)), "flange")
FLANGE_RPY: Final[Triple] = (0.0, math.pi / 2, 0.0)  # flange z points out of the plate


@dataclass(frozen=True)
class AxisLimits:
    """Limits of one axis in m or rad, and their derivatives."""

    lower: float
    upper: float
    speed: float
    acceleration: float


@dataclass(frozen=True)
class SphericalWristArm:
    """A six-axis arm with a spherical wrist: (a1, d1, a2, a3, d4, d6) in metres, and its axes."""

    lengths: tuple[float, float, float, float, float, float]
    axes: tuple[AxisLimits, ...]


class Model:
    """The joints of one URDF file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        root = load_xml(path, "the robot model")
        self._joints = {joint.attrib.get("name", ""): joint for joint in root.iter("joint")}

    def joint(self, name: str) -> ET.Element:
        """The joint of that name."""
        if name not in self._joints:
            raise BadInput(f"no joint {name}", where=str(self.path), bound="a1 … a6 and flange_joint; e1 for a rail")
        return self._joints[name]

    def triple(self, name: str, child: str, attribute: str) -> Triple:
        """Three finite numbers of a joint's child element; zeros when it is left out, as URDF has it."""
        element = self.joint(name).find(child)
        text = (element.attrib.get(attribute) if element is not None else None) or "0 0 0"
        try:
            x, y, z = (float(word) for word in text.split())
        except ValueError:
            x = y = z = math.nan
        if not all(map(math.isfinite, (x, y, z))):
            raise BadInput(
                f"<{child} {attribute}> of joint {name}",
                where=str(self.path),
                value=repr(text),
                bound="three finite numbers",
            )
        return x, y, z

    def demand(self, name: str, what: str, value: object, wanted: object) -> None:
        """Refuse a joint that is not as the closed form has it."""
        if value != wanted:
            raise BadInput(
                f"joint {name}: {what} does not fit a KUKA arm with a spherical wrist",
                where=str(self.path),
                value=value,
                bound=str(wanted),
            )

    def link(self, name: str, end: str) -> str:
        """Name of a joint's parent or child link."""
        element = self.joint(name).find(end)
        return element.attrib.get("link", "") if element is not None else ""

    def limits(self, name: str, most_acceleration: float | None = None) -> AxisLimits:
        """Limits of a joint; ``acceleration`` is our own attribute of <limit>, unless it is given here."""
        limit = self.joint(name).find("limit")
        if limit is None:
            raise BadInput(f"joint {name} has no <limit>", where=str(self.path), way_out="every axis needs one")
        found = [limit.attrib.get(attribute, "") for attribute in ("lower", "upper", "velocity", "acceleration")]
        if most_acceleration is not None:
            found[3] = repr(most_acceleration)
        try:
            lower, upper, speed, acceleration = map(float, found)
        except ValueError:
            lower = upper = speed = acceleration = math.nan
        if not (
            lower < upper
            and speed > 0
            and acceleration > 0
            and all(map(math.isfinite, (lower, upper, speed, acceleration)))
        ):
            raise BadInput(
                f"<limit> of joint {name}", where=str(self.path), value=found,
                bound="finite lower < upper, velocity > 0, acceleration > 0",
            )  # fmt: skip
        return AxisLimits(lower, upper, speed, acceleration)


def read_limits(path: Path, name: str) -> AxisLimits:
    """Limits of one joint of a model."""
    return Model(path).limits(name)


def read_arm(path: Path) -> SphericalWristArm:
    """Lengths and limits of an arm; refuses a chain that the closed form does not describe."""
    model = Model(path)
    names = (*ARM_AXES, "flange_joint")
    xyz = {name: model.triple(name, "origin", "xyz") for name in names}
    (a1, _, d1), (a2, _, _), (_, _, a3), (d4, _, _), (d6, _, _) = (
        xyz[n] for n in ("a2", "a3", "a4", "a5", "flange_joint")
    )
    wanted = ((0, 0, 0), (a1, 0, d1), (a2, 0, 0), (0, 0, a3), (d4, 0, 0), (0, 0, 0), (d6, 0, 0))
    for k, name in enumerate(names):
        model.demand(name, "origin", xyz[name], wanted[k])
        model.demand(
            name,
            "parent and child",
            (model.link(name, "parent"), model.link(name, "child")),
            (LINKS[k], LINKS[k + 1]),
        )
    for name, axis in ARM_AXES.items():
        model.demand(name, "type", model.joint(name).attrib.get("type"), "revolute")
        model.demand(name, "axis", model.triple(name, "axis", "xyz"), axis)
        model.demand(name, "rpy", model.triple(name, "origin", "rpy"), (0, 0, 0))
    turn = model.triple("flange_joint", "origin", "rpy")
    if max(abs(a - b) for a, b in zip(turn, FLANGE_RPY, strict=True)) > 1e-12:
        model.demand("flange_joint", "rpy", turn, FLANGE_RPY)
    for name, length in (("a3", a2), ("a5", d4)):
        if not length > 0:
            raise BadInput(
                f"joint {name}: upper arm and forearm need a length",
                where=str(path),
                value=length,
                bound="> 0 m",
            )
    return SphericalWristArm((a1, d1, a2, a3, d4, d6), tuple(model.limits(name) for name in ARM_AXES))

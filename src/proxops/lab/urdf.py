"""What the kernels need of a robot's URDF: the six lengths, limits, speeds, accelerations. The URDF is the only truth."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from pathlib import Path

from proxops.core.errors import BadInput

# KUKA's convention with all axes at zero, in the base frame (docs/frames.md).
ARM_AXES = {"a1": (0, 0, -1), "a2": (0, 1, 0), "a3": (0, 1, 0), "a4": (-1, 0, 0), "a5": (0, 1, 0), "a6": (-1, 0, 0)}


@dataclass(frozen=True)
class AxisLimits:
    """Limits of one axis in m or rad, and their derivatives."""

    lower: float
    upper: float
    speed: float
    acceleration: float


@dataclass(frozen=True)
class Arm:
    """A six-axis arm with a spherical wrist: (a1, d1, a2, a3, d4, d6) in metres, and its axes."""

    lengths: tuple[float, float, float, float, float, float]
    axes: tuple[AxisLimits, ...]


def _joints(path: Path) -> dict[str, ET.Element]:
    try:
        root = ET.parse(path).getroot()
    except (OSError, ET.ParseError) as error:
        raise BadInput(f"cannot read the robot model: {error}", where=str(path)) from None
    return {joint.attrib.get("name", ""): joint for joint in root.iter("joint")}


def _numbers(path: Path, joint: ET.Element, child: str, attribute: str) -> tuple[float, ...]:
    element = joint.find(child)
    text = (element.attrib.get(attribute) if element is not None else None) or "0 0 0"
    try:
        return tuple(float(word) for word in text.split())
    except ValueError:
        raise BadInput(f"<{child} {attribute}> of joint {joint.attrib['name']} is not numbers", where=str(path), value=text) from None


def read_limits(path: Path, name: str) -> AxisLimits:
    """Limits of joint ``name``; ``acceleration`` is our own attribute of <limit>."""
    joint = _joints(path).get(name)
    limit = joint.find("limit") if joint is not None else None
    if limit is None:
        raise BadInput(f"joint {name} has no <limit>", where=str(path), way_out="every axis needs one")
    values = []
    for attribute in ("lower", "upper", "velocity", "acceleration"):
        try:
            values.append(float(limit.attrib[attribute]))
        except (KeyError, ValueError):
            raise BadInput(f"<limit> of joint {name} needs a number {attribute}", where=str(path), value=limit.attrib.get(attribute)) from None
    lower, upper, speed, acceleration = values
    if not (lower < upper and speed > 0 and acceleration > 0 and all(map(math.isfinite, values))):
        raise BadInput(f"<limit> of joint {name} is empty or not positive", where=str(path), value=values)
    return AxisLimits(lower, upper, speed, acceleration)


def read_arm(path: Path) -> Arm:
    """Lengths and limits of an arm; refuses a chain that the closed form does not describe."""
    joints = _joints(path)
    origin: dict[str, tuple[float, ...]] = {}
    for name in (*ARM_AXES, "flange_joint"):
        if name not in joints:
            raise BadInput(f"no joint {name}", where=str(path), bound="joints a1 … a6 and flange_joint")
        origin[name] = _numbers(path, joints[name], "origin", "xyz")
    for name, axis in ARM_AXES.items():
        if _numbers(path, joints[name], "axis", "xyz") != axis or any(_numbers(path, joints[name], "origin", "rpy")):
            raise BadInput(f"joint {name} does not follow KUKA's convention", where=str(path), bound=f"axis {axis}, rpy 0 0 0")
    (a1, _, d1), (a2, _, _), (_, _, a3), (d4, _, _), (d6, _, _) = (
        origin[name] for name in ("a2", "a3", "a4", "a5", "flange_joint")
    )
    expected = {
        "a1": (0, 0, 0), "a2": (a1, 0, d1), "a3": (a2, 0, 0), "a4": (0, 0, a3), "a5": (d4, 0, 0), "a6": (0, 0, 0),
        "flange_joint": (d6, 0, 0),
    }  # fmt: skip
    for name, xyz in expected.items():
        if origin[name] != xyz:
            raise BadInput(f"joint {name} has an offset that a spherical-wrist arm does not have", where=str(path), value=origin[name], bound=str(xyz))
    return Arm((a1, d1, a2, a3, d4, d6), tuple(read_limits(path, name) for name in ARM_AXES))

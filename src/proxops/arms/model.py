"""A model: a URDF put on a free base, read by Pinocchio and checked before anything moves."""

from __future__ import annotations

import math
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.errors import BadInput

Floats = NDArray[np.float64]
N_BASE: Final = 6  # velocities of the base
N_BASE_Q: Final = 7  # numbers of its pose
TRIANGLE_SLACK: Final = 1e-9  # relative; printed tensors that sit on the boundary are inflated in the files


@dataclass(frozen=True, eq=False)
class ArmModel:
    """``pin`` is Pinocchio's model with a free-flyer as first joint. Arrays are per joint, in its order."""

    name: str
    source: Path
    pin: Any
    tool: str  # name of the end-effector's frame
    tool_id: int
    joints: tuple[str, ...]
    lower: Floats  # rad
    upper: Floats
    speed: Floats  # rad/s
    effort: Floats  # N m
    damping: Floats  # N m s/rad
    friction: Floats  # N m

    @property
    def n(self) -> int:
        """Joints."""
        return len(self.joints)

    @property
    def mass_kg(self) -> float:
        return float(sum(inertia.mass for inertia in self.pin.inertias))

    def configuration(self, joints: Floats, p: Floats | None = None, quat: Floats | None = None) -> Floats:
        """q from joint angles, position and attitude (quaternion with the scalar first) of the base in inertial axes."""
        out = np.zeros(N_BASE_Q + self.n)
        out[6] = 1.0
        if p is not None:
            out[0:3] = p
        if quat is not None:
            out[3:6], out[6] = quat[1:], quat[0]
        out[N_BASE_Q:] = joints
        return out

    def check_joints(self, joints: Floats, what: str) -> None:
        """BadInput unless there is one angle for each joint and all are within their limits."""
        if np.shape(joints) != (self.n,):
            raise BadInput(f"{what}: one angle for each joint", value=np.shape(joints), bound=f"{self.n} numbers")
        for name, angle, low, high in zip(self.joints, joints, self.lower, self.upper, strict=True):
            if not low - 1e-9 <= angle <= high + 1e-9:
                raise BadInput(
                    f"{what}: {name} beyond its limits", value=f"{math.degrees(angle):.2f} deg",
                    bound=f"{math.degrees(low):.1f} … {math.degrees(high):.1f} deg",
                )  # fmt: skip


def shipped_models() -> dict[str, Path]:
    """Names and files of the models that come with us."""
    folder = Path(str(files("proxops") / "arms" / "models"))
    return {path.stem: path for path in sorted(folder.glob("*.urdf"))}


def load_model(path_or_name: Path | str, tool: str, joints: tuple[str, ...] | None = None) -> ArmModel:
    """Read ``some/where.urdf``, or a shipped one by its name. ``joints``: those that move; the others are locked at zero."""
    import pinocchio

    source = _located(path_or_name)
    try:
        whole = pinocchio.buildModelFromUrdf(str(source), pinocchio.JointModelFreeFlyer())
    except (ValueError, RuntimeError) as reason:
        raise BadInput(f"not a usable URDF: {reason}", where=str(source)) from None
    if not whole.existFrame(tool):
        bodies = [frame.name for frame in whole.frames if frame.type == pinocchio.FrameType.BODY]
        raise BadInput("no such end-effector", where=str(source), value=tool, bound=", ".join(bodies))
    _check_links(source, whole)
    return wrapped(_locked(whole, joints, source), source, tool)


def wrapped(pin: Any, source: Path, tool: str) -> ArmModel:
    """A Pinocchio model that already stands on a free-flyer."""
    pin.gravity.vector[:] = 0.0  # in orbit; what the Earth's field does to single links is a force from outside
    names = tuple(pin.names)[2:]
    if not names:
        raise BadInput("no joint that moves", where=str(source))
    if pin.nv != N_BASE + len(names) or pin.nq != N_BASE_Q + len(names):
        raise BadInput(
            "a joint with more than one angle, or continuous", where=str(source), bound="revolute, prismatic"
        )
    return ArmModel(
        source.stem, source, pin, tool, pin.getFrameId(tool), names,
        pin.lowerPositionLimit[N_BASE_Q:].copy(), pin.upperPositionLimit[N_BASE_Q:].copy(),
        pin.velocityLimit[N_BASE:].copy(), pin.effortLimit[N_BASE:].copy(), pin.damping[N_BASE:].copy(),
        pin.friction[N_BASE:].copy() if hasattr(pin, "friction") else np.zeros(len(names)),
    )  # fmt: skip


def _located(path_or_name: Path | str) -> Path:
    known = shipped_models()
    if isinstance(path_or_name, str) and path_or_name in known:
        return known[path_or_name]
    path = Path(path_or_name)
    if not path.is_file():
        raise BadInput("no such model", value=str(path_or_name), bound=", ".join(known), way_out="or a path to a URDF")
    return path


def _locked(whole: Any, joints: tuple[str, ...] | None, source: Path) -> Any:
    import pinocchio

    if joints is None:
        return whole
    known = tuple(whole.names)[2:]
    for name in joints:
        if name not in known:
            raise BadInput("no such joint", where=str(source), value=name, bound=", ".join(known))
    away = [whole.getJointId(name) for name in known if name not in joints]
    return pinocchio.buildReducedModel(whole, away, pinocchio.neutral(whole)) if away else whole


def _check_links(source: Path, pin: Any) -> None:
    """Every link as the file has it, before links that are welded together become one body in Pinocchio."""
    import xml.etree.ElementTree as ET

    for link in ET.parse(source).getroot().findall("link"):
        mass, tensor = link.find("inertial/mass"), link.find("inertial/inertia")
        if mass is None and tensor is None:
            continue
        name = link.get("name", "?")
        if mass is None or tensor is None:
            raise BadInput(f"link {name}: mass or inertia missing", where=str(source))
        values = {key: float(tensor.get(key, "0")) for key in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")}
        check_inertia(name, float(mass.get("value", "nan")), values, str(source))
    base = pin.inertias[1]
    if not base.mass > 0.0:
        raise BadInput("the base has no mass", where=str(source), way_out="give its first link an <inertial>")


def check_inertia(name: str, mass_kg: float, i: dict[str, float], where: str) -> None:
    """BadInput unless a body could have this mass and this tensor about its centre of mass."""
    if not (math.isfinite(mass_kg) and mass_kg > 0.0):
        raise BadInput(f"link {name}: mass", where=where, value=mass_kg, bound="above 0 kg")
    tensor = np.array([[i["ixx"], i["ixy"], i["ixz"]], [i["ixy"], i["iyy"], i["iyz"]], [i["ixz"], i["iyz"], i["izz"]]])
    if not np.isfinite(tensor).all():
        raise BadInput(f"link {name}: inertia is no number", where=where)
    a, b, c = np.linalg.eigvalsh(tensor)
    if a <= 0.0 or a + b < c * (1.0 - TRIANGLE_SLACK):
        raise BadInput(
            f"link {name}: no body has this inertia", where=where, value=f"principal moments {a:.6g}, {b:.6g}, {c:.6g} kg m2",
            bound="positive, none larger than the sum of the two others",
        )  # fmt: skip

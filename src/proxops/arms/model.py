"""A model: a URDF put on a free base, read by Pinocchio and checked before anything moves."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from proxops.arms.urdf import check_urdf, readable
from proxops.core.errors import BadInput

Floats = NDArray[np.float64]
N_BASE: Final = 6  # velocities of the base
N_BASE_Q: Final = 7  # numbers of its pose
FREE_FLYER: Final = 1  # number of the base's joint in Pinocchio


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

    def angles(self, degrees: Sequence[float], what: str) -> Floats:
        """Joint angles of a file, in rad, checked."""
        joints: Floats = np.radians(degrees)
        self.check_joints(joints, what)
        return joints


def shipped_models() -> dict[str, Path]:
    """Names and files of the models that come with us."""
    folder = Path(str(files("proxops") / "arms" / "models"))
    return {path.stem: path for path in sorted(folder.glob("*.urdf"))}


def load_model(path_or_name: Path | str, tool: str, joints: tuple[str, ...] | None = None) -> ArmModel:
    """Read ``some/where.urdf``, or a shipped one by its name. ``joints``: those that move; the others are locked at zero."""
    import pinocchio

    source = _located(path_or_name)
    try:
        whole = pinocchio.buildModelFromXML(readable(source), pinocchio.JointModelFreeFlyer())
    except (ValueError, RuntimeError) as reason:
        raise BadInput(f"not a usable URDF: {reason}", where=str(source)) from None
    if not whole.existFrame(tool):
        bodies = [frame.name for frame in whole.frames if frame.type == pinocchio.FrameType.BODY]
        raise BadInput("no such end-effector", where=str(source), value=tool, bound=", ".join(bodies))
    check_urdf(source, whole)
    model = wrapped(_locked(whole, joints, source), source, tool)
    if model.pin.frames[model.tool_id].parentJoint <= FREE_FLYER:
        raise BadInput(
            "the end-effector does not hang on a joint that moves", where=str(source), value=tool,
            bound=f"a link behind one of {', '.join(model.joints)}",
        )  # fmt: skip
    return model


def wrapped(pin: Any, source: Path, tool: str) -> ArmModel:
    """A Pinocchio model that already stands on a free-flyer."""
    pin.gravity.vector[:] = 0.0  # in orbit; what the Earth's field does to single links is a force from outside
    names = tuple(pin.names)[2:]
    if not names:
        raise BadInput("no joint that moves", where=str(source))
    if pin.nv != N_BASE + len(names) or pin.nq != N_BASE_Q + len(names):
        many = [name for name, joint in zip(names, pin.joints[2:], strict=True) if joint.nq != 1]
        raise BadInput(
            f"joint {', '.join(many)}: more than one angle", where=str(source), bound="revolute, continuous, prismatic"
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
    if list(joints) != [name for name in known if name in joints]:
        raise BadInput(
            "arm.joints: each once, in the order of the URDF", where=str(source), value=", ".join(joints),
            bound=", ".join(name for name in known if name in joints),
        )  # fmt: skip
    away = [whole.getJointId(name) for name in known if name not in joints]
    return pinocchio.buildReducedModel(whole, away, pinocchio.neutral(whole)) if away else whole

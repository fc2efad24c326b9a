"""A two-fingered gripper on an arm's tool: its frames and masses, and the arm's model with it.

Gripper frame: in the middle of the palm's face, z along the fingers, x the way they close. Grasp frame: the same axes, where
a bar should be held. The palm sits between tool and fingers; for the model the fingers stand at half their opening. A load is
what the hand holds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import pinocchio

from proxops.arms.model import ArmModel, Floats, wrapped
from proxops.core.errors import BadInput

GRASP: Final = "grasp"  # name of the frame that is added


@dataclass(frozen=True)
class Gripper:
    """Sides along x, y, z of the gripper frame, m; masses, kg."""

    turn_rad: float  # about the tool's z
    palm_m: tuple[float, float, float]
    palm_kg: float
    finger_m: tuple[float, float, float]
    finger_kg: float  # of each
    opening_m: float  # between the open fingers
    grasp_m: float  # from the palm's face

    @property
    def T_tool_gripper(self) -> Floats:
        """(4, 4)."""
        out, c, s = np.eye(4), np.cos(self.turn_rad), np.sin(self.turn_rad)
        out[:2, :2] = [[c, -s], [s, c]]
        out[2, 3] = self.palm_m[2]
        return out

    @property
    def p_gripper_palm(self) -> Floats:
        """Middle of the palm."""
        return np.array([0.0, 0.0, -0.5 * self.palm_m[2]])

    def p_gripper_finger(self, side: float, opening_m: float) -> Floats:
        """Middle of the finger on this side (−1, 1)."""
        return np.array([side * 0.5 * (opening_m + self.finger_m[0]), 0.0, 0.5 * self.finger_m[2]])


def box_inertia(mass_kg: float, sides_m: tuple[float, float, float]) -> Floats:
    """(3) principal moments of a uniform box about its middle."""
    square = np.array(sides_m) ** 2
    out: Floats = mass_kg / 12.0 * (square.sum() - square)
    return out


def with_gripper(model: ArmModel, gripper: Gripper) -> ArmModel:
    """The same arm with the gripper's mass on its tool; its tool then is the grasp frame."""
    pin, frame = model.pin.copy(), model.pin.frames[model.tool_id]
    if pin.existFrame(GRASP):
        raise BadInput(f"the model has a frame {GRASP!r} of its own", where=str(model.source), way_out="rename it")
    joint, T_tool_gripper = frame.parentJoint, gripper.T_tool_gripper
    place = frame.placement * pinocchio.SE3(T_tool_gripper[:3, :3], T_tool_gripper[:3, 3])
    parts = [(gripper.palm_kg, gripper.palm_m, gripper.p_gripper_palm)]
    half = 0.5 * gripper.opening_m
    parts += [(gripper.finger_kg, gripper.finger_m, gripper.p_gripper_finger(side, half)) for side in (-1.0, 1.0)]
    for mass, sides, p in parts:
        body = pinocchio.Inertia(mass, np.zeros(3), np.diag(box_inertia(mass, sides)))
        pin.appendBodyToJoint(joint, body, place * pinocchio.SE3(np.eye(3), p))
    grasp = place * pinocchio.SE3(np.eye(3), np.array([0.0, 0.0, gripper.grasp_m]))
    pin.addFrame(pinocchio.Frame(GRASP, joint, model.tool_id, grasp, pinocchio.FrameType.OP_FRAME))
    return wrapped(pin, model.source, GRASP)


def with_load(model: ArmModel, mass_kg: float, inertia_kg_m2: Floats, T_tool_body: Floats) -> ArmModel:
    """The same arm with a rigid body held by its tool. ``inertia_kg_m2``: (3, 3) about the body's mass centre, the origin of its
    frame."""
    pin, frame = model.pin.copy(), model.pin.frames[model.tool_id]
    place = frame.placement * pinocchio.SE3(T_tool_body[:3, :3], T_tool_body[:3, 3])
    pin.appendBodyToJoint(frame.parentJoint, pinocchio.Inertia(mass_kg, np.zeros(3), inertia_kg_m2), place)
    return wrapped(pin, model.source, model.tool)

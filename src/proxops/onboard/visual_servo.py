"""The direct position-based visual servo: joint torques from sightings and joints, by one of the four task-space laws.

What it knows: joint angles and rates, sightings of the marker, its own model of the craft, and where the grasp lies
at the marker. The base's motion between two images follows from the joints, for the momentum is taken as zero
(``momentum_base``); what that leaves out (a drift at the start, gravity gradient, wrong masses) shows as a motion of
the marker in these axes, which the sightings tell.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pinocchio

from proxops.arms.generalised import base_velocity
from proxops.arms.model import N_BASE, N_BASE_Q, ArmModel, Floats
from proxops.core.errors import BadInput
from proxops.maths.pose import pose
from proxops.maths.rotation import matrix_from_quat
from proxops.onboard.momentum_base import MomentumBase
from proxops.onboard.task_controller import TaskController
from proxops.onboard.visual_guidance import Seen, VisualGuidance

ROOT: Final = 1  # Pinocchio's number of the free-flyer


class DirectServo:
    """``step`` every cycle. Local frame of ``guidance``: inertial axes, the base's at the start."""

    def __init__(self, controller: TaskController, guidance: VisualGuidance, joints: Floats) -> None:
        self.controller, self.guidance = controller, guidance
        self._pin: Any = controller.model.pin
        self._data: Any = controller.model.pin.createData()
        self._base, self._still = MomentumBase(controller.model, joints), np.zeros(N_BASE)
        self._q, self._v = controller.model.configuration(joints), np.zeros(controller.model.pin.nv)
        self.demand = guidance.path.at(0.0)

    def step(self, t: float, joints: Floats, rates: Floats, seen: Seen | None = None) -> Floats:
        """(n) torques; memory is used again."""
        base, q, v = self._base, self._q, self._v
        base.advance(joints)
        q[:3], q[3:6], q[6], q[N_BASE_Q:] = base.p, base.quat[1:], base.quat[0], joints
        M = pinocchio.crba(self._pin, self._data, q)
        base_velocity(M, self._still, rates, v[:N_BASE])
        v[N_BASE:] = rates
        self.demand = self.guidance.step(t, pose(matrix_from_quat(base.quat), base.p), seen)
        return self.controller.step(q, v, self.demand)

    def demanded_rates(self) -> Floats:
        """(n) joint rates that the demand of the last step asks for."""
        return self.controller.demanded_rates(self.demand)

    @property
    def tool(self) -> Floats:
        """(24) the hand at the last step as it is believed to be, local frame: position, attitude (R by rows), twist, …"""
        return self.controller.dynamics.tool


def camera_on_base(model: ArmModel, frame: str) -> Floats:
    """T_base_camera (4, 4), from the model."""
    if not model.pin.existFrame(frame):
        known = ", ".join(one.name for one in model.pin.frames)
        raise BadInput("no such camera frame", where=str(model.source), value=frame, bound=known)
    found = model.pin.frames[model.pin.getFrameId(frame)]
    if found.parentJoint != ROOT:
        raise BadInput(
            "the camera must sit on the base", where=str(model.source), value=frame, way_out="lock its joints"
        )
    out: Floats = np.ascontiguousarray(found.placement.homogeneous)
    return out

"""What Pinocchio computes of a model at one state, and the generalised quantities that follow from it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio

from proxops.arms.generalised import Generalised, generalise, room
from proxops.arms.model import N_BASE, N_BASE_Q, ArmModel, Floats
from proxops.maths.rotation import quat_from_matrix

_WORLD: Any = pinocchio.ReferenceFrame.LOCAL_WORLD_ALIGNED  # at the tool, inertial axes


class Dynamics:
    """``update`` once per cycle; then the attributes hold. Buffers are used again: copy what you keep."""

    def __init__(self, model: ArmModel) -> None:
        self.model = model
        self._pin, self._tool = model.pin, model.tool_id
        self.data: Any = model.pin.createData()
        self._still = np.zeros(model.pin.nv)
        self.generalised: Generalised = room(model.n)
        self.M: Floats = np.zeros((model.pin.nv, model.pin.nv))
        self.c: Floats = np.zeros(model.pin.nv)
        self.J: Floats = np.zeros((6, model.pin.nv), order="F")
        self.p: Floats = np.zeros(3)  # of the tool, inertial axes
        self.R: Floats = np.eye(3)
        self.twist: Floats = np.zeros(6)  # of the tool: linear, angular

    def update(self, q: Floats, v: Floats) -> Generalised:
        """All at (q, v)."""
        pin, data, tool = self._pin, self.data, self._tool
        # With no acceleration given, what comes out as the tool's is J̇ v.
        pinocchio.forwardKinematics(pin, data, q, v, self._still)
        placement = pinocchio.updateFramePlacement(pin, data, tool)
        self.p, self.R = placement.translation, placement.rotation
        drift = pinocchio.getFrameClassicalAcceleration(pin, data, tool, _WORLD).vector
        pinocchio.computeJointJacobians(pin, data)
        self.J = pinocchio.getFrameJacobian(pin, data, tool, _WORLD)
        self.M = pinocchio.crba(pin, data, q)
        self.c = pinocchio.nonLinearEffects(pin, data, q, v)
        generalise(self.M, self.c, self.J, drift, v, self.generalised)
        self.twist = self.J @ v
        return self.generalised

    def inverse(self, q: Floats, v: Floats, a: Floats) -> Floats:
        """(6 + n) forces on the base (its frame) and joint torques that make ``a``."""
        out: Floats = pinocchio.rnea(self._pin, self.data, q, v, a)
        return out

    def forward(self, q: Floats, v: Floats, forces: Floats) -> Floats:
        """(6 + n) accelerations by ``forces``: on the base in its frame, and joint torques."""
        out: Floats = pinocchio.aba(self._pin, self.data, q, v, forces)
        return out

    def mass_matrix(self, q: Floats) -> Floats:
        out: Floats = pinocchio.crba(self._pin, self.data, q)
        return out

    def momentum(self, q: Floats, v: Floats) -> Floats:
        """(6) linear, and angular about the inertial origin; inertial axes."""
        pinocchio.computeCentroidalMomentum(self._pin, self.data, q, v)
        h = self.data.hg
        linear, angular = np.array(h.linear), np.array(h.angular)
        return np.concatenate([linear, angular + np.cross(np.array(self.data.com[0]), linear)])

    def arm_momentum(self, q: Floats, rates: Floats) -> Floats:
        """(6) of the joints' motion alone, base at rest: base frame, about the base's origin."""
        out: Floats = self.mass_matrix(q)[:N_BASE, N_BASE:] @ rates
        return out

    def energy(self, q: Floats, v: Floats) -> float:
        """Kinetic, J."""
        return float(pinocchio.computeKineticEnergy(self._pin, self.data, q, v))

    def tool_pose(self, q: Floats) -> Floats:
        """(7) position and quaternion, scalar first, in inertial axes."""
        pinocchio.forwardKinematics(self._pin, self.data, q)
        placement = pinocchio.updateFramePlacement(self._pin, self.data, self._tool)
        return np.concatenate([placement.translation, quat_from_matrix(np.ascontiguousarray(placement.rotation))])


def base_pose(q: Floats) -> Floats:
    """(7) position and quaternion, scalar first, of the base."""
    return np.array([q[0], q[1], q[2], q[6], q[3], q[4], q[5]])


def joints_of(q: Floats) -> Floats:
    return q[N_BASE_Q:]

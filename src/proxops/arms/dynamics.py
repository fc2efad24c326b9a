"""What Pinocchio computes of a model at one state, and the generalised quantities that follow from it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio

from proxops.arms.generalised import Generalised, Parts, room
from proxops.arms.model import N_BASE, ArmModel, Floats
from proxops.arms.tool import survey, survey_with_rate
from proxops.maths.rotation import quat_from_matrix

_WORLD: Any = pinocchio.Convention.WORLD


class Dynamics:
    """``update`` once per cycle; then the attributes hold. Buffers are used again: copy what you keep."""

    def __init__(self, model: ArmModel) -> None:
        self.model = model
        self._pin = model.pin
        self.data: Any = model.pin.createData()
        nv, frame = model.pin.nv, model.pin.frames[model.tool_id]
        self._moves = np.zeros(nv, dtype=np.bool_)  # columns of the joints before the tool
        for i in list(model.pin.supports[frame.parentJoint])[1:]:
            first = model.pin.joints[i].idx_v
            self._moves[first : first + model.pin.joints[i].nv] = True
        self._fixed = (np.array(frame.placement.rotation, order="F"), np.array(frame.placement.translation))
        self.generalised: Generalised = room(model.n)
        g = self.generalised
        self.parts: Parts = (g.inertia, g.bias, g.jacobian, g.drift, g.carried, g.base)
        self.rate: Floats = np.zeros((6, model.n))  # J̇g, from ``update_with_rate`` only
        self.J: Floats = np.zeros((6, nv))  # of the tool: linear, angular; inertial axes
        # Of the tool in inertial axes, one piece of memory: position, attitude (by rows), twist (linear, angular), J̇ v.
        self.tool: Floats = np.zeros(24)
        self.p, self.R = self.tool[:3], self.tool[3:12].reshape(3, 3)
        self.twist, self.drift = self.tool[12:18], self.tool[18:]
        self._none = np.zeros(nv)
        self._look(frame.parentJoint)

    def _look(self, joint: int) -> None:
        """Pinocchio's own memory, seen once: asking for it in every cycle costs more than the algebra."""
        data = self.data
        self.M: Floats = data.M
        self.c: Floats = data.nle  # nonlinear forces; not by ``update_with_rate``
        place = data.oMi[joint]
        self._joint = (place.rotation, place.translation)
        self._velocity, self._bias = data.v[joint].vector, data.a_gf[joint].vector
        self._columns, self._column_rates, self._coriolis = data.J, data.dJ, data.C

    def update(self, q: Floats, v: Floats, forces: Floats | None = None) -> Generalised:
        """All at (q, v). ``forces``: (6 + n) known ones besides the torques, on the base in its frame and on the joints; bias and
        drift then have them in."""
        data = self.data
        pinocchio.crba(self._pin, data, q, _WORLD)  # places and Jacobian columns on the way
        # Velocities and, with no acceleration given, what J̇ v is made of, on the way.
        pinocchio.nonLinearEffects(self._pin, data, q, v)
        c = self.c if forces is None else self.c - forces
        survey(
            self._joint, self._fixed, self._velocity, self._bias, self._columns, self._moves, self.M, c, v, self.J, self.tool,
            self.parts,
        )  # fmt: skip
        return self.generalised

    def update_with_rate(self, q: Floats, v: Floats, forces: Floats | None = None) -> Generalised:
        """The same, and ``rate``: J̇g, exact."""
        data = self.data
        pinocchio.crba(self._pin, data, q, _WORLD)
        pinocchio.computeCoriolisMatrix(self._pin, data, q, v)  # the columns' rates on the way
        survey_with_rate(
            self._joint, self._fixed, self._columns, self._column_rates, self._moves, self.M, self._coriolis, v,
            self._none if forces is None else forces, self.J, self.tool, self.parts, self.rate,
        )  # fmt: skip
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
        placement = pinocchio.updateFramePlacement(self._pin, self.data, self.model.tool_id)
        return np.concatenate([placement.translation, quat_from_matrix(np.ascontiguousarray(placement.rotation))])


def base_pose(q: Floats) -> Floats:
    """(7) position and quaternion, scalar first, of the base."""
    return np.array([q[0], q[1], q[2], q[6], q[3], q[4], q[5]])

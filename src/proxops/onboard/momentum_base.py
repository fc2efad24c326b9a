"""Where the base of a free-floating arm is, from measured joint angles alone: momentum zero, no dynamics (paper 004, eq. 7).

Attitude: each joint increment turns the base by what the momentum asks at the angles halfway, applied as a rotation on the group:
second order, no rates needed, so noise of the encoders does not add up. Position: the centre of mass of the whole rests, exactly.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio

from proxops.arms.generalised import base_velocity
from proxops.arms.model import N_BASE_Q, ArmModel, Floats
from proxops.maths.kernel import kernel
from proxops.maths.quaternion import put_unit, quat_product, turned
from proxops.maths.rotation import quat_from_rotation_vector


class MomentumBase:
    """``p`` and ``quat`` (scalar first): pose of the base in inertial axes. The whole starts at rest."""

    def __init__(self, model: ArmModel, joints: Floats, p: Floats | None = None, quat: Floats | None = None) -> None:
        self._pin: Any = model.pin
        self._data: Any = model.pin.createData()
        self._q = model.configuration(joints)  # base in the origin: mass matrix and centre in the base's frame
        self._before = np.array(joints, float)
        self._moved, self._still = np.zeros(6), np.zeros(6)
        self.p: Floats = np.zeros(3) if p is None else np.array(p, float)
        self.quat: Floats = np.array([1.0, 0.0, 0.0, 0.0]) if quat is None else np.array(quat, float)
        self.centre: Floats = self.p + turned(self.quat, self._centre(self._before))  # of mass, inertial axes: stays

    def advance(self, joints: Floats) -> None:
        """The joints have come to these angles."""
        change = joints - self._before
        self._q[N_BASE_Q:] = self._before + 0.5 * change
        M = pinocchio.crba(self._pin, self._data, self._q)
        base_velocity(M, self._still, change, self._moved)
        self._before[:] = joints
        rest(self.centre, self._centre(joints), self._moved, self.quat, self.p)

    def _centre(self, joints: Floats) -> Floats:
        """Of mass, in the base's frame."""
        self._q[N_BASE_Q:] = joints
        out: Floats = pinocchio.centerOfMass(self._pin, self._data, self._q, False)
        return out


@kernel
def rest(centre: Floats, centre_in_base: Floats, moved: Floats, quat: Floats, p: Floats) -> None:
    """Turn ``quat`` by the angular part of ``moved`` (base frame), and put ``p`` where the centre of mass has not moved."""
    put_unit(quat_product(quat, quat_from_rotation_vector(moved[3:])), quat)
    away = turned(quat, centre_in_base)
    for i in range(3):
        p[i] = centre[i] - away[i]

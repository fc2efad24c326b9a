"""Holding the attitude of a base while its arm moves: a proportional-derivative law, scaled by the whole craft's inertia."""

from __future__ import annotations

import numpy as np

from proxops.arms.dynamics import Dynamics, base_pose
from proxops.arms.model import ArmModel, Floats
from proxops.core.errors import BadInput
from proxops.maths.quaternion import quat_inverse, quat_product, rotation_vector


class BaseAttitude:
    """τ = I (ω_n² θ − 2 ζ ω_n ω) in the base's frame; θ: the turn that is still to be made."""

    def __init__(self, model: ArmModel, q: Floats, bandwidth_rad_s: float, damping: float = 1.0) -> None:
        """Holds the attitude of ``q``, with the inertia that the craft has there."""
        for name, value in (("bandwidth", bandwidth_rad_s), ("damping", damping)):
            if not (np.isfinite(value) and value > 0.0):
                raise BadInput(f"base attitude: {name}", value=value, bound="positive")
        M = Dynamics(model).mass_matrix(q)
        # About the mass centre: the base is free to move.
        self.inertia: Floats = M[3:6, 3:6] - M[3:6, :3] @ np.linalg.solve(M[:3, :3], M[:3, 3:6])
        self._stiffness = bandwidth_rad_s**2 * self.inertia
        self._damping = 2.0 * damping * bandwidth_rad_s * self.inertia
        self._target = base_pose(q)[3:]
        self._way = np.zeros(3)

    def torque(self, q: Floats, v: Floats) -> Floats:
        """(3) N m on the base."""
        rotation_vector(quat_product(quat_inverse(base_pose(q)[3:]), self._target), self._way)
        out: Floats = self._stiffness @ self._way - self._damping @ v[3:6]
        return out

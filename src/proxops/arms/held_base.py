"""The same arm on the ground: its base is held and gravity pulls. Net joint torques as sensors in the joints would see them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio

from proxops.arms.model import N_BASE, ArmModel, Floats
from proxops.maths.kernel import kernel

SLIDING: float = 1e-3  # rad/s: below, Coulomb friction grows with the rate instead of jumping


class HeldArm:
    """``gravity``: (3) m/s2 in the base's axes, so its direction says how the arm is mounted in the hall."""

    def __init__(self, model: ArmModel, gravity: Floats) -> None:
        self._pin: Any = pinocchio.Model(model.pin)  # a copy: the model itself stays without gravity
        self._pin.gravity.linear = np.asarray(gravity, float)
        self._data: Any = self._pin.createData()
        self._q = model.configuration(np.zeros(model.n))
        self._v, self._a = np.zeros(self._pin.nv), np.zeros(self._pin.nv)
        self.viscous, self.coulomb = model.damping, model.friction

    def torques(self, joints: Floats, rates: Floats, accelerations: Floats) -> Floats:
        """(n) N m that the arm's motion and its weight ask of the joints, without friction."""
        self._q[N_BASE + 1 :], self._v[N_BASE:], self._a[N_BASE:] = joints, rates, accelerations
        out: Floats = pinocchio.rnea(self._pin, self._data, self._q, self._v, self._a)
        return out[N_BASE:]

    def mass_and_bias(self, joints: Floats, rates: Floats) -> tuple[Floats, Floats]:
        """(n, n) mass matrix and (n) N m of rates and weight; the torques are the one times the accelerations and the other."""
        self._q[N_BASE + 1 :], self._v[N_BASE:] = joints, rates
        M = pinocchio.crba(self._pin, self._data, self._q)
        bias = pinocchio.nonLinearEffects(self._pin, self._data, self._q, self._v)
        return M[N_BASE:, N_BASE:], bias[N_BASE:]

    def friction(self, rates: Floats) -> Floats:
        """(n) N m that the drives need on top: viscous and Coulomb, as the URDF has them."""
        out = np.empty(rates.size)
        put_friction(rates, self.viscous, self.coulomb, SLIDING, out)
        return out


@kernel
def put_friction(rates: Floats, viscous: Floats, coulomb: Floats, sliding: float, out: Floats) -> None:
    """What the drives need on top of it; ``sliding``: rad/s at which Coulomb's part is reached."""
    for i in range(rates.shape[0]):
        out[i] = viscous[i] * rates[i] + coulomb[i] * np.tanh(rates[i] / sliding)

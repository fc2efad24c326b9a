"""An arm under an impedance controller gives way to a hand: deflections of its joints on top of what its drives do.

    M(q) δ̈ + D δ̇ + K δ = Jᵀ w

δ: of the joints (rad) from where the drives have them; M: inertia of arm and what it carries; K: the controller's stiffness in
each joint; D: such that every mode of K and M has the same damping ratio ζ (the usual design); w: wrench of the hand on what the
arm carries, at the flange. Each mode is an oscillator and is solved exactly over a cycle in which w stays.

A short push J on one mode swings out and back. What its spring and damper take up, K δ + D δ̇, changes sign where the speed back
is greatest, J c / M with

    c = exp(-(π - 2β) tan β),   sin β = ζ

so that a sensor in the joints sees J (1 + c), then a peak the other way: the counter-impulse of paper 002, figure 4. In all it
sees J. A sensor between flange and load sees J (1 + c m / M): of the swing only the inertia m of the load.

Weight and the motion that is commanded are fed forward, so they deflect nothing; gears and rotors are left out.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pinocchio

from proxops.arms.model import N_BASE, ArmModel, Floats
from proxops.core.errors import BadInput
from proxops.maths.kernel import kernel


def counter_share(damping_ratio: float) -> float:
    """c: of a short push on one mode."""
    beta = math.asin(damping_ratio)
    return math.exp(-(math.pi - 2.0 * beta) * math.tan(beta))


class JointImpedance:
    """``angles``, ``rates``, ``accelerations`` (n): of the deflection. ``wrench`` (6): of the hand on the load, flange's axes
    about its origin; it holds until it is changed. ``load``: ten parameters of what is carried (``tool_load``)."""

    def __init__(self, model: ArmModel, load: Floats, stiffness: Floats, damping_ratio: float) -> None:
        if np.shape(stiffness) != (model.n,) or not (np.isfinite(stiffness) & (stiffness > 0.0)).all():
            raise BadInput(
                "impedance: stiffness", value=np.asarray(stiffness).tolist(), bound=f"{model.n} numbers above 0"
            )
        if not 0.0 < damping_ratio < 1.0:
            raise BadInput("impedance: damping ratio", value=damping_ratio, bound="between 0 and 1")
        self._model, self._pin = model, loaded(model, load)
        self._data: Any = self._pin.createData()
        self._stiffness, self._ratio = np.array(stiffness, float), damping_ratio
        self._q = model.configuration(np.zeros(model.n))
        self.wrench = np.zeros(6)
        self.angles, self.rates, self.accelerations = np.zeros(model.n), np.zeros(model.n), np.zeros(model.n)

    def step(self, joints: Floats, dt: float) -> None:
        """One cycle, with the drives at ``joints``."""
        M, torque = self._at(joints)
        lower = np.linalg.cholesky(M)
        inverse = np.linalg.inv(lower)
        squares, turned = np.linalg.eigh(inverse @ np.diag(self._stiffness) @ inverse.T)
        modes = inverse.T @ turned  # modesᵀ M modes = 1
        x, v, a = modes.T @ M @ self.angles, modes.T @ M @ self.rates, np.empty(len(joints))
        oscillate(np.sqrt(squares), self._ratio, modes.T @ torque, dt, x, v, a)
        self.angles[:], self.rates[:], self.accelerations[:] = modes @ x, modes @ v, modes @ a

    def _at(self, joints: Floats) -> tuple[Floats, Floats]:
        """Inertia (n, n), and torques (n) by the hand."""
        self._q[N_BASE + 1 :] = joints
        J = pinocchio.computeFrameJacobian(
            self._pin, self._data, self._q, self._model.tool_id, pinocchio.ReferenceFrame.LOCAL
        )
        M = pinocchio.crba(self._pin, self._data, self._q)
        upper = np.triu(M[N_BASE:, N_BASE:])
        return upper + np.triu(upper, 1).T, J[:, N_BASE:].T @ self.wrench


def loaded(model: ArmModel, load: Floats) -> Any:
    """Pinocchio's model with a load on the tool's frame: ten parameters as ``tool_load`` orders them."""
    m, hx, hy, hz, xx, yy, zz, xy, xz, yz = load
    frame = model.pin.frames[model.tool_id]
    carried = pinocchio.Inertia.FromDynamicParameters(np.array([m, hx, hy, hz, xx, xy, yy, xz, yz, zz]))
    pin = pinocchio.Model(model.pin)
    pin.inertias[frame.parentJoint] = pin.inertias[frame.parentJoint] + frame.placement.act(carried)
    return pin


@kernel
def oscillate(omega: Floats, ratio: float, force: Floats, dt: float, x: Floats, v: Floats, a: Floats) -> None:
    """Modes over ``dt`` under a constant force (by mass), exactly: x, v, and a at the end."""
    for i in range(omega.shape[0]):
        w, middle = omega[i], force[i] / (omega[i] * omega[i])
        damped = w * math.sqrt(1.0 - ratio * ratio)
        decay, c, s = math.exp(-ratio * w * dt), math.cos(damped * dt), math.sin(damped * dt)
        x0, v0 = x[i] - middle, v[i]
        x[i] = middle + decay * (x0 * c + (v0 + ratio * w * x0) / damped * s)
        v[i] = decay * (v0 * c - (ratio * w * v0 + w * w * x0) / damped * s)
        a[i] = force[i] - 2.0 * ratio * w * v[i] - w * w * x[i]

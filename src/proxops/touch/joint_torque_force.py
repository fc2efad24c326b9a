"""The wrench on an arm's flange told from torque sensors in its joints and a model of the arm (paper 002, sections 3.1 and 3.2).

    τ = M q̈ + h + g - Jᵀ w + offset + noise          what the sensors read, of the true arm
    ŵ = (J Jᵀ)⁻¹ J (τ_model - τ)                      what the model of the arm makes of it

Masses and inertias of the links are not known exactly: the weight that the model does not explain is the paper's e_const. It
stays while the arm stands and changes with its posture. Seven equations for six numbers: least squares, which a singular posture
spoils.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio

from proxops.arms.held_base import HeldArm
from proxops.arms.model import N_BASE, ArmModel, Floats


class JointTorqueForce:
    """``believed`` and ``true``: the arm as its controller knows it and as it is. ``gravity`` (3): m/s² in the axes of the arm's
    foot. ``offset`` (n) and ``noise``: of the sensors, N m."""

    def __init__(
        self, believed: ArmModel, true: ArmModel, gravity: Floats, offset: Floats, noise: float, rng: np.random.Generator
    ) -> None:  # fmt: skip
        self._believed, self._true = HeldArm(believed, gravity), HeldArm(true, gravity)
        self._jacobian = FlangeJacobian(believed)
        self._offset, self._noise, self._rng = offset, noise, rng

    def read(self, joints: Floats, rates: Floats, accelerations: Floats, believed: Floats, wrench: Floats) -> Floats:
        """(6) ŵ in the flange's axes about its origin, with what hangs on it. ``accelerations``: true ones; ``believed``: those
        that the controller knows, which commanded them. ``wrench``: what truly acts on the flange."""
        J = self._jacobian.at(joints)
        torques = self._true.torques(joints, rates, accelerations) - J.T @ wrench
        torques = torques + self._offset + self._noise * self._rng.standard_normal(len(joints))
        return least_squares(J, self._believed.torques(joints, rates, believed) - torques)


class FlangeJacobian:
    """(6, n) Of the tool's frame in its own axes, foot held: linear, angular."""

    def __init__(self, model: ArmModel) -> None:
        self._model, self._data = model, model.pin.createData()
        self._q = model.configuration(np.zeros(model.n))

    def at(self, joints: Floats) -> Floats:
        self._q[N_BASE + 1 :] = joints
        local: Any = pinocchio.ReferenceFrame.LOCAL
        J = pinocchio.computeFrameJacobian(self._model.pin, self._data, self._q, self._model.tool_id, local)
        out: Floats = J[:, N_BASE:]
        return out


def least_squares(J: Floats, torques: Floats) -> Floats:
    """(6) The wrench that explains the torques best."""
    return np.asarray(np.linalg.solve(J @ J.T, J @ torques), np.float64)


def noise_of_wrench(J: Floats, noise: float) -> tuple[float, float]:
    """Standard deviation of the force (N) and of the torque (N m) that a noise in every joint makes, on the worst axis."""
    spread = noise * np.sqrt(np.diag(np.linalg.inv(J @ J.T)))
    return float(spread[:3].max()), float(spread[3:].max())

"""A free-floating arm as it really moves: forward dynamics of base and joints, Runge-Kutta of the fourth order.

The state is integrated in flat coordinates (position, quaternion, joint angles, velocities in the base's own frame): the
quaternion's equation carries what a step on the group would need a commutator for, so momentum is kept to the integrator's order
at any momentum. Torques are held over a step, as a digital controller holds them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import pinocchio

from proxops.arms.dynamics import Dynamics
from proxops.arms.model import N_BASE, N_BASE_Q, ArmModel, Floats
from proxops.core.errors import ProxopsError
from proxops.maths.kernel import kernel

SLIDING: float = 1e-3  # rad/s: below, Coulomb friction grows with the rate instead of jumping


class Diverged(ProxopsError):
    """The motion is no number any more, or beyond all measure."""


class LinkForces(Protocol):
    """Forces of the surroundings on every link."""

    def at(self, t: float, data: Any) -> Any:
        """Pinocchio's vector of forces, one for each joint's body in its own frame; ``data`` has the bodies' places."""
        ...


@dataclass(frozen=True)
class JointHardware:
    """What the joints do besides what they are told: friction, and stops at the limits (spring and damper)."""

    viscous: Floats  # N m s/rad
    coulomb: Floats  # N m
    lower: Floats  # rad
    upper: Floats
    stop_stiffness: float = 2000.0  # N m/rad
    stop_damping: float = 20.0  # N m s/rad


def hardware_of(model: ArmModel, *, friction: bool) -> JointHardware:
    """As the URDF says; without ``friction`` the joints run freely between their stops."""
    none = np.zeros(model.n)
    return JointHardware(
        model.damping if friction else none, model.friction if friction else none, model.lower, model.upper
    )


class FreeFloating:
    """State ``q``, ``v`` (see ``proxops.arms``) at ``t``; ``step`` moves it on."""

    def __init__(
        self, model: ArmModel, q: Floats, v: Floats | None = None, hardware: JointHardware | None = None,
        forces: LinkForces | None = None,
    ) -> None:  # fmt: skip
        self.model, self.t = model, 0.0
        self.dynamics = Dynamics(model)
        self._pin, self._data = model.pin, model.pin.createData()
        self._hardware = hardware or hardware_of(model, friction=False)
        self._forces = forces
        self._y = np.concatenate([q, np.zeros(model.pin.nv) if v is None else v])
        self._nq = model.pin.nq
        self._stage, self._rates = np.zeros(self._y.size), np.zeros((4, self._y.size))
        self._tau = np.zeros(model.pin.nv)

    @property
    def q(self) -> Floats:
        return self._y[: self._nq]

    @property
    def v(self) -> Floats:
        return self._y[self._nq :]

    def step(self, torques: Floats, dt: float, on_base: Floats | None = None) -> None:
        """``torques``: of the joints; ``on_base``: (6) force and torque on the base, in its frame; both held over ``dt``."""
        y, k, nq = self._y, self._rates, self._nq
        self._rate(y, torques, on_base, self.t, k[0])
        put_stage(y, k[0], 0.5 * dt, nq, self._stage)
        self._rate(self._stage, torques, on_base, self.t + 0.5 * dt, k[1])
        put_stage(y, k[1], 0.5 * dt, nq, self._stage)
        self._rate(self._stage, torques, on_base, self.t + 0.5 * dt, k[2])
        put_stage(y, k[2], dt, nq, self._stage)
        self._rate(self._stage, torques, on_base, self.t + dt, k[3])
        if not combine(y, k, dt, nq):
            raise Diverged(f"the motion diverged at {self.t:.3f} s: its velocities are no number or beyond 1e6")
        self.t += dt

    def _rate(self, y: Floats, torques: Floats, on_base: Floats | None, t: float, out: Floats) -> None:
        """dy/dt."""
        nq, tau, h = self._nq, self._tau, self._hardware
        tau[:N_BASE] = 0.0 if on_base is None else on_base
        resist(torques, y, nq, h.viscous, h.coulomb, h.lower, h.upper, h.stop_stiffness, h.stop_damping, tau)
        q, v = y[:nq], y[nq:]
        if self._forces is None:
            a = pinocchio.aba(self._pin, self._data, q, v, tau)
        else:
            pinocchio.forwardKinematics(self._pin, self._data, q, v)
            a = pinocchio.aba(self._pin, self._data, q, v, tau, self._forces.at(t, self._data))
        put_rate(y, a, nq, out)


@kernel
def put_rate(y: Floats, a: Floats, nq: int, out: Floats) -> None:
    """dy/dt from the accelerations ``a``."""
    x, yy, z, w = y[3], y[4], y[5], y[6]
    u0, u1, u2 = y[nq], y[nq + 1], y[nq + 2]
    o0, o1, o2 = y[nq + 3], y[nq + 4], y[nq + 5]
    # Position: R u, with the quaternion (x, y, z, w).
    t0, t1, t2 = 2.0 * (yy * u2 - z * u1), 2.0 * (z * u0 - x * u2), 2.0 * (x * u1 - yy * u0)
    out[0] = u0 + w * t0 + yy * t2 - z * t1
    out[1] = u1 + w * t1 + z * t0 - x * t2
    out[2] = u2 + w * t2 + x * t1 - yy * t0
    # Quaternion: q (0, ω) / 2.
    out[3] = 0.5 * (w * o0 + yy * o2 - z * o1)
    out[4] = 0.5 * (w * o1 + z * o0 - x * o2)
    out[5] = 0.5 * (w * o2 + x * o1 - yy * o0)
    out[6] = -0.5 * (x * o0 + yy * o1 + z * o2)
    n = nq - N_BASE_Q
    for i in range(n):
        out[N_BASE_Q + i] = y[nq + N_BASE + i]
    for i in range(n + N_BASE):
        out[nq + i] = a[i]


@kernel
def put_stage(y: Floats, k: Floats, h: float, nq: int, out: Floats) -> None:
    """y + h k, the quaternion of length one."""
    for i in range(y.shape[0]):
        out[i] = y[i] + h * k[i]
    _normalise(out)


@kernel
def combine(y: Floats, k: Floats, dt: float, nq: int) -> bool:
    """Runge-Kutta's sum into ``y``; False if it is no motion any more."""
    worst = 0.0
    for i in range(y.shape[0]):
        y[i] += dt / 6.0 * (k[0, i] + 2.0 * k[1, i] + 2.0 * k[2, i] + k[3, i])
        if i >= nq:
            worst = max(worst, abs(y[i])) if not math.isnan(y[i]) else math.inf
    _normalise(y)
    return worst < 1e6 and not math.isnan(y[0] + y[6])


@kernel
def _normalise(y: Floats) -> None:
    norm = math.sqrt(y[3] * y[3] + y[4] * y[4] + y[5] * y[5] + y[6] * y[6])
    for i in range(3, 7):
        y[i] /= norm


@kernel
def resist(
    torques: Floats, y: Floats, nq: int, viscous: Floats, coulomb: Floats, lower: Floats, upper: Floats, stiffness: float,
    damping: float, tau: Floats,
) -> None:  # fmt: skip
    """Joint torques less friction and what the stops push back, into ``tau`` behind the base's six."""
    for i in range(torques.shape[0]):
        angle, rate = y[N_BASE_Q + i], y[nq + N_BASE + i]
        total = torques[i] - viscous[i] * rate - coulomb[i] * math.tanh(rate / SLIDING)
        if angle < lower[i]:
            total += max(0.0, stiffness * (lower[i] - angle) - damping * rate)
        elif angle > upper[i]:
            total -= max(0.0, stiffness * (angle - upper[i]) + damping * rate)
        tau[N_BASE + i] = total

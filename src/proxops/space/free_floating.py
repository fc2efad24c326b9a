"""A free-floating arm as it really moves: forward dynamics of base and joints, Runge-Kutta of the fourth order.

The state is integrated in flat coordinates (position, quaternion, joint angles, velocities in the base's own frame): the
quaternion's equation carries what a step on the group would need a commutator for, so momentum is kept to the integrator's
order at any momentum. Torques are held over a step, as a digital controller holds them. Friction and stops are held likewise
(``joint_impulses``): first order in dt, but stable for the lightest wrist.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final, Protocol

import numpy as np
import pinocchio

from proxops.arms.dynamics import Dynamics
from proxops.arms.model import N_BASE, N_BASE_Q, ArmModel, Floats
from proxops.core.errors import ProxopsError
from proxops.maths.kernel import kernel
from proxops.space.joint_impulses import beyond, settle

RUNAWAY: Final = 10.0  # times the joint's speed limit: no arm does that


class Diverged(ProxopsError):
    """The motion is no number any more, or beyond all measure."""


class LinkForces(Protocol):
    """Forces of the surroundings on every link."""

    def due(self, t: float) -> bool:
        """Whether ``at`` will look at the bodies' places."""
        ...

    def at(self, t: float, data: Any) -> Any:
        """Pinocchio's vector of forces, one for each joint's body in its own frame; ``data`` has the bodies' places."""
        ...


@dataclass(frozen=True)
class JointHardware:
    """What the joints do besides what they are told: motors give no more than their most, friction, stops at the limits (spring
    and damper)."""

    viscous: Floats  # N m s/rad
    coulomb: Floats  # N m
    lower: Floats  # rad
    upper: Floats
    effort: Floats  # N m, the motors' most
    speed: Floats  # rad/s: beyond, the motion counts as diverged
    stop_stiffness: float = 2000.0  # N m/rad
    stop_damping: float = 20.0  # N m s/rad


def hardware_of(model: ArmModel, *, friction: bool | tuple[Floats, Floats]) -> JointHardware:
    """As the URDF says; without ``friction`` the joints run freely between their stops. Or its coefficients: viscous, Coulomb."""
    none = np.zeros(model.n)
    viscous, coulomb = friction if isinstance(friction, tuple) else (model.damping, model.friction)
    return JointHardware(
        viscous if friction else none,
        coulomb if friction else none,
        model.lower,
        model.upper,
        model.effort,
        RUNAWAY * model.speed,
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
        self._rough = bool(np.any(self._hardware.viscous) or np.any(self._hardware.coulomb))
        self._forces = forces
        self._y = np.concatenate([q, np.zeros(model.pin.nv) if v is None else v])
        self._nq = model.pin.nq
        self._stage, self._rates = np.zeros(self._y.size), np.zeros((4, self._y.size))
        self._tau, self._impulse = np.zeros(model.pin.nv), np.zeros(model.n)
        self.saturated = 0  # steps in which a motor was asked for more than its most
        self.rotors = np.zeros(3)  # N m s: momentum of spinning wheels relative to the base, in its axes
        self._drive = np.zeros(3)
        self._spins = False

    @property
    def q(self) -> Floats:
        return self._y[: self._nq]

    @property
    def v(self) -> Floats:
        return self._y[self._nq :]

    def momentum(self) -> Floats:
        """(6) of everything, the wheels too: linear, and angular about the inertial origin; inertial axes."""
        out = self.dynamics.momentum(self.q, self.v)
        turn = pinocchio.Quaternion(self.q[3:7]).toRotationMatrix()
        out[3:] += turn @ self.rotors
        return out

    def step(self, torques: Floats, dt: float, on_base: Floats | None = None, drive: Floats | None = None) -> None:
        """``torques``: of the joints; ``on_base``: (6) force and torque on the base from outside, in its frame; ``drive``:
        (3) torque of the wheels' motors on the base, whose opposite the ``rotors`` take up; all held over ``dt``."""
        y, k, nq = self._y, self._rates, self._nq
        self._drive[:] = 0.0 if drive is None else drive
        self._spins = bool(drive is not None or self.rotors.any())
        torques = self._resisted(self._given(torques), dt, on_base)
        self._rate(y, torques, on_base, self.t, k[0])
        put_stage(y, k[0], 0.5 * dt, nq, self._stage)
        self._rate(self._stage, torques, on_base, self.t + 0.5 * dt, k[1])
        put_stage(y, k[1], 0.5 * dt, nq, self._stage)
        self._rate(self._stage, torques, on_base, self.t + 0.5 * dt, k[2])
        put_stage(y, k[2], dt, nq, self._stage)
        self._rate(self._stage, torques, on_base, self.t + dt, k[3])
        if not combine(y, k, dt, nq):
            raise Diverged(f"the motion diverged at {self.t:.3f} s: its velocities are no number or beyond 1e6")
        if too_much(y[nq + N_BASE :], self._hardware.speed):
            raise Diverged(f"the motion diverged at {self.t:.3f} s: {self._fastest()}")
        self.rotors -= self._drive * dt
        self.t += dt

    def _fastest(self) -> str:
        rates = np.abs(self.v[N_BASE:])
        worst = int(np.argmax(rates / self._hardware.speed))
        return f"{self.model.joints[worst]} turns at {rates[worst]:.3g} rad/s, {RUNAWAY:g} times its limit"

    def _given(self, torques: Floats) -> Floats:
        """What the motors can give of it; no number stays none, and ends the run."""
        if not too_much(torques, self._hardware.effort):
            return torques
        self.saturated += 1
        return np.clip(torques, -self._hardware.effort, self._hardware.effort)

    def _resisted(self, torques: Floats, dt: float, on_base: Floats | None) -> Floats:
        """Joint torques with friction and what the stops push back."""
        h, y = self._hardware, self._y
        if not (self._rough or beyond(y, h.lower, h.upper)):
            return torques
        self._rate(y, torques, on_base, self.t, self._rates[0])
        v = self.v + dt * self._rates[0, self._nq :]
        inverse = pinocchio.computeMinverse(self._pin, self._data, self.q)
        settle(
            v, y, inverse, dt, h.viscous, h.coulomb, h.lower, h.upper, h.stop_stiffness, h.stop_damping, self._impulse
        )
        return torques + self._impulse / dt

    def _rate(self, y: Floats, torques: Floats, on_base: Floats | None, t: float, out: Floats) -> None:
        """dy/dt."""
        nq, tau = self._nq, self._tau
        tau[:N_BASE] = 0.0 if on_base is None else on_base
        tau[N_BASE:] = torques
        if self._spins:
            add_wheels(y, nq, self.rotors, self._drive, t - self.t, tau)
        q, v = y[:nq], y[nq:]
        if self._forces is None:
            a = pinocchio.aba(self._pin, self._data, q, v, tau)
        else:
            if self._forces.due(t):
                pinocchio.forwardKinematics(self._pin, self._data, q)
            a = pinocchio.aba(self._pin, self._data, q, v, tau, self._forces.at(t, self._data))
        put_rate(y, a, nq, out)


@kernel
def too_much(torques: Floats, most: Floats) -> bool:
    worst = 0.0
    for i in range(torques.shape[0]):
        worst = max(worst, abs(torques[i]) / most[i])
    return worst > 1.0


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
def add_wheels(y: Floats, nq: int, rotors: Floats, drive: Floats, since: float, tau: Floats) -> None:
    """What wheels do to the base: their motors' torque, and what turning their momentum along takes, u − ω × h, h = h0 − u
    t."""
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        h_j, h_k = rotors[j] - drive[j] * since, rotors[k] - drive[k] * since
        tau[3 + i] += drive[i] - (y[nq + 3 + j] * h_k - y[nq + 3 + k] * h_j)


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

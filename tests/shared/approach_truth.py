"""A small truth of its own for tests of navigation: two craft in orbit, a tumbling client, pulses of the chaser's thrusters.

Independent of ``space``: two-body differential gravity without linearisation, Euler's equations with the torque of the gravity
gradient, Runge-Kutta, at the flight software's cycle. The hall adds its errors of pose to what the sensor sees (hall_errors.py:
its own figures, not the filter's), and an error of its clock.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np
from hall_errors import port_errors

from proxops.core.flight import Estimate, Floats, Measurements, OnboardData
from proxops.core.sensor_table import Avionics, Sensor
from proxops.maths.kernel import kernel
from proxops.maths.pose import compose, inverse_pose, pack_pose, pose_from_packed
from proxops.maths.quaternion import (
    cross,
    put_unit,
    quat_inverse,
    quat_product,
    rotation_vector,
    turned,
)
from proxops.maths.rotation import quat_from_matrix, quat_from_rotation_vector
from proxops.maths.small_matrix import applied
from proxops.onboard.navigation import Navigation
from proxops.onboard.relative_model import SlowErrors
from proxops.sensors.avionics import AvionicsSuite
from proxops.sensors.relative_pose import RelativePoseSensor

MU = 3.986004418e14
ORBIT_M = 6_971_000.0
PERIOD_S = 0.1
TARGET_INERTIA = np.array([[900.0, 20.0, -10.0], [20.0, 1400.0, 30.0], [-10.0, 30.0, 1700.0]])
CHASER_CENTRE = np.array([1.0, 0.01, -0.02])
TARGET_CENTRE = np.array([-0.3, 0.05, 0.1])


@dataclass(frozen=True)
class Approach:
    """One run. The defaults are a consistent world: what is drawn is what the filter is told, and what the hall states."""

    seed: int
    range_m: float = 20.0
    speed_m_s: float = 0.05
    tumble_deg_s: float = 3.0
    duration_s: float = 40.0
    sensor: Sensor = field(default_factory=Sensor)
    inertia_share: float = 0.03  # the on-board inertia is wrong by this, each principal moment
    thrust_share: float = 0.03  # and the thrust to either side of each axis, for the whole run
    pulse_m_s: float = 1e-3  # largest
    hall: bool = True
    clock_s: float = 0.003
    centre_m: float = 0.005  # each mass centre, each component


@kernel
def rates(y: Floats, p_chaser: Floats, a: Floats, torque: Floats, inertia: Floats, inverse: Floats) -> Floats:
    """Of r, v (chaser from target, eci) and the client's rate; ``p_chaser`` is where the chaser is, ``torque`` the client's."""
    out = np.empty(9)
    target = p_chaser - y[0:3]
    g = -MU * p_chaser / np.sum(p_chaser**2) ** 1.5 + MU * target / np.sum(target**2) ** 1.5
    out[0:3] = y[3:6]
    out[3:6] = g + a
    out[6:9] = applied(inverse, cross(applied(inertia, y[6:9]), y[6:9]) + torque)
    return out


@kernel
def fly(
    y0: Floats, q0: Floats, orbit: Floats, a: Floats, inertia: Floats, inverse: Floats, dt: float
) -> tuple[Floats, Floats]:
    """States (n + 1, 9) and client's attitudes (n + 1, 4) under accelerations ``a`` (n, 3) in eci."""
    n = a.shape[0]
    ys, qs = np.empty((n + 1, 9)), np.empty((n + 1, 4))
    ys[0], qs[0] = y0, q0
    for k in range(n):
        y = ys[k]
        half = 0.5 * (orbit[k] + orbit[k + 1])
        up = turned(quat_inverse(qs[k]), orbit[k] - y[0:3])
        torque = 3.0 * MU / np.sum(up**2) ** 2.5 * cross(up, applied(inertia, up))
        k1 = rates(y, orbit[k], a[k], torque, inertia, inverse)
        k2 = rates(y + 0.5 * dt * k1, half, a[k], torque, inertia, inverse)
        k3 = rates(y + 0.5 * dt * k2, half, a[k], torque, inertia, inverse)
        k4 = rates(y + dt * k3, orbit[k + 1], a[k], torque, inertia, inverse)
        ys[k + 1] = y + dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
        w = (y[6:9] + 4.0 * (y[6:9] + 0.25 * dt * (k1[6:9] + k2[6:9])) + ys[k + 1, 6:9]) / 6.0
        put_unit(quat_product(qs[k], quat_from_rotation_vector(w * dt)), qs[k + 1])
    return ys, qs


@kernel
def shown(
    y: Floats, q_et: Floats, q_ec: Floats, w_c: Floats, clock: float, lead: float, c_t: Floats, c_c: Floats, chaser_off: Floats,
    target_off: Floats,
) -> Floats:  # fmt: skip
    """T_target_chaser, packed, as the hall shows it: ``clock`` seconds later, either port off by a pose in its own frame. The
    target's attitude is shown ``lead`` seconds later again, its place as the chaser sees it is not."""
    r = y[0:3] + clock * y[3:6]
    q_t = quat_product(q_et, quat_from_rotation_vector(clock * y[6:9]))
    q_c = quat_product(q_ec, quat_from_rotation_vector(clock * w_c))
    true, out = np.empty(7), np.empty(7)
    way = (
        turned(quat_inverse(q_c), r + turned(q_t, c_t)) - c_c
    )  # chaser's frame, from the target's origin to the chaser's
    q_t = quat_product(q_t, quat_from_rotation_vector(lead * y[6:9]))
    q_c = quat_product(q_c, quat_from_rotation_vector(lead * w_c))
    put_unit(quat_product(quat_inverse(q_t), q_c), true[3:7])
    true[0:3] = turned(true[3:7], way)
    pack_pose(compose(inverse_pose(target_off), compose(pose_from_packed(true), chaser_off)), out)
    return out


@kernel
def wobbling(base: Floats, t: Floats, phase: Floats) -> tuple[Floats, Floats]:
    """Attitudes (n, 4) with a slow limit cycle about ``base``, and their rates (n, 3) by central differences."""
    q, w = np.empty((t.size, 4)), np.empty((t.size, 3))
    for k in range(t.size):
        put_unit(_wobbled(base, t[k], phase), q[k])
        before, after = _wobbled(base, t[k] - 1e-3, phase), _wobbled(base, t[k] + 1e-3, phase)
        rotation_vector(quat_product(quat_inverse(before), after), w[k])
    return q, w / 2e-3


@kernel
def _wobbled(base: Floats, t: float, phase: Floats) -> Floats:
    wobble = math.radians(0.5) * np.sin(2.0 * math.pi * t / np.array([41.0, 37.0, 29.0]) + phase)
    return quat_product(base, quat_from_rotation_vector(wobble))


@kernel
def pushes(q_eci_chaser: Floats, turned_by: Floats, told: Floats) -> Floats:
    """(n, 3) accelerations in eci of those told in the chaser's frame, which is not quite where it is believed to be."""
    out = np.empty_like(told)
    for k in range(len(told)):
        out[k] = turned(q_eci_chaser[k], turned(turned_by, told[k]))
    return out


def board() -> OnboardData:
    """What navigation needs of it is filled in."""
    none = np.zeros((0, 3))
    return OnboardData(
        PERIOD_S, 800.0, np.diag([300.0, 400.0, 400.0]), CHASER_CENTRE, np.zeros(3), none, none, 10.0, 220.0, 0.016, none,
        0.4, 50.0, 0.1, TARGET_INERTIA, TARGET_CENTRE, np.array([0.5, 0.0, 0.0]), 1.0,
        np.array(Sensor().place_m),
    )  # fmt: skip


class Flight:
    """Truth of one run, the instruments that look at it, and the measurements cycle by cycle."""

    def __init__(self, spec: Approach) -> None:
        self.spec = spec
        self.rng = np.random.default_rng(spec.seed)
        rng, n = self.rng, round(spec.duration_s / PERIOD_S)
        self.t = np.arange(n + 1) * PERIOD_S
        self.sensor = RelativePoseSensor(spec.sensor, np.random.default_rng([spec.seed, 1]))
        self.avionics = AvionicsSuite(Avionics(), np.random.default_rng([spec.seed, 2]))
        self._fly_the_chaser()
        self._fly_the_rest(n)
        self.off = port_errors(np.random.default_rng([spec.seed, 4])) if spec.hall else (np.eye(4), np.eye(4))
        self.clock = spec.clock_s * rng.standard_normal() if spec.hall else 0.0
        centres = spec.centre_m * rng.standard_normal((2, 3))  # by which the mass centres known on board are wrong
        self.target_centre, self.chaser_centre = TARGET_CENTRE + centres[0], CHASER_CENTRE + centres[1]

    def _fly_the_chaser(self) -> None:
        """On a circle in orbit, its +x axis from the target to it, with a slow limit cycle."""
        rng, t = self.rng, self.t
        n_orbit = math.sqrt(MU / ORBIT_M**3)
        a, b = np.linalg.qr(rng.standard_normal((3, 2)))[0].T
        self.orbit = ORBIT_M * (np.outer(np.cos(n_orbit * t), a) + np.outer(np.sin(n_orbit * t), b))
        self.orbit_v = ORBIT_M * n_orbit * (np.outer(-np.sin(n_orbit * t), a) + np.outer(np.cos(n_orbit * t), b))
        frame = np.linalg.qr(rng.standard_normal((3, 3)))[0]
        frame[:, 0] *= np.sign(np.linalg.det(frame))
        self.x_axis = frame[:, 0]
        self.q_ec, self.w_c = wobbling(quat_from_matrix(frame), t, rng.uniform(0.0, 6.0, 3))

    def _fly_the_rest(self, n: int) -> None:
        """Pulses as a controller gives them, one cycle in four, each axis, and a burn of 2 cm/s in 2 s; known to
        ``thrust_share`` and 0.3 deg (as missions have it) for the whole run, so that the burn's error adds up."""
        spec, rng = self.spec, self.rng
        fires = rng.random((n, 3)) < 0.25
        self.told = np.where(fires, rng.uniform(-1.0, 1.0, (n, 3)) * spec.pulse_m_s / PERIOD_S, 0.0)
        burn = rng.integers(0, n - 20)
        self.told[burn : burn + 20, rng.integers(3)] += rng.choice([-1.0, 1.0]) * spec.pulse_m_s / PERIOD_S
        turned_by = quat_from_rotation_vector(math.radians(0.3) * rng.standard_normal(3))
        forward, back = 1.0 + spec.thrust_share * rng.standard_normal((2, 3))
        real = np.where(self.told > 0.0, forward, back) * self.told
        a = pushes(self.q_ec[:-1], turned_by, real)
        axis = rng.standard_normal(3)
        moments, axes = np.linalg.eigh(TARGET_INERTIA)
        inertia = (axes * moments * (1.0 + spec.inertia_share * rng.standard_normal(3))) @ axes.T
        y0 = np.empty(9)
        y0[0:3] = spec.range_m * self.x_axis
        y0[3:6] = -spec.speed_m_s * self.x_axis + 0.002 * rng.standard_normal(3)
        y0[6:9] = math.radians(spec.tumble_deg_s) * axis / np.linalg.norm(axis)
        q0 = rng.standard_normal(4)
        inverse = np.linalg.inv(inertia)
        self.y, self.q_et = fly(y0, q0 / np.linalg.norm(q0), self.orbit, a, inertia, inverse, PERIOD_S)

    def measure(self, k: int) -> Measurements:
        """What reaches the flight software in cycle ``k``."""
        t = float(self.t[k])
        if self.sensor.due(t):
            self.sensor.expose(
                t,
                shown(
                    self.y[k],
                    self.q_et[k],
                    self.q_ec[k],
                    self.w_c[k],
                    self.clock,
                    SlowErrors().attitude_lead_s if self.spec.hall else 0.0,
                    self.target_centre,
                    self.chaser_centre,
                    *self.off,
                ),
                t,
            )
        q, w, p, v = self.avionics.read(self.q_ec[k], self.w_c[k], self.orbit[k], self.orbit_v[k])
        return Measurements(t, self.sensor.arrived(t), q, w, p, v, np.zeros(0), np.zeros(0), 30.0)

    def acceleration(self, k: int) -> Floats:
        """Of the cycle that ends at ``k``, as the flight software believes it."""
        return self.told[k - 1] if k > 0 else np.zeros(3)

    def error(self, k: int, estimate: Estimate) -> Floats:
        """(12) truth less estimate."""
        e = np.empty(12)
        e[0:3] = self.y[k, 0:3] - estimate.position
        e[3:6] = self.y[k, 3:6] - estimate.velocity
        rotation_vector(quat_product(quat_inverse(estimate.q_eci_target), self.q_et[k]), e[6:9])
        e[9:12] = self.y[k, 6:9] - estimate.w_eci_target
        return e

    def nees(self, k: int, estimate: Estimate) -> float:
        """Squared error in units of the covariance: chi-square of 12 degrees of freedom if that is honest."""
        e = self.error(k, estimate)
        return float(e @ np.linalg.solve(estimate.covariance, e))


def without_delay(m: Measurements) -> Measurements:
    """As if everything had been exposed just now: what a filter would believe that knows nothing of the delay."""
    return replace(m, relative=tuple(replace(seen, t=m.t) for seen in m.relative))


def navigation(spec: Approach) -> Navigation:
    return Navigation(board(), spec.sensor)

"""Two craft in orbit, small and exact enough to fly the flight software in tests: two-body gravity without linearisation, a
torque-free rigid target, a rigid chaser with wheels and pulsed thrusters, and a stand-in for the filter (truth with noise).

Independent of ``proxops.space`` on purpose: what both get right is not by a mistake that they share.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from proxops.core.flight import Commands, Estimate, Floats, Measurements, OnboardData, onboard_data
from proxops.core.mission import MissionFile
from proxops.core.orbit_table import Elements
from proxops.core.vocabulary import MissionPhase
from proxops.maths.kernel import kernel
from proxops.maths.quaternion import cross, quat_about, quat_inverse, quat_product, turned
from proxops.maths.rotation import matrix_from_quat, quat_from_matrix, quat_from_rotation_vector
from proxops.onboard.flight_software import RendezvousSoftware

MU = 3.986004418e14
TICK_S = 0.004
LONGEST_STEP = 5  # ticks


@kernel
def _gravity(p: Floats) -> Floats:
    r2 = p[0] * p[0] + p[1] * p[1] + p[2] * p[2]
    g: Floats = p * (-MU / (r2 * math.sqrt(r2)))
    return g


@kernel
def _times(m: Floats, v: Floats) -> Floats:
    out = np.zeros(3)
    for i in range(3):
        for j in range(3):
            out[i] += m[i, j] * v[j]
    return out


@kernel
def _spin(q: Floats, w: Floats, inertia: Floats, inverse: Floats, momentum: Floats, torque: Floats, dt: float) -> None:
    """One midpoint step of Euler's equations with wheels' momentum."""
    half = w + 0.5 * dt * _times(inverse, torque - cross(w, _times(inertia, w) + momentum))
    w += dt * _times(inverse, torque - cross(half, _times(inertia, half) + momentum))
    q[:] = quat_product(q, quat_from_rotation_vector(half * dt))
    q /= math.sqrt(np.sum(q * q))


@kernel
def step_end(on: Floats, tick: int, ticks: int) -> int:
    """The tick that a step begun at ``tick`` lasts until: always a later one, whatever is rounded."""
    last = min(ticks, tick + LONGEST_STEP)
    for i in range(on.size):
        if on[i] > (tick + 0.5) * TICK_S:
            last = min(last, max(tick + 1, math.ceil(on[i] / TICK_S - 0.5)))
    return last


@kernel
def fly(
    target: Floats, chaser: Floats, q_t: Floats, w_t: Floats, q_c: Floats, w_c: Floats, wheel: Floats, wrench: Floats,
    on: Floats, torque: Floats, axes: Floats, rotor: float, mass: float, inertias: Floats, inverses: Floats, ticks: int,
    interfaces: Floats, seen: Floats,
) -> bool:  # fmt: skip
    """One cycle; stops when the interfaces meet. ``target``, ``chaser``: (2, 3) position and velocity in eci, the chaser's
    relative to the target; ``seen`` (1): the least distance so far. Thrusters end with whole ticks; steps (velocity Verlet;
    midpoint) last until one ends, and no longer than some ticks in which even a quick client turns by 0.1 deg only."""
    by_wheels = np.zeros(3)
    for i in range(torque.size):
        by_wheels += axes[i] * torque[i]
    zero = np.zeros(3)
    tick = 0
    while tick < ticks:
        w6, last = np.zeros(6), step_end(on, tick, ticks)
        for i in range(on.size):
            if on[i] > (tick + 0.5) * TICK_S:
                w6 += wrench[:, i]
        dt = (last - tick) * TICK_S
        tick = last
        momentum = np.zeros(3)
        for i in range(torque.size):
            momentum += axes[i] * (rotor * (wheel[i] - 0.5 * torque[i] * dt / rotor))
            wheel[i] -= torque[i] * dt / rotor
        _spin(q_t, w_t, inertias[0], inverses[0], zero, zero, dt)
        _spin(q_c, w_c, inertias[1], inverses[1], momentum, w6[3:] + by_wheels, dt)
        push = turned(q_c, w6[:3]) / mass
        for half in range(2):
            g = _gravity(target[0])
            chaser[1] += 0.5 * dt * (_gravity(target[0] + chaser[0]) - g + push)
            target[1] += 0.5 * dt * g
            if half == 0:
                target[0] += dt * target[1]
                chaser[0] += dt * chaser[1]
        seen[0] = min(seen[0], math.sqrt(np.sum(chaser[0] ** 2)))
        between = turned(quat_inverse(q_t), chaser[0] + turned(q_c, interfaces[1])) - interfaces[0]
        if -0.1 < between[0] <= 0.0 and abs(between[1]) < 1.0 and abs(between[2]) < 1.0:
            return True
    return False


@kernel
def least_distance_once_out(target: Floats, chaser: Floats, keep_out: float, duration: float, dt: float) -> float:
    """Both craft on their own orbits (RK4 each); least distance after it has left the sphere, -1 if it never does."""
    y = np.empty((4, 3))
    y[:2], y[2:] = target, chaser
    out, least = False, np.inf
    for _ in range(int(duration / dt)):
        k = np.zeros((5, 4, 3))
        for s in range(4):
            z = y + (0.0 if s == 0 else (dt if s == 3 else 0.5 * dt)) * k[s]
            k[s + 1, 0], k[s + 1, 1], k[s + 1, 2], k[s + 1, 3] = z[1], _gravity(z[0]), z[3], _gravity(z[2])
        y = y + dt / 6.0 * (k[1] + 2.0 * k[2] + 2.0 * k[3] + k[4])
        distance = math.sqrt(np.sum((y[2] - y[0]) ** 2))
        out = out or distance > keep_out
        if out:
            least = min(least, distance)
    return least if out else -1.0


def elements_state(e: Elements) -> Floats:
    """(2, 3) m and m/s in eci."""
    a, ecc, nu = e.semi_major_axis_km * 1e3, e.eccentricity, math.radians(e.anomaly_deg)
    p = a * (1.0 - ecc**2)
    r = p / (1.0 + ecc * math.cos(nu))
    pos = np.array([r * math.cos(nu), r * math.sin(nu), 0.0])
    vel = math.sqrt(MU / p) * np.array([-math.sin(nu), ecc + math.cos(nu), 0.0])
    z, x = np.array([0.0, 0.0, 1.0]), np.array([1.0, 0.0, 0.0])
    q = quat_about(z, math.radians(e.node_deg))
    q = quat_product(q, quat_about(x, math.radians(e.inclination_deg)))
    q = quat_product(q, quat_about(z, math.radians(e.perigee_deg)))
    return np.array([turned(q, pos), turned(q, vel)])


def lvlh_of(state: Floats) -> tuple[Floats, Floats]:
    """R_eci_lvlh and the frame's rate in eci axes."""
    h = np.cross(state[0], state[1])
    z, y = -state[0] / np.linalg.norm(state[0]), -h / np.linalg.norm(h)
    return np.column_stack((np.cross(y, z), y, z)), h / (state[0] @ state[0])


def attitude_in_lvlh(axis: Floats, roll_deg: float) -> Floats:
    """q_lvlh_body: +x along ``axis`` by the smallest turn, then rolled."""
    x = np.array([1.0, 0.0, 0.0])
    across = np.cross(x, axis)
    size = float(np.linalg.norm(across))
    turn_axis = across / size if size > 1e-9 else np.array([0.0, 0.0, 1.0])
    q = quat_about(turn_axis, math.atan2(size, float(axis[0])))
    return quat_product(q, quat_about(x, math.radians(roll_deg)))


@dataclass
class Noise:
    """One sigma of the stand-in filter's errors, which last ``memory_s``."""

    position_share: float = 0.0005
    position_m: float = 0.001
    velocity_m_s: float = 0.0005
    attitude_deg: float = 0.05
    rate_deg_s: float = 0.003
    chaser_arcsec: float = 5.0
    memory_s: float = 3.0


class Plant:
    """Truth. ``open_``, ``closed``: thrusters that are stuck."""

    def __init__(self, file: MissionFile, seed: int = 1) -> None:
        assert isinstance(file.orbit, Elements)
        self.file, self.data = file, onboard_data(file)
        self.rng = np.random.default_rng(seed)
        d = self.data
        self.target = elements_state(file.orbit)
        R, w = lvlh_of(self.target)
        place = R @ np.array(file.start.position_m)
        self.chaser = np.array([place, R @ np.array(file.start.velocity_m_s) + np.cross(w, place)])
        q_eci_lvlh = quat_from_matrix(R)
        self.q_t = self._attitude(q_eci_lvlh, np.array(file.target.attitude.axis), file.target.attitude.roll_deg)
        self.q_c = self._attitude(q_eci_lvlh, np.array(file.chaser.attitude.axis), file.chaser.attitude.roll_deg)
        self.w_t = np.radians(np.array(file.target.attitude.rate_deg_s))
        self.w_c = np.radians(np.array(file.chaser.attitude.rate_deg_s))
        self.wheel = np.zeros(len(d.wheel_axes))
        n = len(d.thruster_directions)
        force = d.thruster_force_n * d.thruster_directions * (1.0 + 0.03 * self.rng.standard_normal((n, 1)))
        force = force + 0.005 * d.thruster_force_n * self.rng.standard_normal((n, 3))  # 0.3 deg of misalignment
        self.wrench = np.vstack((force.T, np.cross(d.thruster_places, force).T))
        self.open_, self.closed = np.zeros(n, dtype=bool), np.zeros(n, dtype=bool)
        self.on, self.t, self.mated = np.zeros(n), 0.0, False
        self.propellant_kg, self.seen = file.chaser.propellant_kg, np.array([np.inf])
        self._inertias = np.array([d.target_inertia, d.inertia])
        self._inverses = np.linalg.inv(self._inertias)
        self._interfaces = np.array([d.target_interface - d.target_mass_centre, d.interface - d.mass_centre])

    @staticmethod
    def _attitude(q_eci_lvlh: Floats, axis: Floats, roll_deg: float) -> Floats:
        return quat_product(q_eci_lvlh, attitude_in_lvlh(axis, roll_deg))

    def step(self, commands: Commands) -> None:
        """One cycle of the flight software."""
        d = self.data
        assert np.all(commands.on_time_s >= 0.0) and np.all(commands.on_time_s <= d.period_s + 1e-12)
        assert np.all(np.abs(commands.wheel_torque) <= d.wheel_torque_n_m * (1.0 + 1e-9))
        on = np.where(self.open_, d.period_s, np.where(self.closed, 0.0, commands.on_time_s))
        if commands.isolated is not None:
            on = np.where(commands.isolated, 0.0, on)
        mass = d.mass_kg - (self.file.chaser.propellant_kg - self.propellant_kg)
        self.mated = self.mated or fly(
            self.target, self.chaser, self.q_t, self.w_t, self.q_c, self.w_c, self.wheel, self.wrench, on,
            commands.wheel_torque, d.wheel_axes, d.rotor_kg_m2, mass, self._inertias, self._inverses,
            round(d.period_s / TICK_S), self._interfaces, self.seen,
        )  # fmt: skip
        self.on = on
        self.propellant_kg -= float(on.sum()) * d.thruster_force_n / (d.specific_impulse_s * 9.80665)
        self.t += d.period_s

    def measurements(self) -> Measurements:
        """Own instruments; the relative sensor is in the stand-in filter."""
        p, v = self.target + self.chaser
        return Measurements(
            self.t, (), self.q_c.copy(), self.w_c.copy(), p, v, self.wheel.copy(), self.on.copy(), self.propellant_kg
        )  # fmt: skip

    def between_interfaces(self) -> Floats:
        """Chaser's interface from the target's, in the target's frame."""
        p = self.chaser[0] + turned(self.q_c, self._interfaces[1])
        return turned(quat_inverse(self.q_t), p) - self._interfaces[0]

    def contact(self) -> dict[str, float]:
        """What docking mechanisms ask: m, m/s, degrees, degrees per second."""
        arm = turned(self.q_c, self._interfaces[1])
        p = self.chaser[0] + arm
        v = self.chaser[1] + np.cross(turned(self.q_c, self.w_c), arm) - np.cross(turned(self.q_t, self.w_t), p)
        rate = turned(quat_inverse(self.q_t), v)
        R = matrix_from_quat(quat_product(quat_inverse(self.q_t), self.q_c))
        w = self.w_c - turned(quat_inverse(self.q_c), turned(self.q_t, self.w_t))
        gap, y, z = self.between_interfaces()
        return {
            "gap": float(gap), "lateral": math.hypot(y, z), "closing": -float(rate[0]),
            "lateral_rate": math.hypot(rate[1], rate[2]), "tilt": math.degrees(math.acos(min(1.0, R[0, 0]))),
            "roll": abs(math.degrees(math.atan2(R[2, 1], R[1, 1]))), "rate": math.degrees(float(np.linalg.norm(w))),
        }  # fmt: skip


class StandInFilter:
    """As the navigation: truth with errors that wander, and a covariance that tells their size. ``blind``: no measurements;
    ``wake_s``: when it gets ready."""

    def __init__(self, plant: Plant, noise: Noise | None = None, wake_s: float = 2.0) -> None:
        self.plant, self.noise, self.wake_s = plant, noise or Noise(), wake_s
        self.age_s, self.accepted, self.rejected = 0.0, 0, 0
        self.blind, self.doubt = False, 1.0
        self._errors = plant.rng.standard_normal(15)
        self._update()

    @property
    def ready(self) -> bool:
        return self.plant.t >= self.wake_s

    def step(self, m: Measurements, acceleration: Floats, /) -> None:
        dt = self.plant.data.period_s
        keep = math.exp(-dt / self.noise.memory_s)
        self._errors = keep * self._errors + math.sqrt(1.0 - keep**2) * self.plant.rng.standard_normal(15)
        self.age_s = self.age_s + dt if self.blind else 0.0
        self.accepted = 0 if self.blind else 1
        self._update()

    def _update(self) -> None:
        p, n, e = self.plant, self.noise, self._errors
        distance = float(np.linalg.norm(p.chaser[0]))
        sigma = np.repeat(
            [
                math.hypot(n.position_m, n.position_share * distance), n.velocity_m_s, math.radians(n.attitude_deg),
                math.radians(n.rate_deg_s),
            ], 3,
        )  # fmt: skip
        error = sigma * e[:12]
        q_t = quat_product(p.q_t, quat_from_rotation_vector(error[6:9]))
        covariance = np.diag((self.doubt * sigma) ** 2)
        self.estimate = Estimate(p.chaser[0] + error[:3], p.chaser[1] + error[3:6], q_t, p.w_t + error[9:], covariance)
        small = math.radians(n.chaser_arcsec / 3600.0) * e[12:15]
        self.q_eci_chaser = quat_product(p.q_c, quat_from_rotation_vector(small))
        self.w_eci_chaser = p.w_c.copy()
        self.p_eci_chaser, self.v_eci_chaser = p.target + p.chaser


@dataclass
class Run:
    """Plant, filter and flight software together, with what happened."""

    plant: Plant
    navigation: StandInFilter
    software: RendezvousSoftware
    phases: list[tuple[float, MissionPhase]]
    corridor: float = 0.0  # most of it that was used
    error: float = 0.0  # largest distance between reference and truth, m, after the first minute

    def until(self, t_s: float) -> Run:
        """Fly on until then or until the interfaces meet."""
        while self.plant.t < t_s and not self.plant.mated:
            commands = self.software.step(self.plant.measurements())
            told = commands.telemetry
            if not self.phases or self.phases[-1][1] != told.phase:
                self.phases.append((self.plant.t, told.phase))
            self.corridor = max(self.corridor, told.corridor)
            if told.goal is not None and self.plant.t > 60.0:
                self.error = max(self.error, float(np.linalg.norm(told.goal - self.plant.chaser[0])))
            self.plant.step(commands)
        return self

    @property
    def names(self) -> list[str]:
        return [phase.name for _, phase in self.phases]


def rendezvous(file: MissionFile, seed: int = 1, noise: Noise | None = None) -> Run:
    """All of it, at the beginning."""
    plant = Plant(file, seed)
    navigation = StandInFilter(plant, noise)
    return Run(plant, navigation, RendezvousSoftware(file, navigation), [])


def nominal_wrench(data: OnboardData) -> Floats:
    """(6, n) N, N m about the chaser's centre of mass."""
    force = data.thruster_force_n * data.thruster_directions
    return np.vstack((force.T, np.cross(data.thruster_places, force).T))

"""Two spacecraft in a point mass's field with a relative sensor: small, independent of ``space/``, enough to close a loop.

The target coasts and turns at a steady rate; the chaser is a rigid body with thrusters (steady force for their on-time) and
wheels (torque without limits). Truth stays in here: ``away_m`` and ``turned_rad`` are for the test's eyes.
"""

from __future__ import annotations

import math
from collections import deque

import numpy as np
from numpy.typing import NDArray

from proxops.core.flight import R_CHASER_SENSOR, Commands, Measurements, RelativeMeasurement, onboard_data
from proxops.core.mission import MissionFile
from proxops.maths.quaternion import cross, quat_inverse, quat_product
from proxops.maths.rotation import matrix_from_quat, quat_from_matrix, quat_from_rotation_vector

Floats = NDArray[np.float64]
MU, SEMI_MAJOR_M = 3.986004418e14, 6.928e6


def gravity(p: Floats) -> Floats:
    return -MU * p / np.linalg.norm(p) ** 3


def lvlh(p: Floats, v: Floats) -> Floats:
    """R_eci_lvlh."""
    normal = cross(p, v)
    z, y = -p / np.linalg.norm(p), -normal / np.linalg.norm(normal)
    return np.column_stack([cross(y, z), y, z])


class SmallPlant:
    """One cycle of the flight software at a time."""

    def __init__(self, file: MissionFile, rng: np.random.Generator) -> None:
        self.file, self.d, self.rng = file, onboard_data(file), rng
        speed = math.sqrt(MU / SEMI_MAJOR_M)
        self.target = np.array([SEMI_MAJOR_M, 0.0, 0.0]), np.array([0.0, 0.6 * speed, 0.8 * speed])
        R = lvlh(*self.target)
        self.w_orbit = np.cross(*self.target) / SEMI_MAJOR_M**2
        away, drift = R @ np.array(file.start.position_m), R @ np.array(file.start.velocity_m_s)
        self.chaser = self.target[0] + away, self.target[1] + drift + np.cross(self.w_orbit, away)
        half_turn = np.diag([-1.0, -1.0, 1.0])  # its -x axis, where the sensor looks, along +x of LVLH
        self.q_eci_chaser, self.w = quat_from_matrix(R @ half_turn), np.zeros(3)
        self.q_eci_target, self.w_target = quat_from_matrix(R), np.array([0.003, 0.001, -0.001])
        self.begun = R.T @ away
        self.attitude = half_turn
        self.t, self.on_s, self.fired_s = 0.0, np.zeros(len(self.d.thruster_places)), 0.0
        self.on_the_way: deque[tuple[float, RelativeMeasurement]] = deque()

    @property
    def away_m(self) -> float:
        """From where it began, LVLH."""
        p = lvlh(*self.target).T @ (self.chaser[0] - self.target[0])
        return float(np.linalg.norm(p - self.begun))

    @property
    def turned_rad(self) -> float:
        """From how it stood at the beginning, LVLH."""
        R = lvlh(*self.target).T @ matrix_from_quat(self.q_eci_chaser)
        return math.acos(max(-1.0, min(1.0, (np.trace(self.attitude.T @ R) - 1.0) / 2.0)))

    def measure(self) -> Measurements:
        """What reaches the flight software now; the sensor looks once a cycle, its view comes one or two cycles later."""
        s = self.file.sensor
        if self.rng.random() >= s.dropout_share:
            self.on_the_way.append((self.t + 1e-3 * (s.delay_ms + self.rng.random() * s.jitter_ms), self.look()))
        arrived = []
        while self.on_the_way and self.on_the_way[0][0] <= self.t + 1e-9:
            arrived.append(self.on_the_way.popleft()[1])
        a = self.file.avionics
        tilt = self.rng.normal(size=3) * math.radians(a.star_tracker_arcsec / 3600.0)
        return Measurements(
            self.t, tuple(arrived), quat_product(self.q_eci_chaser, quat_from_rotation_vector(tilt)),
            self.w + self.rng.normal(size=3) * math.radians(a.gyro_deg_h / 3600.0),
            self.chaser[0] + self.rng.normal(size=3) * a.gnss_m, self.chaser[1] + self.rng.normal(size=3) * a.gnss_m_s,
            np.zeros(len(self.d.wheel_axes)), self.on_s, 40.0,
        )  # fmt: skip

    def look(self) -> RelativeMeasurement:
        """The target's body frame from the sensor, with noise and outliers."""
        s, R = self.file.sensor, matrix_from_quat(self.q_eci_chaser)
        origin = self.target[0] - matrix_from_quat(self.q_eci_target) @ self.d.target_mass_centre
        p_chaser = R.T @ (origin - self.chaser[0]) + self.d.mass_centre - self.d.sensor_place
        p = R_CHASER_SENSOR.T @ p_chaser
        sigma = (
            np.array([s.across_share, s.across_share, s.along_share]) * float(np.linalg.norm(p)) + s.position_floor_m
        )
        size = s.outlier_size if self.rng.random() < s.outlier_share else 1.0
        q_sensor_eci = quat_inverse(quat_product(self.q_eci_chaser, quat_from_matrix(R_CHASER_SENSOR)))
        noise = quat_from_rotation_vector(self.rng.normal(size=3) * math.radians(s.attitude_deg))
        q = quat_product(quat_product(q_sensor_eci, self.q_eci_target), noise)
        return RelativeMeasurement(self.t, p + self.rng.normal(size=3) * sigma * size, q)

    def fly(self, commands: Commands) -> None:
        """One cycle on: the thrusters' impulse is spread evenly over it."""
        h, d = self.d.period_s, self.d
        forces = (commands.on_time_s / h * d.thruster_force_n)[:, None] * d.thruster_directions
        torque = np.cross(d.thruster_places, forces).sum(axis=0) + commands.wheel_torque @ d.wheel_axes
        push = matrix_from_quat(self.q_eci_chaser) @ forces.sum(axis=0) / d.mass_kg
        self.target, self.chaser = coasted(*self.target, np.zeros(3), h), coasted(*self.chaser, push, h)
        spin = torque - cross(self.w, d.inertia @ self.w)
        self.w = self.w + h * np.linalg.solve(d.inertia, spin)
        self.q_eci_chaser = quat_product(self.q_eci_chaser, quat_from_rotation_vector(self.w * h))
        self.q_eci_target = quat_product(self.q_eci_target, quat_from_rotation_vector(self.w_target * h))
        self.t, self.on_s = self.t + h, commands.on_time_s
        self.fired_s += float(commands.on_time_s.sum())


def coasted(p: Floats, v: Floats, push: Floats, h: float) -> tuple[Floats, Floats]:
    """Velocity Verlet: symplectic, and at 0.1 s far below the sensor's noise."""
    v = v + 0.5 * h * (gravity(p) + push)
    p = p + h * v
    return p, v + 0.5 * h * (gravity(p) + push)

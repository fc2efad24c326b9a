"""One run of one task-space law: the craft as it is, the controller with what it believes, the base's attitude held or free."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np

from proxops.applications.tracking.plant import actuator_of, feed_of, plant_of
from proxops.applications.tracking.tables import TrackingFile
from proxops.arms.dynamics import Dynamics, base_pose
from proxops.arms.model import N_BASE, N_BASE_Q, ArmModel, Floats
from proxops.maths.quaternion import quat_inverse, quat_product, rotation_vector
from proxops.onboard.base_attitude import BaseAttitude
from proxops.onboard.damped_inverse import prepare, project
from proxops.onboard.joint_sense import JointSense
from proxops.onboard.pose_path import PosePath
from proxops.onboard.task_controller import TaskController
from proxops.onboard.task_laws import task_error
from proxops.sensors.joint_encoders import JointEncoders
from proxops.space.free_floating import Diverged
from proxops.space.joint_motors import JointMotors

GRAVITY_EVERY: Final = 10  # cycles of the flight software: the gravity gradient changes in minutes
# One row of the record, after the demand: errors (m; rad), torques, joint angles, and single numbers.
SINGLES: Final = (
    ("error", "m"), ("turn_error", "rad"), ("null_rate", "rad/s"), ("posture_error", "rad"), ("sigma", ""), ("base_turn", "deg"),
    ("base_move", "m"), ("wheels", "N m s"),
)  # fmt: skip

BASE: Final = (
    *((f"base_{axis}", "m") for axis in "xyz"), *((f"base_q{part}", "") for part in "wxyz"),
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class TrackingRun:
    """``errors``: (cycles) distance of the tool from the demand, m. ``record``: rows at the log's rate, NaN behind a
    divergence. ``failure``: why it ended early."""

    errors: Floats
    turns: Floats  # (cycles) rad
    record: Floats
    failure: str = ""
    share: float = 0.0  # largest torque asked for, over the motor's most
    interrupted: bool = False  # by the operator

    @property
    def mean_m(self) -> float:
        return float(np.mean(self.errors)) if not self.failure else float("nan")

    @property
    def mean_rad(self) -> float:
        return float(np.mean(self.turns)) if not self.failure else float("nan")


def columns(n: int) -> tuple[tuple[str, str], ...]:
    """Of one law's series."""
    return (
        *((f"error_{axis}", "m") for axis in "xyz"), *((f"turn_{axis}", "rad") for axis in "xyz"),
        *((f"torque_{i}", "N m") for i in range(1, n + 1)), *((f"joint_{i}", "rad") for i in range(1, n + 1)), *SINGLES, *BASE,
    )  # fmt: skip


class TrackingBench:
    """Everything of one run; ``run`` once."""

    def __init__(
        self, file: TrackingFile, craft: ArmModel, q: Floats, path: PosePath, controller: TaskController, every: int
    ) -> None:
        self._craft, self._path, self._controller, self._every = craft, path, controller, every
        self._dt = 1.0 / file.rate_hz
        self.plant, self._feed = plant_of(file, craft, q), feed_of(file, controller.model)
        self._encoders, self._motors = JointEncoders(file.joints), JointMotors(craft.n, file.joints)
        self._sense = JointSense(file.joints, controller.model, self._encoders.reading(q[N_BASE_Q:]))
        self._actuator = actuator_of(file.base)
        self._attitude = BaseAttitude(controller.model, q, file.base.bandwidth_rad_s)
        self._cycles = round(path.duration_s * file.rate_hz)
        self._seen, self._start = Dynamics(craft), q.copy()
        self._u, self._L, self._null = np.zeros(6), np.zeros((6, 6)), np.zeros(craft.n)

    def run(self, stopped: Callable[[], bool] = lambda: False) -> TrackingRun:
        """To the end of the path, until the craft diverges, or it is ``stopped``."""
        cycles, every = self._cycles, self._every
        errors, turns = np.full(cycles + 1, np.nan), np.full(cycles + 1, np.nan)
        record = np.full((cycles // every + 1, len(columns(self._craft.n))), np.nan)
        failure, interrupted, error, share = "", False, np.zeros(6), 0.0
        known = np.zeros(self._craft.pin.nv)
        gravity = np.zeros(self._craft.pin.nv)
        for i in range(cycles + 1):
            t = i * self._dt
            q, v = self._measured(t)
            if self._feed is not None and i % GRAVITY_EVERY == 0:
                gravity = self._feed.at(t, q)
            known[:] = gravity
            on_base, drive = self._turn_base(q, v, known)
            demand = self._path.at(t)
            torques = self._sense.told(
                self._controller.step(q, v, demand, known), v[N_BASE:], partial(self._controller.demanded_rates, demand)
            )
            share = max(share, float(np.max(np.abs(torques) / self._craft.effort)))
            self._seen.update(self.plant.q, self.plant.v)
            task_error(self._seen.tool, demand.flat, error)
            errors[i], turns[i] = np.linalg.norm(error[:3]), np.linalg.norm(error[3:])
            if i % every == 0:
                record[i // every] = self._row(error, torques)
            if i == cycles:
                break
            if stopped():
                failure, interrupted = f"interrupted after {t:.3f} s", True
                break
            try:
                given = self._motors.give(torques, self.plant.q[N_BASE_Q:])
                self.plant.step(given, self._dt, on_base, drive)
            except Diverged as reason:
                failure = str(reason)
                break
        return TrackingRun(errors, turns, record, failure, share, interrupted)

    def _measured(self, t: float) -> tuple[Floats, Floats]:
        """State as the flight software knows it: joints by their encoders, the base as it is."""
        q, v = self.plant.q, self.plant.v
        angles = self._encoders.reading(q[N_BASE_Q:])
        rates = self._sense.rates(t, angles, v[N_BASE:])
        return np.concatenate([q[:N_BASE_Q], angles]), np.concatenate([v[:N_BASE], rates])

    def _turn_base(self, q: Floats, v: Floats, known: Floats) -> tuple[Floats | None, Floats | None]:
        """Torques of the base's actuators; the arm's controller is told of them."""
        if self._actuator is None:
            return None, None
        rotors = self.plant.rotors
        on_base, drive = self._actuator.act(self._attitude.torque(q, v), rotors, self._dt)
        if on_base is not None:
            known[:N_BASE] += on_base
        if drive is not None:
            known[3:N_BASE] += drive - np.cross(v[3:6], rotors)
        return on_base, drive

    def _row(self, error: Floats, torques: Floats) -> Floats:
        q, v = self.plant.q, self.plant.v
        joints, jacobian = q[N_BASE_Q:], self._seen.generalised.jacobian
        sigma = prepare(jacobian, self._u, self._L)
        project(jacobian, self._L, np.ascontiguousarray(v[N_BASE:]), self._null)
        turn = np.zeros(3)
        rotation_vector(quat_product(base_pose(q)[3:], quat_inverse(base_pose(self._start)[3:])), turn)
        singles = (
            np.linalg.norm(error[:3]), np.linalg.norm(error[3:]), np.linalg.norm(self._null),
            np.linalg.norm(joints - self._controller.posture), sigma, np.degrees(np.linalg.norm(turn)),
            np.linalg.norm(q[:3] - self._start[:3]), np.linalg.norm(self.plant.rotors),
        )  # fmt: skip
        return np.concatenate([error, torques, joints, singles, base_pose(q)])

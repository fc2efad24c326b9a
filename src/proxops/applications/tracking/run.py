"""One run of one task-space law: the craft as it is, the controller with what it believes, the base's attitude held or free."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
import pinocchio

from proxops.applications.tracking.tables import BaseTable, TrackingFile
from proxops.arms.dynamics import Dynamics, base_pose
from proxops.arms.model import N_BASE, N_BASE_Q, ArmModel, Floats
from proxops.maths.quaternion import quat_inverse, quat_product, rotation_vector
from proxops.onboard.base_attitude import BaseAttitude
from proxops.onboard.damped_inverse import prepare, project
from proxops.onboard.pose_path import PosePath
from proxops.onboard.task_controller import TaskController
from proxops.onboard.task_laws import task_error
from proxops.space.base_actuators import BaseActuator, ReactionWheels, ThrusterPairs
from proxops.space.free_floating import Diverged, FreeFloating, hardware_of
from proxops.space.link_gravity import CircularOrbit, HeldGravity, LinkGravity

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


class GravityFeed:
    """τ_grav of eq. 8 and what the base feels, from the controller's own model: (6 + n) generalised forces."""

    def __init__(self, model: ArmModel, orbit: CircularOrbit, begin_s: float) -> None:
        self._pin, self._data = model.pin, model.pin.createData()
        self._gravity, self._still = LinkGravity(model, orbit, begin_s), np.zeros(model.pin.nv)

    def at(self, t: float, q: Floats) -> Floats:
        pinocchio.forwardKinematics(self._pin, self._data, q)
        forces = self._gravity.at(t, self._data)
        out: Floats = -pinocchio.rnea(self._pin, self._data, q, self._still, self._still, forces)
        return out


def actuator_of(base: BaseTable) -> BaseActuator | None:
    if base.control == "wheels":
        return ReactionWheels(base.wheels.torque_n_m, base.wheels.momentum_n_m_s)
    if base.control == "thrusters":
        return ThrusterPairs(base.thrusters.torque_n_m, base.thrusters.min_on_s, base.thrusters.period_s)
    return None


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
        orbit = None if file.orbit is None else CircularOrbit(1000.0 * file.orbit.radius_km)
        begin = 0.0 if file.orbit is None else file.orbit.begin_s
        gravity = HeldGravity(craft, orbit, begin, self._dt) if orbit else None
        self.plant = FreeFloating(craft, q, None, hardware_of(craft, friction=file.arm.friction), gravity)
        feeds = orbit is not None and file.orbit is not None and file.orbit.feed_forward
        self._feed = GravityFeed(controller.model, orbit, begin) if feeds and orbit else None
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
            t, q, v = i * self._dt, self.plant.q, self.plant.v
            if self._feed is not None and i % GRAVITY_EVERY == 0:
                gravity = self._feed.at(t, q)
            known[:] = gravity
            on_base, drive = self._turn_base(q, v, known)
            demand = self._path.at(t)
            torques = self._controller.step(q, v, demand, known)
            share = max(share, float(np.max(np.abs(torques) / self._craft.effort)))
            self._seen.update(q, v)
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
                self.plant.step(torques, self._dt, on_base, drive)
            except Diverged as reason:
                failure = str(reason)
                break
        return TrackingRun(errors, turns, record, failure, share, interrupted)

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

"""One run of one visual servo: the craft and camera as they are, flight software with joints and sightings only."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Protocol

import numpy as np
import pinocchio

from proxops.applications.servo.eye import Eye, Looked
from proxops.applications.servo.tables import ServoFile
from proxops.arms.dynamics import base_pose
from proxops.arms.model import N_BASE, N_BASE_Q, ArmModel, Floats
from proxops.maths.pose import compose, inverse_pose, pose, pose_from_packed
from proxops.maths.quaternion import rotation_vector
from proxops.maths.rotation import quat_from_matrix
from proxops.onboard.joint_sense import JointSense
from proxops.onboard.pose_path import PoseDemand
from proxops.onboard.visual_guidance import Seen, Tally, VisualGuidance
from proxops.sensors.joint_encoders import JointEncoders
from proxops.space.free_floating import Diverged, FreeFloating
from proxops.space.joint_motors import JointMotors, hardware_by
from proxops.space.link_gravity import CircularOrbit, HeldGravity

XYZ: Final = ("x", "y", "z")


class VisualServo(Protocol):
    """Flight software: the direct or the indirect servo."""

    guidance: VisualGuidance
    demand: PoseDemand

    @property
    def tool(self) -> Floats: ...

    def step(self, t: float, joints: Floats, rates: Floats, seen: Seen | None = None) -> Floats: ...

    def demanded_rates(self) -> Floats: ...


@dataclass(frozen=True, eq=False)
class Station:
    """What is fixed in inertial axes, and where the camera sits: truth."""

    T_inertial_marker: Floats
    T_marker_grasp: Floats
    T_base_camera: Floats

    @property
    def T_inertial_grasp(self) -> Floats:
        return compose(self.T_inertial_marker, self.T_marker_grasp)


def columns(n: int) -> tuple[tuple[str, str], ...]:
    """Of one run's series, at the log's rate."""
    vectors = (
        ("error", "m"), ("true_error", "m"), ("hand", "m"), ("path", "m"), ("marker", "m"), ("marker_turn", "rad"),
        ("seen", "m"), ("seen_turn", "rad"),
    )  # fmt: skip
    return (
        *((f"{name}_{axis}", unit) for name, unit in vectors for axis in XYZ),
        *((f"torque_{i}", "N m") for i in range(1, n + 1)), *((f"joint_{i}", "rad") for i in range(1, n + 1)),
        ("error", "m"), ("true_error", "m"), ("true_turn_error", "rad"), ("to_go", "m"), ("to_go_turn", "rad"),
        ("base_move", "m"), ("base_turn", "rad"),
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class ServoRun:
    """``record``: rows at the log's rate, NaN before the first plan and behind a divergence."""

    record: Floats
    looked: Looked
    tally: Tally
    torque_share: float  # largest torque, of what the joint can give
    margin_rad: float  # smallest distance of a joint to its limits
    failure: str = ""
    interrupted: bool = False  # by the operator

    def mean(self, column: str) -> float:
        values = self._column(column)
        return float(np.nanmean(values)) if not self.failure and np.isfinite(values).any() else float("nan")

    def last(self, column: str) -> float:
        return float(self._column(column)[-1]) if not self.failure else float("nan")

    def _column(self, name: str) -> Floats:
        n = (self.record.shape[1] - len(columns(0))) // 2
        return self.record[:, [one for one, _ in columns(n)].index(name)]


class ServoBench:
    """Everything of one run: ``run`` once, or ``cycle`` by cycle."""

    def __init__(
        self,
        file: ServoFile,
        craft: ArmModel,
        q: Floats,
        station: Station,
        servo: VisualServo,
        eye: Eye,
        every: int,
        record: Floats,
    ) -> None:
        """``record``: to be filled, a row for each ``every`` cycles, NaN so far."""
        self._craft, self._station, self._servo, self._eye, self._every = craft, station, servo, eye, every
        self._record, self._share, self._margin, self._failure, self._interrupted = record, 0.0, np.inf, "", False
        self._dt, self._cycles = 1.0 / file.rate_hz, round(file.end_s * file.rate_hz)
        v = np.zeros(craft.pin.nv)
        v[:3], v[3:6] = file.drift.speed_m_s, np.radians(file.drift.turn_deg_s)
        gravity = None
        if file.orbit is not None:
            gravity = HeldGravity(craft, CircularOrbit(1000.0 * file.orbit.radius_km), file.orbit.begin_s, self._dt)
        self.plant = FreeFloating(craft, q, v, hardware_by(craft, file.arm.friction, file.joints), gravity)
        self._encoders, self._motors = JointEncoders(file.joints), JointMotors(craft.n, file.joints)
        self._sense = JointSense(file.joints, craft, self._encoders.reading(q[N_BASE_Q:]))
        self._data: Any = craft.pin.createData()
        self._T_marker_start = compose(inverse_pose(station.T_inertial_marker), T_inertial_base(q))
        self._start = q.copy()
        # The last sighting: the marker's place in the base's frame, and its turn from the start.
        self._seen = np.full(6, np.nan)

    def run(self, stopped: Callable[[], bool] = lambda: False) -> ServoRun:
        """To the end of the time, until the craft diverges, or it is ``stopped``."""
        for i in range(self._cycles + 1):
            if not self.cycle(i, stopped()):
                break
        return self.told()

    def cycle(self, i: int, stopped: bool) -> bool:
        """Cycle ``i``, all in turn; whether there is another. ``stopped``: the operator has had enough."""
        plant, t = self.plant, i * self._dt
        joints = plant.q[N_BASE_Q:]
        self._look(t)
        torques = self._told(t)
        if i % self._every == 0:
            self._record[i // self._every] = self._row(t, torques)
        self._share = max(self._share, float(np.max(np.abs(torques) / self._craft.effort)))
        room = np.minimum(joints - self._craft.lower, self._craft.upper - joints)
        self._margin = min(self._margin, float(np.min(room)))
        if i == self._cycles:
            return False
        if stopped:
            self._failure, self._interrupted = f"interrupted after {t:.3f} s", True
            return False
        try:
            plant.step(self._motors.give(torques, joints), self._dt)
        except Diverged as reason:
            self._failure = str(reason)
            return False
        return True

    def _told(self, t: float) -> Floats:
        """Torques that the flight software asks for at ``t``: the servo's, and what is added against friction."""
        angles = self._encoders.reading(self.plant.q[N_BASE_Q:].copy())
        rates = self._sense.rates(t, angles, self.plant.v[N_BASE:].copy())
        torques = self._servo.step(t, angles, rates, self._eye.arrived(t))
        return self._sense.told(torques, rates, self._servo.demanded_rates)

    def told(self) -> ServoRun:
        """What has come of it by now."""
        return ServoRun(
            self._record, self._eye.looked, self._servo.guidance.tally, self._share, self._margin, self._failure,
            self._interrupted,
        )  # fmt: skip

    def places(self) -> tuple[Floats, ...]:
        """Truth, (4, 4): base and hand in inertial axes."""
        return T_inertial_base(self.plant.q), self._hand()

    def _look(self, t: float) -> None:
        if not self._eye.due(t):
            return
        sighting = self._eye.expose(t, compose(T_inertial_base(self.plant.q), self._station.T_base_camera))
        if sighting is not None:
            T_base_marker = compose(self._station.T_base_camera, pose_from_packed(sighting.T_camera_marker))
            self._seen[:] = self._from_start(T_base_marker)

    def _row(self, t: float, torques: Floats) -> Floats:
        """Errors as the flight software believes them and as they are. Where the path runs in truth: at the true marker, as
        it was planned at the believed one."""
        station, demand, guidance = self._station, self._servo.demand, self._servo.guidance
        base, hand = T_inertial_base(self.plant.q), self._hand()
        path = np.full((4, 4), np.nan)
        believed = guidance.marker(t)
        error = np.full(3, np.nan)
        if believed is not None and guidance.moving:
            wanted = pose(np.ascontiguousarray(demand.R), demand.p)
            path = compose(station.T_inertial_marker, compose(inverse_pose(believed), wanted))
            error = demand.p - self._servo.tool[:3]
        goal, off = station.T_inertial_grasp, path[:3, 3] - hand[:3, 3]
        marker = self._from_start(compose(inverse_pose(base), station.T_inertial_marker))
        singles = (
            np.linalg.norm(error), np.linalg.norm(off), _angle(path, hand), np.linalg.norm(goal[:3, 3] - hand[:3, 3]),
            _angle(goal, hand), np.linalg.norm(self.plant.q[:3] - self._start[:3]), _angle(base, T_inertial_base(self._start)),
        )  # fmt: skip
        return np.concatenate(
            [error, off, hand[:3, 3], path[:3, 3], marker, self._seen, torques, self.plant.q[N_BASE_Q:], singles]
        )

    def _hand(self) -> Floats:
        """T_inertial_hand, truth."""
        pinocchio.forwardKinematics(self._craft.pin, self._data, self.plant.q)
        place = pinocchio.updateFramePlacement(self._craft.pin, self._data, self._craft.tool_id)
        return np.ascontiguousarray(place.homogeneous)

    def _from_start(self, T_base_marker: Floats) -> Floats:
        """(6) place of the marker in the base's frame, and its turn since the start as a rotation vector there."""
        out = np.empty(6)
        out[:3] = T_base_marker[:3, 3]
        rotation_vector(quat_from_matrix(compose(T_base_marker, self._T_marker_start)), out[3:])
        return out


def T_inertial_base(q: Floats) -> Floats:
    return pose_from_packed(base_pose(q))


def _angle(T_1: Floats, T_2: Floats) -> float:
    out = np.zeros(3)
    turn = np.ascontiguousarray(T_1[:3, :3] @ T_2[:3, :3].T)
    return rotation_vector(quat_from_matrix(turn), out) if np.isfinite(turn).all() else float("nan")

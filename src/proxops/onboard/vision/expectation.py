"""Where an image should show the client: from the navigation filter's estimate, or from the poses of the images before.

With r the chaser's mass centre from the target's (eci), c the mass centres in their craft's frames, s the sensor's place:

    p_sensor_target = R_sensor_chaser (R_chaser_eci (−r − R_eci_target c_target) − (s − c_chaser))
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from proxops.core.flight import N_ERRORS, R_CHASER_SENSOR, Estimate, Floats, OnboardData
from proxops.core.vision import PoseFound, PosePrediction
from proxops.maths.pose import pose_from_packed
from proxops.maths.pose_change import pose_change
from proxops.maths.quaternion import put_unit, quat_product
from proxops.maths.rotation import matrix_from_quat, quat_from_matrix, quat_from_rotation_vector
from proxops.maths.small_matrix import skew

# Of the own attitude at an image's time, one standard deviation, rad: star tracker, and a history that is looked up.
OWN_ATTITUDE: Final = 2e-4
# Without a filter: how wrong a motion may be that two images told, and one that nobody knows yet.
KNOWN_MOTION: Final = (0.02, math.radians(1.0))  # m/s, rad/s
UNKNOWN_MOTION: Final = (0.1, math.radians(6.0))
APART_S: Final = 0.05  # between two images that tell a motion, at least


@dataclass(frozen=True, eq=False)
class OwnAttitude:
    """The chaser at an image's time, as it measured itself."""

    q_eci_chaser: Floats
    w_eci_chaser: Floats  # rad/s, chaser's frame


def expected(estimate: Estimate, t_estimate: float, t: float, own: OwnAttitude, data: OnboardData) -> PosePrediction:
    """At ``t`` in the reference sensor's frame, by the filter's estimate of ``t_estimate``: between them it coasts."""
    dt, w_target, centre = t - t_estimate, estimate.w_eci_target, data.target_mass_centre
    R_sensor_chaser = R_CHASER_SENSOR.T
    R_sensor_eci = R_sensor_chaser @ matrix_from_quat(own.q_eci_chaser).T
    q_eci_target = np.empty(4)
    put_unit(quat_product(estimate.q_eci_target, quat_from_rotation_vector(dt * w_target)), q_eci_target)
    R_sensor_target = R_sensor_eci @ matrix_from_quat(q_eci_target)
    way = -R_sensor_eci @ (estimate.position + dt * estimate.velocity) - R_sensor_target @ centre
    p = way - R_sensor_chaser @ (data.sensor_place - data.mass_centre)
    w_sensor = R_sensor_chaser @ own.w_eci_chaser
    velocity = (
        -R_sensor_eci @ estimate.velocity - R_sensor_target @ np.cross(w_target, centre) - np.cross(w_sensor, way)
    )
    motion = np.concatenate([velocity, R_sensor_target @ w_target - w_sensor])
    J = np.zeros((6, N_ERRORS))  # position, velocity, attitude and rate of the estimate
    J[:3, :3], J[:3, 3:6], J[:3, 6:9] = -R_sensor_eci, -dt * R_sensor_eci, R_sensor_target @ skew(centre)
    J[:3, 9:12] = dt * J[:3, 6:9]
    J[3:, 6:9], J[3:, 9:12] = R_sensor_target, dt * R_sensor_target
    covariance = J @ estimate.covariance @ J.T + _own_error(way)
    return PosePrediction(np.concatenate([p, quat_from_matrix(R_sensor_target)]), covariance, motion)


def _own_error(way: Floats) -> Floats:
    """Of the chaser's attitude: turns place and attitude alike."""
    J = np.vstack([-skew(way), np.eye(3)])
    return np.asarray(OWN_ATTITUDE**2 * J @ J.T)


def carried_on(last: PoseFound, before: PoseFound | None, t: float) -> PosePrediction:
    """At ``t`` from the last pose that was trusted and, if there is one, the one before: with the motion between these two."""
    assert last.T_sensor_target is not None and last.covariance is not None
    motion, (speed, rate) = np.zeros(6), UNKNOWN_MOTION
    if before is not None and last.t - before.t > APART_S and before.T_sensor_target is not None:
        motion, (speed, rate) = (
            motion_between(before.T_sensor_target, last.T_sensor_target, last.t - before.t),
            KNOWN_MOTION,
        )
    dt = t - last.t
    R_last = pose_from_packed(last.T_sensor_target)[:3, :3]
    q = np.empty(4)
    put_unit(quat_product(quat_from_rotation_vector(dt * motion[3:]), quat_from_matrix(R_last)), q)
    growth = np.diag([(speed * dt) ** 2] * 3 + [(rate * dt) ** 2] * 3)
    T = np.concatenate([last.T_sensor_target[:3] + dt * motion[:3], q])
    return PosePrediction(T, last.covariance + growth, motion)


def motion_between(T_before: Floats, T_after: Floats, dt: float) -> Floats:
    """(6) of the target against the sensor, in its axes."""
    return np.asarray(pose_change(T_before, T_after) / dt)


def difference(T_one: Floats, T_other: Floats) -> Floats:
    """(6) what takes the second pose to the first."""
    return pose_change(T_other, T_one)

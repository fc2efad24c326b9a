"""Where an image should show the client: the pose against frames composed by hand, its covariance against disturbed estimates,
the motion against two moments."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import proxops
from proxops.core.flight import R_CHASER_SENSOR, Estimate, Floats, OnboardData, onboard_data
from proxops.core.mission import parse_mission
from proxops.core.vision import PoseFound
from proxops.core.vocabulary import Doubt
from proxops.maths.pose import compose, inverse_pose, pack_pose, pose, pose_from_packed
from proxops.maths.quaternion import quat_product
from proxops.maths.rotation import matrix_from_quat, quat_from_rotation_vector
from proxops.onboard.vision.expectation import OWN_ATTITUDE, OwnAttitude, carried_on, difference, expected

SOURCE = Path(proxops.__file__).parent / "missions" / "approach.toml"
RNG = np.random.default_rng(7)


def unit(n: int) -> Floats:
    v = RNG.standard_normal(n)
    return np.asarray(v / np.linalg.norm(v))


@pytest.fixture(scope="module")
def data() -> OnboardData:
    return onboard_data(parse_mission(SOURCE.read_text(), SOURCE).file)


W_TARGET, W_CHASER = np.array([0.02, -0.05, 0.03]), np.array([-0.01, 0.004, 0.02])
ESTIMATE = Estimate(np.array([5.0, -3.0, 2.0]), np.array([-0.05, 0.02, 0.01]), unit(4), W_TARGET, np.eye(12) * 1e-6)
OWN = OwnAttitude(unit(4), W_CHASER)


def seen(estimate: Estimate, own: OwnAttitude, data: OnboardData) -> Floats:
    """(7) by composing poses: eci, mass centre of a craft, its frame, the sensor."""
    R_eci_chaser, R_eci_target = matrix_from_quat(own.q_eci_chaser), matrix_from_quat(estimate.q_eci_target)
    T_eci_chaser = compose(pose(R_eci_chaser, estimate.position), pose(np.eye(3), -data.mass_centre))
    T_eci_sensor = compose(T_eci_chaser, pose(np.ascontiguousarray(R_CHASER_SENSOR), data.sensor_place))
    T_eci_target = compose(pose(R_eci_target, np.zeros(3)), pose(np.eye(3), -data.target_mass_centre))
    out = np.empty(7)
    pack_pose(compose(inverse_pose(T_eci_sensor), T_eci_target), out)
    return out


def moved(estimate: Estimate, dt: float) -> Estimate:
    q = quat_product(estimate.q_eci_target, quat_from_rotation_vector(dt * estimate.w_eci_target))
    return replace(estimate, position=estimate.position + dt * estimate.velocity, q_eci_target=q)


@pytest.mark.parametrize("dt", [0.0, 0.7, -0.3])
def test_the_pose_is_that_of_the_estimate_some_time_later(dt: float, data: OnboardData) -> None:
    found = expected(ESTIMATE, 10.0, 10.0 + dt, OWN, data)
    np.testing.assert_allclose(difference(found.T_sensor_target, seen(moved(ESTIMATE, dt), OWN, data)), 0.0, atol=1e-12)


def test_the_motion_is_the_change_of_the_pose(data: OnboardData) -> None:
    h = 1e-4
    q = quat_product(OWN.q_eci_chaser, quat_from_rotation_vector(h * OWN.w_eci_chaser))
    later = seen(moved(ESTIMATE, h), OwnAttitude(q, W_CHASER), data)
    now = expected(ESTIMATE, 0.0, 0.0, OWN, data)
    np.testing.assert_allclose(difference(later, now.T_sensor_target) / h, now.motion, atol=1e-4)


def disturbed(estimate: Estimate, e: Floats) -> Estimate:
    q = quat_product(estimate.q_eci_target, quat_from_rotation_vector(e[6:9]))
    return Estimate(estimate.position + e[:3], estimate.velocity + e[3:6], q, estimate.w_eci_target + e[9:], np.eye(12))


def test_the_covariance_is_what_the_estimates_makes_of_the_pose(data: OnboardData) -> None:
    dt, h = 0.8, 1e-6
    J = np.array(
        [
            difference(seen(moved(disturbed(ESTIMATE, h * e), dt), OWN, data), seen(moved(ESTIMATE, dt), OWN, data)) / h
            for e in np.eye(12)
        ]
    ).T
    root = RNG.standard_normal((12, 12))
    told = replace(ESTIMATE, covariance=1e-4 * root @ root.T)
    found = expected(told, 0.0, dt, OWN, data).covariance
    way = seen(moved(ESTIMATE, dt), OWN, data)[:3] + R_CHASER_SENSOR.T @ (data.sensor_place - data.mass_centre)
    own = np.vstack([-np.cross(np.eye(3), way), np.eye(3)]) * OWN_ATTITUDE
    # A rate that is off turns with the client on the way: 0.06 rad/s for 0.8 s, of which the prediction knows nothing.
    np.testing.assert_allclose(found, J @ told.covariance @ J.T + own @ own.T, atol=0.03 * np.abs(found).max())


def test_a_motion_is_carried_on_and_grows_uncertain() -> None:
    T = seen_pose = np.array([0.1, -0.2, 8.0, 1.0, 0.0, 0.0, 0.0])
    turn = quat_from_rotation_vector(np.array([0.0, 0.01, 0.0]))
    later = np.concatenate([seen_pose[:3] - np.array([0.0, 0.0, 0.05]), turn])
    P = np.diag([1e-6] * 6)
    one, two = (PoseFound("eye", k, float(k), Doubt.NONE, 1.0, pose_k, P) for k, pose_k in enumerate((T, later)))
    next_ = carried_on(two, one, 2.0)
    np.testing.assert_allclose(next_.T_sensor_target[:3], [0.1, -0.2, 7.9], atol=1e-12)
    R = pose_from_packed(next_.T_sensor_target)[:3, :3]
    np.testing.assert_allclose(R, matrix_from_quat(quat_product(turn, turn)), atol=1e-12)
    blind = carried_on(two, None, 2.0)
    assert blind.covariance[0, 0] > next_.covariance[0, 0] > P[0, 0]

"""A pose and its errors in another sensor's frame: against poses disturbed by hand, there and back."""

from __future__ import annotations

import numpy as np
import pytest

from proxops.core.flight import R_CHASER_SENSOR, Floats
from proxops.core.imaging_table import CameraSensor
from proxops.core.vision import PosePrediction
from proxops.maths.pose import compose, inverse_pose, pack_pose, pose, pose_from_packed
from proxops.maths.rotation import matrix_from_rotation_vector
from proxops.onboard.vision.reference_frame import T_reference_sensor, in_reference, in_sensor

RNG = np.random.default_rng(5)
PLACE = np.array([-0.333, 0.0, -0.25])
SEEN = np.array([0.3, -0.2, 4.0, 0.5, 0.5, -0.5, 0.5])


def camera(**keys: object) -> CameraSensor:
    return CameraSensor.model_validate({"kind": "camera", "name": "side", **keys})


MOUNT = T_reference_sensor(camera(place_m=[-0.3, 0.4, 0.1], turn_deg=[5.0, -20.0, 40.0]), PLACE)


def packed(T: Floats) -> Floats:
    out = np.empty(7)
    pack_pose(T, out)
    return out


def disturbed(T: Floats, e: Floats) -> Floats:
    """(7) by a place and a small rotation on the left."""
    old = pose_from_packed(T)
    return packed(pose(matrix_from_rotation_vector(e[3:]) @ old[:3, :3], old[:3, 3] + e[:3]))


def difference(a: Floats, b: Floats) -> Floats:
    """(6) small, of a from b."""
    A, B = pose_from_packed(a), pose_from_packed(b)
    R = A[:3, :3] @ B[:3, :3].T
    return np.concatenate(
        [A[:3, 3] - B[:3, 3], 0.5 * np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])]
    )


def covariance() -> Floats:
    root = RNG.normal(size=(6, 6))
    return root @ root.T


def test_a_sensor_where_the_reference_is_changes_nothing() -> None:
    P = covariance()
    T, carried = in_reference(T_reference_sensor(camera(place_m=PLACE.tolist()), PLACE), SEEN, P)
    assert np.allclose(T, SEEN, atol=1e-15)
    assert np.allclose(carried, P, rtol=1e-12)


def test_a_mount_is_in_the_sensors_axes() -> None:
    # To the chaser's left by 0.2 m (+y is -x of the sensor), 0.1 m ahead (-x is +z).
    T = T_reference_sensor(camera(place_m=[-0.433, 0.2, -0.25]), PLACE)
    assert np.allclose(T, [-0.2, 0.0, 0.1, 1.0, 0.0, 0.0, 0.0], atol=1e-12)
    assert np.allclose(R_CHASER_SENSOR @ T[:3], [-0.1, 0.2, 0.0], atol=1e-12)


def test_the_covariance_is_that_of_disturbed_poses() -> None:
    step, J = 1e-6, np.empty((6, 6))
    T, _ = in_reference(MOUNT, SEEN, np.eye(6))
    for k in range(6):
        e = step * np.eye(6)[k]
        J[:, k] = difference(in_reference(MOUNT, disturbed(SEEN, e), np.eye(6))[0], T) / step
    P = covariance()
    carried = in_reference(MOUNT, SEEN, P)[1]
    assert np.allclose(carried, J @ P @ J.T, rtol=1e-5, atol=1e-5)
    assert np.array_equal(carried, carried.T)


def test_a_prediction_goes_back_where_the_pose_came_from() -> None:
    P = covariance()
    T, carried = in_reference(MOUNT, SEEN, P)
    back = in_sensor(MOUNT, PosePrediction(T, carried, np.zeros(6)))
    assert np.allclose(back.T_sensor_target, SEEN, atol=1e-12)
    assert np.allclose(back.covariance, P, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("seed", range(3))
def test_the_motion_is_that_of_the_pose_a_moment_later(seed: int) -> None:
    motion, dt = np.random.default_rng(seed).normal(size=6), 1e-6
    expected = PosePrediction(packed(compose(pose_from_packed(MOUNT), pose_from_packed(SEEN))), np.eye(6), motion)
    later = disturbed(expected.T_sensor_target, dt * motion)
    in_later = packed(compose(inverse_pose(pose_from_packed(MOUNT)), pose_from_packed(later)))
    assert np.allclose(in_sensor(MOUNT, expected).motion, difference(in_later, SEEN) / dt, atol=1e-4)

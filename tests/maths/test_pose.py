"""Poses against plain 4x4 matrix arithmetic and scipy."""

import math

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from proxops.maths.pose import compose, inverse_pose, pack_pose, pose, pose_from_abc, pose_from_packed

Matrix = NDArray[np.float64]


def some_poses(count: int, seed: int) -> list[Matrix]:
    rng = np.random.default_rng(seed)
    poses = []
    for rotation in Rotation.random(count, random_state=rng):
        T = np.eye(4)
        T[:3, :3], T[:3, 3] = rotation.as_matrix(), rng.uniform(-30, 30, 3)
        poses.append(T)
    return poses


def test_pose_puts_rotation_and_position_in_place() -> None:
    (T,) = some_poses(1, 1)
    np.testing.assert_array_equal(pose(T[:3, :3].copy(), T[:3, 3].copy()), T)


def test_compose_is_the_matrix_product() -> None:
    for T_a_b, T_b_c in zip(some_poses(500, 2), some_poses(500, 3), strict=True):
        np.testing.assert_allclose(compose(T_a_b, T_b_c), T_a_b @ T_b_c, atol=2e-14)


def test_inverse_is_the_matrix_inverse() -> None:
    for T in some_poses(500, 4):
        np.testing.assert_allclose(inverse_pose(T), np.linalg.inv(T), atol=5e-14)


def test_arguments_are_left_alone() -> None:
    T1, T2 = some_poses(2, 5)
    kept1, kept2 = T1.copy(), T2.copy()
    compose(T1, T2)
    inverse_pose(T1)
    pack_pose(T1, np.empty(7))
    np.testing.assert_array_equal(T1, kept1)
    np.testing.assert_array_equal(T2, kept2)


def test_pose_from_abc_by_hand() -> None:
    # 90 deg about z: a point 1 m along the new x lies 1 m along the old y.
    T = pose_from_abc(1.0, 2.0, 3.0, math.pi / 2, 0.0, 0.0)
    np.testing.assert_allclose(T @ (1.0, 0.0, 0.0, 1.0), (1.0, 3.0, 3.0, 1.0), atol=1e-15)


def test_packed_is_position_then_scalar_then_vector() -> None:
    packed = np.array([1.0, 2.0, 3.0, math.sqrt(0.5), 0.0, 0.0, math.sqrt(0.5)])
    T = pose_from_packed(packed)
    np.testing.assert_allclose(T @ (1.0, 0.0, 0.0, 1.0), (1.0, 3.0, 3.0, 1.0), atol=1e-15)
    out = np.full(9, 99.0)
    pack_pose(T, out[1:8])
    np.testing.assert_allclose(out[1:8], packed, atol=1e-15)
    assert out[0] == out[8] == 99.0


def test_packing_comes_back() -> None:
    packed = np.empty(7)
    for T in some_poses(500, 6):
        pack_pose(T, packed)
        np.testing.assert_allclose(pose_from_packed(packed), T, atol=2e-15)

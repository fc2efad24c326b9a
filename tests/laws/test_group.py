"""Rigid motions are a group: identity, inverse, associativity; and they keep lengths and handedness."""

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from proxops.maths.pose import compose, inverse_pose, pose_from_abc
from proxops.maths.rotation import angle_between

metres = st.floats(-30.0, 30.0)
radians = st.floats(-math.pi, math.pi)
poses = st.builds(pose_from_abc, metres, metres, metres, radians, radians, radians)
EYE = np.eye(4)
Pose = NDArray[np.float64]


def same(T1: Pose, T2: Pose, atol: float = 1e-13) -> None:
    np.testing.assert_allclose(T1, T2, atol=atol, rtol=0.0)


@given(poses, poses)
@settings(max_examples=300, deadline=None, derandomize=True)
def test_closed(T1: Pose, T2: Pose) -> None:
    T = compose(T1, T2)
    np.testing.assert_array_equal(T[3], (0.0, 0.0, 0.0, 1.0))
    same(T[:3, :3] @ T[:3, :3].T, np.eye(3), 2e-15)
    assert abs(np.linalg.det(T[:3, :3]) - 1.0) < 2e-15


@given(poses)
@settings(max_examples=300, deadline=None, derandomize=True)
def test_identity(T: Pose) -> None:
    np.testing.assert_array_equal(compose(EYE, T), T)
    np.testing.assert_array_equal(compose(T, EYE), T)


@given(poses)
@settings(max_examples=300, deadline=None, derandomize=True)
def test_inverse_from_both_sides(T: Pose) -> None:
    same(compose(T, inverse_pose(T)), EYE)
    same(compose(inverse_pose(T), T), EYE)
    same(inverse_pose(inverse_pose(T)), T)


@given(poses, poses, poses)
@settings(max_examples=300, deadline=None, derandomize=True)
def test_associative(T1: Pose, T2: Pose, T3: Pose) -> None:
    same(compose(compose(T1, T2), T3), compose(T1, compose(T2, T3)))


@given(poses, poses)
@settings(max_examples=300, deadline=None, derandomize=True)
def test_inverse_of_a_product_turns_the_order_round(T1: Pose, T2: Pose) -> None:
    same(inverse_pose(compose(T1, T2)), compose(inverse_pose(T2), inverse_pose(T1)))


@given(poses, metres, metres, metres)
@settings(max_examples=300, deadline=None, derandomize=True)
def test_lengths_are_kept(T: Pose, x: float, y: float, z: float) -> None:
    moved = T[:3, :3] @ (x, y, z)
    assert abs(np.linalg.norm(moved) - math.sqrt(x * x + y * y + z * z)) < 1e-13


@given(poses, poses, poses)
@settings(max_examples=300, deadline=None, derandomize=True)
def test_angle_is_a_distance(T1: Pose, T2: Pose, T3: Pose) -> None:
    """Symmetric, the same seen from anywhere, and never longer than a detour."""
    R1, R2, R3 = (np.ascontiguousarray(T[:3, :3]) for T in (T1, T2, T3))
    angle = angle_between(R1, R2)
    assert 0.0 <= angle <= math.pi
    assert abs(angle - angle_between(R2, R1)) < 1e-15
    assert angle_between(R1, R1) < 1e-15
    assert abs(angle - angle_between(R3 @ R1, R3 @ R2)) < 1e-14
    assert angle <= angle_between(R1, R3) + angle_between(R3, R2) + 1e-14

"""Rotations against scipy (scalar last there, scalar first here) and against matrices written down by hand."""

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from proxops.maths.rotation import (
    abc_from_matrix,
    angle_between,
    matrix_from_abc,
    matrix_from_quat,
    matrix_from_rotation_vector,
    nearest_turn,
    quat_from_matrix,
)

Matrix = NDArray[np.float64]
HALF = 0.5 * math.pi
# Distances from the gimbal lock: where a division by cos b would lose every digit, and where it would lose a few.
NEAR = [0.0, 1e-300, 1e-17, 1e-16, 1e-15, *(10.0**-k for k in range(14, 2, -1))]


def scalar_first(rotation: Rotation) -> Matrix:
    """scipy's quaternion in our order and with our sign."""
    x, y, z, w = rotation.as_quat().tolist()
    q = np.array([w, x, y, z])
    return -q if w < 0 else q


@pytest.fixture(scope="module")
def rotations() -> list[Rotation]:
    return list(Rotation.random(2000, random_state=np.random.default_rng(1)))


def test_quaternions_put_the_scalar_first() -> None:
    quarter_about_z = np.array([math.sqrt(0.5), 0.0, 0.0, math.sqrt(0.5)])
    turned = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    np.testing.assert_allclose(matrix_from_quat(quarter_about_z), turned, atol=1e-15)
    np.testing.assert_allclose(quat_from_matrix(turned), quarter_about_z, atol=1e-15)


def test_quaternion_and_matrix_agree_with_scipy(rotations: list[Rotation]) -> None:
    for rotation in rotations:
        np.testing.assert_allclose(matrix_from_quat(scalar_first(rotation)), rotation.as_matrix(), atol=2e-15)
        np.testing.assert_allclose(quat_from_matrix(rotation.as_matrix()), scalar_first(rotation), atol=2e-15)


def test_a_quaternion_off_by_rounding_still_gives_a_rotation(rotations: list[Rotation]) -> None:
    for rotation in rotations[:200]:
        R = matrix_from_quat(scalar_first(rotation) * (1.0 + 1e-6))
        np.testing.assert_allclose(R @ R.T, np.eye(3), atol=1e-15)
        np.testing.assert_allclose(R, rotation.as_matrix(), atol=2e-15)


@pytest.mark.parametrize(
    "axis", [(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (0, 1, 1), (1, 0, 1), (1, 1, 1), (1, -2, 3)]
)
@pytest.mark.parametrize("short_of_half_a_turn", [0.0, 1e-16, 1e-12, 1e-8, 1e-4])
def test_half_turns_keep_every_digit(axis: tuple[int, int, int], short_of_half_a_turn: float) -> None:
    """Where w vanishes the pivot must move to another component."""
    unit = np.array(axis) / np.linalg.norm(axis)
    R = Rotation.from_rotvec(unit * (math.pi - short_of_half_a_turn)).as_matrix()
    q = quat_from_matrix(R)
    assert q[0] >= 0.0
    assert np.linalg.norm(q) == pytest.approx(1.0, abs=1e-15)
    np.testing.assert_allclose(matrix_from_quat(q), R, atol=2e-15)


def test_abc_turns_about_z_then_y_then_x(rotations: list[Rotation]) -> None:
    """KUKA's ABC is scipy's intrinsic ZYX (capitals: about the axes that have already turned)."""
    for rotation in rotations:
        a, b, c = rotation.as_euler("ZYX").tolist()
        np.testing.assert_allclose(matrix_from_abc(a, b, c), rotation.as_matrix(), atol=2e-15)
        np.testing.assert_allclose(abc_from_matrix(rotation.as_matrix()), (a, b, c), atol=1e-11)


def test_abc_by_hand() -> None:
    # A = 90 about z: x → y. Then B = 90 about the new y (= -x): x'' = Rz Ry e_x = Rz(-e_z) = -e_z.
    R = matrix_from_abc(HALF, HALF, 0.0)
    np.testing.assert_allclose(R[:, 0], (0, 0, -1), atol=1e-15)
    np.testing.assert_allclose(R[:, 1], (-1, 0, 0), atol=1e-15)
    np.testing.assert_allclose(R[:, 2], (0, 1, 0), atol=1e-15)


@pytest.mark.parametrize("side", [-1.0, 1.0])
@pytest.mark.parametrize("away", NEAR)
def test_gimbal_lock_gives_the_rotation_back(side: float, away: float) -> None:
    """At and near b = ±90 deg the three angles may fall as they like, but together they are the rotation."""
    rng = np.random.default_rng(2)
    for a, c in rng.uniform(-math.pi, math.pi, (200, 2)):
        R = matrix_from_abc(a, side * (HALF - away), c)
        back = abc_from_matrix(R)
        assert np.isfinite(back).all()
        assert abs(back[1]) <= HALF
        assert angle_between(R, matrix_from_abc(*back)) < 1e-12


@pytest.mark.parametrize("side", [-1, 1])
def test_exact_gimbal_lock_takes_a_as_zero(side: int) -> None:
    R = np.array(
        [[0.0, side * math.sin(0.3), side * math.cos(0.3)], [0.0, math.cos(0.3), -math.sin(0.3)], [-side, 0.0, 0.0]]
    )
    np.testing.assert_allclose(abc_from_matrix(R), (0.0, side * HALF, 0.3), atol=1e-15)


def test_gimbal_lock_of_a_rounded_matrix() -> None:
    """A matrix that comes from a product is orthogonal to rounding only; nothing of that may be blown up."""
    rng = np.random.default_rng(3)
    for k in range(2000):
        left, right = Rotation.random(2, random_state=rng)
        locked = Rotation.from_euler("ZYX", [rng.uniform(-3, 3), HALF * (-1) ** k, rng.uniform(-3, 3)])
        R = left.inv().as_matrix() @ (left * locked * right.inv()).as_matrix() @ right.as_matrix()
        assert angle_between(R, matrix_from_abc(*abc_from_matrix(R))) < 1e-12


@pytest.mark.parametrize(
    "angle", [0.0, 1e-300, 1e-15, 1e-12, 1e-8, 1e-5, 0.99e-4, 1.01e-4, 1e-3, 1.0, 3.0, 3.1415, math.pi]
)
def test_small_and_large_angles_are_measured_exactly(angle: float) -> None:
    rng = np.random.default_rng(4)
    for _ in range(20):
        axis = rng.standard_normal(3)
        axis /= np.linalg.norm(axis)
        R = Rotation.random(random_state=rng).as_matrix()
        turn = matrix_from_rotation_vector(axis * angle)
        np.testing.assert_allclose(turn, Rotation.from_rotvec(axis * angle).as_matrix(), atol=2e-15)
        assert angle_between(np.eye(3), turn) == pytest.approx(angle, rel=1e-14, abs=1e-15)
        assert angle_between(R, R @ turn) == pytest.approx(angle, abs=3e-15)
        assert angle_between(R, turn @ R) == pytest.approx(angle, abs=3e-15)


def test_rotation_vector_does_not_lose_digits_where_the_series_takes_over() -> None:
    for angle in np.geomspace(1e-9, 1e-2, 200):
        turn = matrix_from_rotation_vector(np.array([0.0, 0.0, angle]))
        assert turn[1, 0] == pytest.approx(math.sin(angle), rel=4e-16)


@pytest.mark.parametrize(
    ("angle", "reference", "nearest"),
    [
        (0.0, 0.0, 0.0),
        (math.radians(-170), math.radians(170), math.radians(190)),
        (math.radians(170), math.radians(-170), math.radians(-190)),
        (0.1, 20.0 * math.pi, 0.1 + 20.0 * math.pi),
        (0.1, -20.0 * math.pi, 0.1 - 20.0 * math.pi),
        (2000.0 * math.pi + 0.25, 0.0, 0.25),
    ],
)
def test_nearest_turn_by_hand(angle: float, reference: float, nearest: float) -> None:
    assert nearest_turn(angle, reference) == pytest.approx(nearest, abs=1e-12)


def test_nearest_turn_is_within_half_a_turn_and_the_same_angle() -> None:
    rng = np.random.default_rng(5)
    for angle, reference in zip(rng.uniform(-50, 50, 5000), rng.uniform(-5000, 5000, 5000), strict=True):
        found = nearest_turn(angle, reference)
        assert abs(found - reference) <= math.pi * (1 + 1e-12)
        turns = (found - angle) / (2 * math.pi)
        assert turns == pytest.approx(round(turns), abs=1e-9)

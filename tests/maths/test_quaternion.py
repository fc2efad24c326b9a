"""Quaternion kernels against scipy."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from proxops.maths.quaternion import (
    cross,
    quat_about,
    quat_inverse,
    quat_product,
    rotation_vector,
    turn,
    turned,
    way_between,
)
from proxops.maths.rotation import quat_from_rotation_vector


def test_against_scipy() -> None:
    rng = np.random.default_rng(3)
    for _ in range(50):
        p, q = (x / np.linalg.norm(x) for x in rng.normal(size=(2, 4)))
        v, w = rng.normal(size=(2, 3))
        P, Q = (Rotation.from_quat(x, scalar_first=True) for x in (p, q))
        for ours, theirs in (
            (quat_product(p, q), P * Q),
            (quat_inverse(p), P.inv()),
            (quat_about(v / np.linalg.norm(v), 2.5), Rotation.from_rotvec(2.5 * v / np.linalg.norm(v))),
        ):
            expected = theirs.as_quat(scalar_first=True)
            np.testing.assert_allclose(ours, np.copysign(1.0, ours @ expected) * expected, atol=1e-15)
        np.testing.assert_allclose(turned(p, v), P.apply(v), atol=1e-14)
        np.testing.assert_allclose(cross(v, w), np.cross(v, w), atol=1e-15)


def test_the_sign_carries_on() -> None:
    """A full turn comes back as -1: the path is continuous, where quat_from_matrix would flip."""
    axis = np.array([0.0, 0.0, 1.0])
    np.testing.assert_allclose(quat_about(axis, 2 * np.pi), [-1, 0, 0, 0], atol=1e-15)


def test_exponential_and_logarithm_are_inverse_and_take_the_short_way() -> None:
    """Against SciPy, from a billionth of a radian to nearly half a turn, both signs of the quaternion."""
    rng = np.random.default_rng(4)
    for size in (1e-9, 1e-5, 1e-3, 0.5, 2.0, 3.1):
        way = rng.normal(size=3)
        way *= size / np.linalg.norm(way)
        q = quat_from_rotation_vector(way)
        x, y, z, w = Rotation.from_rotvec(way).as_quat()
        assert np.abs(q - [w, x, y, z]).max() < 1e-15
        for sign in (1.0, -1.0):
            back = np.empty(3)
            assert rotation_vector(sign * q, back) == pytest.approx(size, rel=1e-12)
            assert np.abs(back - way).max() < 1e-12 * size + 1e-18
        start = quat_from_rotation_vector(rng.normal(size=3))
        end, found = start.copy(), np.empty(3)
        turn(end, way)
        way_between(start, end, found)
        assert np.abs(found - way).max() < 1e-14

"""A tool's load on its sensor against Pinocchio's inverse dynamics, against Newton and Euler by differences, and its own laws."""

from __future__ import annotations

import numpy as np
import pinocchio
import pytest
from numpy.typing import NDArray

from proxops.core.errors import BadInput
from proxops.maths.quaternion import quat_product
from proxops.maths.rotation import matrix_from_quat, quat_from_rotation_vector
from proxops.touch.tool_load import GRAVITY, ToolLoad, load_wrench, six_of, symmetric

Floats = NDArray[np.float64]
LOAD = ToolLoad(
    4.2, np.array([0.004, -0.11, 0.148]), symmetric(np.array([0.046, 0.043, 0.039, 0.0012, -0.0008, 0.0015]))
)


def random_quat(rng: np.random.Generator) -> Floats:
    q = rng.standard_normal(4)
    return q / np.linalg.norm(q)


def test_against_pinocchios_inverse_dynamics() -> None:
    """A free-flying body: rnea's joint force is what has to hold it, in its own axes; the load on the sensor is minus that."""
    model = pinocchio.Model()
    joint = model.addJoint(0, pinocchio.JointModelFreeFlyer(), pinocchio.SE3.Identity(), "sensor")
    model.appendBodyToJoint(joint, pinocchio.Inertia(LOAD.mass, LOAD.com, LOAD.inertia), pinocchio.SE3.Identity())
    model.gravity.linear = GRAVITY
    data, rng = model.createData(), np.random.default_rng(1)
    for _ in range(50):
        q, v, w = random_quat(rng), rng.standard_normal(3), 3.0 * rng.standard_normal(3)
        a, alpha = 5.0 * rng.standard_normal(3), 10.0 * rng.standard_normal(3)
        spatial = a - np.cross(w, v)  # Pinocchio's linear acceleration leaves out the turning of the axes
        held = pinocchio.rnea(
            model,
            data,
            np.array([*rng.standard_normal(3), *q[1:], q[0]]),
            np.array([*v, *w]),
            np.array([*spatial, *alpha]),
        )
        got = load_wrench(LOAD.parameters, q, w, alpha, a, GRAVITY)
        np.testing.assert_allclose(got, -held, atol=1e-11 * np.abs(held).max())  # rounding only


def test_against_newton_and_euler_of_points_by_differences() -> None:
    """The tool as six mass points on its principal axes, the path of each differentiated twice: no formula in common."""
    moments, axes = np.linalg.eigh(LOAD.inertia)
    arms = np.sqrt((0.5 * moments.sum() - moments) / LOAD.mass * 3.0)  # six points of m/6, two on each axis
    points = [LOAD.com + sign * arm * axis for arm, axis in zip(arms, axes.T, strict=True) for sign in (-1, 1)]
    w0, alpha = np.array([0.7, -1.1, 0.4]), np.array([3.0, 1.0, -2.0])  # in the sensor's axes at t = 0
    a, q0 = np.array([1.5, -0.5, 2.0]), random_quat(np.random.default_rng(3))
    h = 1e-4

    def attitude(t: float) -> Floats:
        """Right to second order at t = 0: all that the second difference sees as h goes to zero."""
        return matrix_from_quat(quat_product(q0, quat_from_rotation_vector(w0 * t + 0.5 * alpha * t * t)))

    R = attitude(0.0)
    wrench = np.zeros(6)
    for p in points:
        path = [attitude(t) @ p + R @ (0.5 * a * t * t) for t in (-h, 0.0, h)]
        acceleration = (path[0] - 2.0 * path[1] + path[2]) / h**2
        force = R.T @ (LOAD.mass / 6.0 * (GRAVITY - acceleration))
        wrench += np.concatenate([force, np.cross(p, force)])
    got = load_wrench(LOAD.parameters, q0, w0, alpha, a, GRAVITY)
    np.testing.assert_allclose(got, wrench, rtol=0.0, atol=1e-5)  # h² of the path's fourth derivative, and 1e-16 / h²


def test_at_rest_it_is_the_weight_at_the_centre_and_in_free_fall_nothing() -> None:
    rng, zero = np.random.default_rng(2), np.zeros(3)
    for _ in range(10):
        q = random_quat(rng)
        weight = LOAD.mass * matrix_from_quat(q).T @ GRAVITY
        rest = load_wrench(LOAD.parameters, q, zero, zero, zero, GRAVITY)
        np.testing.assert_allclose(rest, [*weight, *np.cross(LOAD.com, weight)], atol=1e-12)
        falling = load_wrench(LOAD.parameters, q, zero, zero, matrix_from_quat(q).T @ GRAVITY, GRAVITY)
        np.testing.assert_allclose(falling, np.zeros(6), atol=1e-12)


def test_what_is_no_number_stays_none() -> None:
    zero = np.zeros(3)
    got = load_wrench(LOAD.parameters, np.array([1.0, 0, 0, 0]), zero, zero, np.full(3, np.nan), GRAVITY)
    assert np.isnan(got[:3]).all()


@pytest.mark.parametrize(
    ("mass", "com", "inertia", "complaint"),
    [
        (0.0, (0, 0, 0), np.eye(3), "has mass"),
        (-1.0, (0, 0, 0), np.eye(3), "has mass"),
        (np.nan, (0, 0, 0), np.eye(3), "has mass"),
        (1.0, (0, np.inf, 0), np.eye(3), "centre of mass"),
        (1.0, (0, 0, 0), np.diag([1.0, 1.0, 2.1]), "triangle"),
        (1.0, (0, 0, 0), np.diag([1.0, 1.0, -0.1]), "not positive"),
        (1.0, (0, 0, 0), np.array([[1.0, 0.1, 0], [0, 1, 0], [0, 0, 1]]), "not symmetric"),
    ],
)
def test_what_no_body_has_is_refused(mass: float, com: tuple[float, ...], inertia: Floats, complaint: str) -> None:
    with pytest.raises(BadInput, match=complaint):
        ToolLoad(mass, np.array(com, float), inertia)


def test_the_edge_of_the_triangle_inequality_is_a_body() -> None:
    """A thin plate and a thin rod."""
    ToolLoad(1.0, np.zeros(3), np.diag([1.0, 1.0, 2.0]))
    ToolLoad(1.0, np.zeros(3), np.diag([1.0, 1.0, 0.0]))


def test_six_numbers_and_back() -> None:
    six = np.arange(1.0, 7.0)
    np.testing.assert_array_equal(six_of(symmetric(six)), six)

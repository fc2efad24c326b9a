"""The dynamic-Jacobian law: what it asks of the tool, how limits slow it, what it does near a singularity."""

import math

import numpy as np
import pytest

from proxops.maths.rotation import abc_from_matrix, matrix_from_abc, quat_from_matrix, quat_from_rotation_vector
from proxops.onboard.damped_inverse import PEAK, THRESHOLD
from proxops.onboard.dynamic_jacobian_law import DynamicJacobianLaw, LawSettings, put_error

HERE = np.array([1.0, 0.0, 0.0, 0.0])
FREE = np.full(7, 1e9)


def jacobian(least: float = 0.3, seed: int = 3) -> np.ndarray:
    """(6, 7) with singular values from 1.5 to 0.3, and ``least``."""
    rng = np.random.default_rng(seed)
    U, V = (np.linalg.qr(rng.standard_normal((n, n)))[0] for n in (6, 7))
    return np.ascontiguousarray(U @ np.hstack([np.diag([*np.geomspace(1.5, 0.3, 5), least]), np.zeros((6, 1))]) @ V)


def law(
    p: np.ndarray, quat: np.ndarray, speed: np.ndarray = FREE, acceleration: np.ndarray = FREE
) -> DynamicJacobianLaw:
    settings = LawSettings(np.array([1.0, 2.0, 3.0]), np.array([0.5, 1.0, 1.5]), speed, acceleration)
    return DynamicJacobianLaw(settings, p, quat)


def test_the_tool_gets_the_velocity_that_gains_and_error_ask_for() -> None:
    J, turn = jacobian(), np.array([0.1, -0.4, 0.25])
    rates = law(np.array([0.3, -0.2, 0.1]), quat_from_rotation_vector(turn)).step(J, np.zeros(3), HERE, 1e-3)
    wanted = np.array([0.3, -0.4, 0.3, *(np.array([0.5, 1.0, 1.5]) * turn)])
    assert np.abs(J @ rates - wanted).max() < 1e-12
    # The least of all rates that do so, as a pseudo-inverse gives it.
    assert np.abs(rates - np.linalg.pinv(J) @ wanted).max() < 1e-11


def test_orientation_error_is_the_papers_to_first_order() -> None:
    """T_Θ⁻¹ (Θ_des - Θ_act) against the rotation vector: ten times nearer, a hundred times less apart."""
    z, y, x = act = np.radians([-70.0, -38.0, -88.0])
    R = matrix_from_abc(z, y, x)
    Rz = matrix_from_abc(z, 0.0, 0.0)
    axes = np.stack([np.array([0.0, 0.0, 1.0]), Rz[:, 1], (Rz @ matrix_from_abc(0.0, y, 0.0))[:, 0]], axis=1)
    apart = []
    for size in (1e-1, 1e-2):
        des = act + size * np.array([0.3, -0.7, 1.0])
        out = np.zeros(6)
        put_error(np.zeros(3), quat_from_matrix(R), np.zeros(3), quat_from_matrix(matrix_from_abc(*des)), out)
        apart.append(np.linalg.norm(out[3:] - axes @ (des - abc_from_matrix(R))))
    assert apart[0] > 1e-4
    assert apart[0] / apart[1] == pytest.approx(100.0, rel=0.15)


def test_speed_limits_slow_all_joints_together() -> None:
    J, p = jacobian(), np.array([5.0, 1.0, -3.0])
    free = law(p, HERE).step(J, np.zeros(3), HERE, 1e-3).copy()
    speed = np.linspace(0.5, 2.0, 7)
    limited = law(p, HERE, speed)
    rates = limited.step(J, np.zeros(3), HERE, 1e-3)
    assert (np.abs(rates) / speed).max() == pytest.approx(1.0, abs=1e-12)
    assert np.abs(rates - limited.slowed * free).max() < 1e-12
    assert 0.0 < limited.slowed < 1.0


def test_acceleration_limits_keep_the_direction_from_rest_and_end_at_the_wish() -> None:
    J, p, acceleration = jacobian(), np.array([0.5, 0.1, -0.3]), np.linspace(1.0, 3.0, 7)
    free = law(p, HERE).step(J, np.zeros(3), HERE, 1e-3).copy()
    limited, before = law(p, HERE, FREE, acceleration), np.zeros(7)
    for _ in range(5000):
        rates = limited.step(J, np.zeros(3), HERE, 1e-3)
        assert (np.abs(rates - before) <= acceleration * 1e-3 * (1.0 + 1e-9)).all()
        assert np.abs(rates / np.linalg.norm(rates) - free / np.linalg.norm(free)).max() < 1e-9
        before = rates.copy()
    assert np.abs(rates - free).max() < 1e-9


@pytest.mark.parametrize("least", [1e-2, 1e-4, 1e-9])
def test_near_a_singularity_rates_stay_bounded_and_other_directions_undamped(least: float) -> None:
    J = jacobian(least)
    assert least < THRESHOLD
    it = law(np.array([0.4, -0.3, 0.2]), quat_from_rotation_vector(np.array([0.2, 0.1, -0.3])))
    rates = it.step(J, np.zeros(3), HERE, 1e-3)
    twist = it._gains * it.error
    assert it.least == pytest.approx(least, rel=1e-3, abs=1e-7)
    U, s, _ = np.linalg.svd(J)
    # The rest of the task is met; along the weak direction s / (s² + λ²) is at most 1 / 2λ, and λ here nearly its peak.
    assert np.abs(U[:, :5].T @ (J @ rates - twist)).max() < 1e-6
    strong = np.linalg.norm((U[:, :5].T @ twist) / s[:5])
    assert np.linalg.norm(rates) < math.hypot(strong, 0.6 / PEAK * np.linalg.norm(twist))


def test_what_is_no_number_comes_out_as_none() -> None:
    J = jacobian()
    J[2, 3] = math.nan
    assert np.isnan(law(np.ones(3), HERE).step(J, np.zeros(3), HERE, 1e-3)).any()
    assert np.isnan(law(np.ones(3), HERE).step(jacobian(), np.array([0.0, math.nan, 0.0]), HERE, 1e-3)).any()

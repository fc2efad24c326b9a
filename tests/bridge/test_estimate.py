"""The estimate: poles where the formulas say, closed forms for what it follows and how far behind, noise as foretold by a
Lyapunov equation, jumps taken as jumps, and never a NaN."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.linalg import solve_discrete_lyapunov

from proxops.bridge.estimate import (
    ESTIMATE_DTYPE,
    JUMPED,
    OMEGA,
    OMEGA_RATES,
    REFUSED,
    TAKEN,
    gains,
    observe,
    predict,
    rate_gains,
    seat,
    turn,
    way_between,
)
from proxops.core.messages import PERIOD_S as DT
from proxops.maths.rotation import matrix_from_quat, matrix_from_rotation_vector

Array = NDArray[np.float64]
QUIET = settings(max_examples=200, deadline=None, derandomize=True)
NONE = np.zeros(6)
AXIS = np.array([2.0, -1.0, 2.0]) / 3.0
SIGMA_M, SIGMA_RAD = 2e-4, math.radians(0.01)
vectors = st.tuples(*[st.floats(-1.8, 1.8)] * 3).map(np.array)  # at most 179 degrees long


def made(pose: Array, velocity: Array | None = None) -> NDArray[np.void]:
    est = np.zeros(1, ESTIMATE_DTYPE)
    assert seat(est, pose, NONE if velocity is None else velocity, velocity is not None) == TAKEN
    return est


def pose(p: Array, way: Array) -> Array:
    """Packed pose with the attitude exp(way)."""
    q = np.array([1.0, 0.0, 0.0, 0.0])
    turn(q, np.asarray(way, float))
    return np.concatenate([p, q])


def error(est: NDArray[np.void], truth: Array) -> tuple[Array, Array]:
    way = np.empty(3)
    way_between(est[0]["q"], truth[3:], way)
    return truth[:3] - est[0]["p"], way


def transition(T: float) -> Array:
    return np.array([[1.0, T, 0.5 * T * T], [0.0, 1.0, T], [0.0, 0.0, 1.0]])


# --- the group ---


@given(vectors, vectors)
@QUIET
def test_turn_is_the_exponential(start: Array, way: Array) -> None:
    q = pose(np.zeros(3), start)[3:]
    R = matrix_from_rotation_vector(way) @ matrix_from_quat(q)
    turn(q, way)
    np.testing.assert_allclose(matrix_from_quat(q), R, atol=1e-14)


@given(vectors, vectors)
@QUIET
def test_way_between_is_its_inverse_and_never_longer_than_half_a_turn(start: Array, end: Array) -> None:
    q1, q2 = pose(np.zeros(3), start)[3:], pose(np.zeros(3), end)[3:]
    way = np.empty(3)
    angle = way_between(q1, -q2, way)  # minus q is the same attitude
    assert angle <= math.pi + 1e-15
    assert angle == pytest.approx(float(np.linalg.norm(way)), abs=1e-14)
    turn(q1, way)
    np.testing.assert_allclose(matrix_from_quat(q1), matrix_from_quat(q2), atol=1e-13)


# --- gains ---


@pytest.mark.parametrize("T", [0.004, 0.008, 0.02, 0.06, 0.1])
def test_three_poles_at_theta(T: float) -> None:
    K = np.array(gains(T))
    M = transition(T) - np.outer(K, transition(T)[0])
    np.testing.assert_allclose(np.poly(M), np.poly([math.exp(-OMEGA * T)] * 3), atol=1e-12)


@pytest.mark.parametrize("T", [0.004, 0.008, 0.02, 0.06, 0.1])
def test_three_poles_at_theta_with_velocities(T: float) -> None:
    on_p, on_v, on_a = rate_gains(T)
    Phi = transition(T)
    M = (np.eye(3) - np.array([[on_p, 0, 0], [0, on_v, 0], [0, on_a, 0]])) @ Phi
    np.testing.assert_allclose(np.poly(M), np.poly([math.exp(-OMEGA_RATES * T)] * 3), atol=1e-12)


def test_many_small_steps_are_the_continuous_filter() -> None:
    T = 1e-6
    np.testing.assert_allclose(np.array(gains(T)) / T, [3 * OMEGA, 3 * OMEGA**2, OMEGA**3], rtol=1e-4)


# --- what it follows ---


@pytest.mark.parametrize("rates", [False, True])
def test_constant_acceleration_at_irregular_packets_is_followed_to_rounding(rates: bool) -> None:
    rng = np.random.default_rng(1)
    p0, v0, a0 = np.array([[5.0, -1.0, 2.0], [0.05, 0.02, -0.03], [0.01, -0.03, 0.02]])

    def truth(t: float) -> tuple[Array, Array]:
        turned = 0.3 + 0.03 * t + 0.5 * 0.02 * t * t
        rate = np.concatenate([v0 + a0 * t, AXIS * (0.03 + 0.02 * t)])
        return pose(p0 + v0 * t + 0.5 * a0 * t * t, AXIS * turned), rate

    est = made(truth(0.0)[0])
    due = 1
    for k in range(1, 1001):
        predict(est)
        if k == due:
            now, rate = truth(k * DT)
            assert observe(est, now, rate, rates) == TAKEN
            due += int(rng.integers(1, 6))
    off_p, off_q = error(est, truth(1000 * DT)[0])
    assert max(abs(off_p)) < 1e-12 and max(abs(off_q)) < 1e-12
    np.testing.assert_allclose(est[0]["v"], v0 + a0 * 4.0, atol=1e-11)
    np.testing.assert_allclose(est[0]["w"], AXIS * 0.11, atol=1e-11)
    np.testing.assert_allclose(est[0]["a"], a0, atol=1e-9)
    np.testing.assert_allclose(est[0]["alpha"], AXIS * 0.02, atol=1e-9)


@pytest.mark.parametrize("ticks", [1, 3, 5])
def test_constant_jerk_is_followed_as_far_behind_as_foretold(ticks: int) -> None:
    """Before a correction the estimate is j T³/(1 − θ)³ behind: the third difference of the command against 1/(z − θ)³."""
    j, T = 0.02, ticks * DT
    est = made(pose(np.zeros(3), np.zeros(3)))
    for k in range(1, 500 * ticks + 1):
        predict(est)
        if k % ticks == 0:
            now = pose(AXIS * j * (k * DT) ** 3 / 6.0, AXIS * j * (k * DT) ** 3 / 6.0)
            off_p, off_q = error(est, now)
            assert observe(est, now, NONE, False) == TAKEN
    behind = j * T**3 / (1.0 - math.exp(-OMEGA * T)) ** 3
    assert float(off_p @ AXIS) == pytest.approx(behind, rel=1e-6)
    assert float(off_q @ AXIS) == pytest.approx(behind, rel=1e-6)


def test_velocities_make_slow_packets_good() -> None:
    worst = []
    for rates in (False, True):
        est = made(pose(np.zeros(3), np.zeros(3)))
        off = 0.0
        for k in range(1, 5001):
            predict(est)
            t, n = k * DT, 2 * math.pi * 0.05
            now = pose(AXIS * 0.5 * math.sin(n * t), AXIS * 0.5 * math.sin(n * t))
            if k % 5 == 0:
                observe(est, now, np.tile(AXIS * 0.5 * n * math.cos(n * t), 2), rates)
            if k > 1000:
                off = max(off, *map(float, np.abs(np.concatenate(error(est, now)))))
        worst.append(off)
    assert worst[0] < 2e-5
    assert worst[1] < worst[0] / 5


# --- noise ---


def lyapunov(T: float) -> Array:
    """Standard deviations of p, v, a after a correction, for unit white noise."""
    K = np.array(gains(T))
    M = transition(T) - np.outer(K, transition(T)[0])
    return np.sqrt(np.diag(solve_discrete_lyapunov(M, np.outer(K, K))))


@pytest.mark.parametrize("ticks", [1, 2, 5])
def test_noise_is_smoothed_as_foretold(ticks: int) -> None:
    rng = np.random.default_rng(ticks)
    est = made(pose(np.zeros(3), np.zeros(3)))
    got = []
    for k in range(1, 6000 * ticks + 1):
        predict(est)
        if k % ticks == 0:
            packet = pose(SIGMA_M * rng.standard_normal(3), SIGMA_RAD * rng.standard_normal(3))
            assert observe(est, packet, NONE, False) == TAKEN
            if k > 200 * ticks:
                s, off_q = est[0], error(est, pose(np.zeros(3), np.zeros(3)))[1]
                got.append([s["p"].copy(), s["v"].copy(), s["a"].copy(), off_q, s["w"].copy(), s["alpha"].copy()])
    seen = np.sqrt(np.mean(np.square(got), axis=(0, 2)))
    foretold = lyapunov(ticks * DT)
    np.testing.assert_allclose(seen[:3], SIGMA_M * foretold, rtol=0.1)
    np.testing.assert_allclose(seen[3:], SIGMA_RAD * foretold, rtol=0.1)
    assert foretold[0] < 0.65  # of a packet's sigma: three sigma are nearly five of the estimate's
    assert seen[2] < 0.02  # m/s²


def test_noise_beyond_the_gate_becomes_usual() -> None:
    """Every packet 10 mm off: after some, they are noise and not jumps."""
    rng = np.random.default_rng(3)
    est = made(pose(np.zeros(3), np.zeros(3)))
    answers = []
    for _ in range(400):
        predict(est)
        answers.append(observe(est, pose(0.01 * rng.standard_normal(3), np.zeros(3)), NONE, False))
    assert answers[1] == JUMPED
    assert answers[100:].count(JUMPED) == 0
    assert float(np.linalg.norm(est[0]["p"])) < 0.03


# --- jumps ---


def test_first_jump_takes_the_packet_and_second_the_velocity() -> None:
    v = np.array([0.1, 0.0, 0.0])
    est = made(pose(np.zeros(3), np.zeros(3)), np.concatenate([v, np.zeros(3)]))
    est[0]["a"][:] = 0.01
    rms = float(est[0]["rms_m"])
    for _ in range(5):
        predict(est)
    kept = est[0]["v"].copy()
    assert observe(est, pose(np.array([1.0, 2.0, 3.0]), np.zeros(3)), NONE, False) == JUMPED
    s = est[0]
    np.testing.assert_array_equal(s["p"], (1.0, 2.0, 3.0))
    np.testing.assert_array_equal(s["v"], kept)
    np.testing.assert_array_equal(s["a"], 0.0)
    for _ in range(5):
        predict(est)
    assert observe(est, pose(np.array([0.99, 2.0, 3.02]), np.zeros(3)), NONE, False) == JUMPED
    np.testing.assert_array_equal(s["p"], (0.99, 2.0, 3.02))
    np.testing.assert_allclose(s["v"], (-0.5, 0.0, 1.0), atol=1e-12)
    assert s["rms_m"] == rms
    np.testing.assert_allclose(s["q"], (1.0, 0.0, 0.0, 0.0), atol=1e-15)  # attitude did not jump


def test_attitude_jumps_by_itself() -> None:
    est = made(pose(np.ones(3), np.zeros(3)))
    for angle in (1.0, 1.1):
        for _ in range(5):
            predict(est)
        assert observe(est, pose(np.ones(3), AXIS * angle), NONE, False) == JUMPED
    np.testing.assert_allclose(est[0]["w"], AXIS * 0.1 / (5 * DT), atol=1e-12)
    np.testing.assert_array_equal(est[0]["v"], 0.0)
    assert max(abs(error(est, pose(np.ones(3), AXIS * 1.1))[1])) < 1e-15


def test_a_jump_with_velocities_takes_both() -> None:
    est = made(pose(np.zeros(3), np.zeros(3)))
    predict(est)
    rate = np.array([0.1, 0.2, 0.3, 0.01, 0.02, 0.03])
    assert observe(est, pose(np.ones(3), AXIS), rate, True) == JUMPED
    np.testing.assert_array_equal(np.concatenate([est[0]["v"], est[0]["w"]]), rate)


@pytest.mark.parametrize("ticks", [1, 2, 5])
def test_a_step_of_velocity_is_found_within_a_tenth_of_a_second(ticks: int) -> None:
    """A rebound from +0.2 to -0.2 m/s: at 4 ms one packet is not yet a jump, but the second jump follows soon."""
    est = made(pose(np.zeros(3), np.zeros(3)), np.array([0.2, 0, 0, 0, 0, 0]))
    for k in range(1, 26):
        predict(est)
        if k % ticks == 0:
            observe(est, pose(np.array([-0.2 * k * DT, 0.0, 0.0]), np.zeros(3)), NONE, False)
    np.testing.assert_allclose(est[0]["v"], (-0.2, 0.0, 0.0), atol=0.02)


def test_no_jump_on_what_is_smooth() -> None:
    est = made(pose(np.zeros(3), np.zeros(3)))
    for k in range(1, 2000):
        predict(est)
        x = 0.5 * (1 - math.cos(0.3 * k * DT))
        assert observe(est, pose(AXIS * x, AXIS * x), NONE, False) == TAKEN


# --- what is no pose ---


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, 1e300, -1e10])
@pytest.mark.parametrize("place", [0, 2, 3, 6])
def test_a_packet_that_is_no_pose_changes_nothing(bad: float, place: int) -> None:
    est = made(pose(np.ones(3), AXIS))
    predict(est)
    before = est.tobytes()
    packet = pose(np.ones(3), AXIS)
    packet[place] = bad
    assert observe(est, packet, NONE, False) == REFUSED
    assert seat(est, packet, NONE, False) == REFUSED
    assert est.tobytes() == before


def test_a_velocity_that_is_none_is_not_believed() -> None:
    est, other = made(pose(np.ones(3), AXIS)), made(pose(np.ones(3), AXIS))
    for one, rate, has in ((est, np.full(6, math.nan), True), (other, NONE, False)):
        predict(one)
        assert observe(one, pose(np.ones(3) * 1.0001, AXIS), rate, has) == TAKEN
    assert est.tobytes() == other.tobytes()


@given(
    st.lists(st.tuples(st.integers(0, 60), st.lists(st.floats(), min_size=13, max_size=13), st.booleans()), max_size=20)
)
@QUIET
def test_never_a_nan_whatever_comes(packets: list[tuple[int, list[float], bool]]) -> None:
    """From an estimate that was never seated, too."""
    est = np.zeros(1, ESTIMATE_DTYPE)
    for wait, numbers, has_velocity in packets:
        for _ in range(wait):
            predict(est)
        packet = np.array(numbers[:7])
        with np.errstate(all="ignore"):
            norm = np.linalg.norm(packet[3:])
            if 0 < norm < np.inf:
                packet[3:] /= norm
        observe(est, packet, np.array(numbers[7:]), has_velocity)
        for name in ("p", "v", "a", "q", "w", "alpha", "rms_m", "rms_rad"):
            assert np.isfinite(est[0][name]).all()
        if est[0]["seated"]:
            assert abs(float(np.linalg.norm(est[0]["q"])) - 1.0) < 1e-12

"""The relative filter's derivatives against differences of what they differentiate, and its covariance against samples."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from approach_truth import TARGET_INERTIA, board

from proxops.core.dispersion_table import Knowledge
from proxops.core.earth import MU_M3_S2
from proxops.core.flight import Floats, onboard_data
from proxops.core.mission import load_mission
from proxops.core.sensor_table import Avionics, Sensor
from proxops.maths.quaternion import quat_inverse, quat_product, rotation_vector
from proxops.maths.rotation import matrix_from_quat, quat_from_rotation_vector
from proxops.onboard.local_orbit import gravity_gradient
from proxops.onboard.navigation_build import navigation_of
from proxops.onboard.relative_dynamics import (
    angular_acceleration,
    gradient_pull,
    move,
    propagate,
    ratios,
    rotate,
    rotation_transition,
    translation_transition,
)
from proxops.onboard.relative_filter import correct, scaled
from proxops.onboard.relative_model import (
    CENTRE,
    E_Q,
    E_S,
    E_SLOW,
    E_V,
    E_W,
    N_ERROR,
    N_SCALE,
    N_SLOW,
    N_STATE,
    SCALE,
    SLOW,
    UNEVEN,
    Q,
    S,
    SlowErrors,
    W,
    relative_model,
    turn_by_surface,
)  # fmt: skip
from proxops.onboard.relative_observation import observe, residual

LEVER = np.array([0.1, 0.05, -0.03])  # from the client's mass centre to its centre of pressure
MODEL = relative_model(board(), Sensor(), Avionics(), SlowErrors(range_share=1e-3), Knowledge(), lever=LEVER)


def gradient(p: Floats) -> Floats:
    out = np.empty((3, 3))
    gravity_gradient(p, out)
    return out


PLACE = np.array([6.9e6, 3e5, -1e6])
Q_CHASER = quat_from_rotation_vector(np.array([0.3, -0.7, 1.1]))
W_CHASER = np.array([0.01, -0.02, 0.005])
STEP = 1e-6


def state(seed: int, slow: float = 1.0) -> Floats:
    """Something like the end of an approach to a quickly tumbling client; ``slow``: slow errors in standard deviations."""
    rng = np.random.default_rng(seed)
    x = np.zeros(N_STATE)
    x[0:3], x[3:6] = 5.0 * rng.standard_normal(3), 0.1 * rng.standard_normal(3)
    q = rng.standard_normal(4)
    x[Q : Q + 4] = q / np.linalg.norm(q)
    x[W : W + 3], x[S : S + 3] = 0.1 * rng.standard_normal(3), rng.standard_normal(3)
    x[SLOW : SLOW + N_SLOW] = slow * MODEL.slow_sigma * rng.standard_normal(N_SLOW)
    return x


def difference(a: Floats, b: Floats) -> Floats:
    """Error state from b to a."""
    e = np.empty(N_ERROR)
    e[0:E_Q] = a[0:E_Q] - b[0:E_Q]
    rotation_vector(quat_product(quat_inverse(b[Q : Q + 4]), a[Q : Q + 4]), e[E_Q:E_W])
    e[E_W:] = (a - b)[W : SLOW + N_SLOW]
    return e


def slopes(x: Floats, function: Callable[[Floats], Floats], scale: float = STEP) -> Floats:
    """Central differences of ``function`` (an error or a residual) over the error state."""
    columns = []
    for k in range(N_ERROR):
        ends = []
        for sign in (1.0, -1.0):
            e = np.zeros(N_ERROR)
            e[k] = sign * scale
            y = x.copy()
            correct(y, e)
            ends.append(function(y))
        columns.append((ends[0] - ends[1]) / (2.0 * scale))
    return np.array(columns).T


@pytest.mark.parametrize("seed", range(5))
def test_observation(seed: int) -> None:
    """Exact where the slow errors are zero; elsewhere products of two of them (boresight 1e-3 rad, 3 ms) are left out."""
    for slow, tolerance in ((0.0, 1e-7), (1.0, 5e-3)):
        x = state(seed, slow)
        p, q, H = observe(x, Q_CHASER, W_CHASER, MODEL)

        def off(y: Floats, p: Floats = p, q: Floats = q) -> Floats:
            there = observe(y, Q_CHASER, W_CHASER, MODEL)
            return residual(there[0], there[1], p, q)

        assert slopes(x, off) == pytest.approx(H, abs=tolerance * max(1.0, float(np.linalg.norm(p))))


@pytest.mark.parametrize("seed", range(5))
def test_transition(seed: int) -> None:
    x, dt = state(seed), 0.1
    rng = np.random.default_rng([seed, 1])
    thrust = 0.05 * rng.standard_normal((3, N_SCALE))
    G = gradient(PLACE)

    def later(y: Floats) -> Floats:
        y = y.copy()
        move(y, G, thrust @ (1.0 + y[SLOW + SCALE : SLOW + N_SLOW]), dt)
        rotate(y, gradient_pull(y[Q : Q + 4], G, MODEL.axes), dt, MODEL)
        return y

    there = later(x)
    found = slopes(x, lambda y: difference(later(y), there))
    g = gradient_pull(x[Q : Q + 4], G, MODEL.axes)
    translation, rotation = translation_transition(G, thrust, dt), rotation_transition(x, g, dt, MODEL)
    assert found[0:6, 0:6] == pytest.approx(translation[:, 0:6], abs=1e-8)
    assert found[0:6, E_SLOW + SCALE :] == pytest.approx(translation[:, 6:], abs=1e-8)
    # Third order: (|ω| dt)³/6 is 1e-6 for 10 deg/s; the change of ω within the step brings (|ω| dt)²/2 = 2e-4 times the ratio of
    # moments, of which half is counted: here up to 25 deg/s.
    assert found[E_Q:E_SLOW, E_Q:E_S] == pytest.approx(rotation[:, 0:6], abs=1e-4)
    assert found[E_Q:E_SLOW, E_S:E_SLOW] == pytest.approx(rotation[:, 6:9], abs=2e-5)
    assert found[0:6, E_Q:E_SLOW] == pytest.approx(0.0, abs=1e-8)


@pytest.mark.parametrize("seed", range(5))
def test_torque_of_air_and_sunlight(seed: int) -> None:
    """What the mass centre and the moments change of it; a force so great that its torque stands out."""
    x, dt, size = state(seed), 0.1, 10.0
    x[W : W + 3] = 0.0
    model = MODEL._replace(force=size * np.array([0.3, -0.8, 0.5]), free=0.0)
    centre = E_SLOW + CENTRE

    def later(y: Floats) -> Floats:
        y = y.copy()
        rotate(y, np.zeros(3), dt, model)
        return y

    there = later(x)
    assert float(np.linalg.norm(there[W : W + 3])) > 1e-5
    found = slopes(x, lambda y: difference(later(y), there))
    rotation = rotation_transition(x, np.zeros(3), dt, model)
    # Products of two errors (3 % of a moment, 5 mm of the lever) are left out of the mass centre's.
    by_centre, by_moments = rotation[3:6, 9:12], rotation[3:6, 6:9]
    assert found[E_W:E_S, centre : centre + 3] == pytest.approx(by_centre, abs=0.1 * np.abs(by_centre).max())
    assert found[E_W:E_S, E_S:E_SLOW] == pytest.approx(by_moments, abs=1e-3 * np.abs(by_moments).max())
    lever = turn_by_surface(TARGET_INERTIA, LEVER - x[SLOW + CENTRE : SLOW + CENTRE + 3])
    x[S : S + 3] = 0.0
    expected = dt * lever @ (matrix_from_quat(x[Q : Q + 4]).T @ model.force)
    assert later(x)[W : W + 3] == pytest.approx(expected, rel=1e-6, abs=1e-12)


def test_an_attitude_is_seen_as_it_is_after_its_time_stamp() -> None:
    """The known lead: both craft turn on for so long, but for the place of the client in the sensor's frame."""
    x, later = state(0, 0.0), state(0, 0.0)
    lead = MODEL.attitude_lead_s
    later[Q : Q + 4] = quat_product(x[Q : Q + 4], quat_from_rotation_vector(lead * x[W : W + 3]))
    q_chaser = quat_product(Q_CHASER, quat_from_rotation_vector(lead * W_CHASER))
    now = MODEL._replace(attitude_lead_s=0.0)
    p, q, _ = observe(x, Q_CHASER, W_CHASER, MODEL)
    assert p == pytest.approx(observe(x, Q_CHASER, W_CHASER, now)[0], abs=1e-12)
    there = observe(later, q_chaser, W_CHASER, now)
    assert residual(p, q, p, there[1])[3:] == pytest.approx(np.zeros(3), abs=1e-9)
    assert float(np.linalg.norm(residual(p, q, p, observe(x, Q_CHASER, W_CHASER, now)[1])[3:])) > 1e-4


def test_thrusters_of_either_side_have_their_own_scale() -> None:
    """Backward along x, forward along y, nothing along z: column by column, and the share of the whole across on all."""
    R = matrix_from_quat(Q_CHASER)
    found = R.T @ scaled(R @ np.diag([-0.02, 0.01, 0.0]), R)
    along = np.zeros((3, N_SCALE))
    along[0, 3], along[1, 1] = -0.02, 0.01
    across = UNEVEN * math.hypot(0.02, 0.01) * np.hstack([np.eye(3), np.eye(3)])
    assert found == pytest.approx(along + across, abs=1e-15)


def test_gravity_gradient_is_the_slope_of_gravity() -> None:
    def gravity(p: Floats) -> Floats:
        return -MU_M3_S2 * p / np.linalg.norm(p) ** 3

    found = np.array([(gravity(PLACE + 10.0 * e) - gravity(PLACE - 10.0 * e)) / 20.0 for e in np.eye(3)]).T
    assert gradient(PLACE) == pytest.approx(found, rel=1e-6, abs=1e-15)
    # Half-way between two craft a kilometre apart it gives their difference to third order, (d/R)² = 2e-8 of it.
    r = np.array([500.0, -800.0, 300.0])
    exact = gravity(PLACE) - gravity(PLACE - r)
    assert gradient(PLACE - 0.5 * r) @ r == pytest.approx(exact, rel=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_the_client_turns_by_euler_and_the_gravity_gradient(seed: int) -> None:
    """Against the closed form, with the moments of inertia as told and with others; a slow client, as in flight: both torques are
    of one size. The effect of each moment is what the covariance is told."""
    x = state(seed)
    q, w = x[Q : Q + 4], 0.02 * x[W : W + 3]
    R, axes = matrix_from_quat(q), MODEL.axes
    up = R.T @ (PLACE / np.linalg.norm(PLACE))
    pull = 3.0 * MU_M3_S2 / np.linalg.norm(PLACE) ** 3
    g = gradient_pull(q, gradient(PLACE), axes)

    def expected(s: Floats) -> Floats:
        moments = np.diag(axes.T @ TARGET_INERTIA @ axes) * (1.0 + 0.01 * Knowledge().inertia * s)
        J = axes @ np.diag(moments) @ axes.T
        return np.asarray(np.linalg.solve(J, np.cross(J @ w, w) + pull * np.cross(up, J @ up)))

    def found(s: Floats) -> Floats:
        u = axes.T @ w
        return axes @ angular_acceleration((u[0], u[1], u[2]), ratios(s, MODEL), g)

    size = float(np.linalg.norm(expected(np.zeros(3))))
    for s in (np.zeros(3), np.array([2.0, -1.5, 1.0])):  # standard deviations
        assert found(s) == pytest.approx(expected(s), abs=1e-9 * size)
        x[W : W + 3], x[S : S + 3] = w, s
        effect = rotation_transition(x, g, 0.1, MODEL)[3:6, 6:9] / 0.1
        for i, step in enumerate(1e-3 * np.eye(3)):
            slope = (expected(s + step) - expected(s - step)) / 2e-3
            assert effect[:, i] == pytest.approx(slope, abs=1e-3 * size)  # F² dt²/2 beside it
    assert size > 1e-7  # rad/s²


def test_a_client_under_control_keeps_its_rate() -> None:
    held = relative_model(board(), Sensor(), Avionics(), SlowErrors(), Knowledge(), held=True)
    x, G = state(2), gradient(PLACE)
    before = x.copy()
    rotate(x, gradient_pull(x[Q : Q + 4], G, held.axes), 0.1, held)
    assert x[W : W + 3] == pytest.approx(before[W : W + 3], rel=1e-14)
    assert held.rate_walk > MODEL.rate_walk


@pytest.mark.parametrize("pulled", [True, False])
def test_the_gravity_gradient_turns_the_client_where_the_mission_has_it(pulled: bool) -> None:
    """As the mission's file says: for a client that rests it is the only torque."""
    file = load_mission("approach").file
    environment = file.environment.model_copy(update={"gravity_gradient": pulled})
    nav = navigation_of(file.model_copy(update={"environment": environment}), onboard_data(file))
    model, x, P = nav._model, state(1), np.eye(N_ERROR) * 1e-6
    x[W : W + 3] = 0.0
    propagate(x, P, np.zeros((3, 3)), np.zeros((3, N_SCALE)), PLACE, 0.1, model)
    assert (float(np.linalg.norm(x[W : W + 3])) > 1e-9) == pulled  # rad/s


def test_the_halls_errors_change_faster_where_its_wrists_fold() -> None:
    """Sizes stay; within ``near_m`` and beyond ``far_m`` errors are forgotten sooner."""
    known = []
    for metres in (MODEL.near_m + 0.01, MODEL.near_m - 0.01, MODEL.far_m - 0.01, MODEL.far_m + 0.01):
        x, P = np.zeros(N_STATE), np.eye(N_ERROR) * 1e-12
        x[0], x[Q] = metres, 1.0
        for _ in range(100):
            propagate(x, P, np.zeros((3, 3)), np.zeros((3, N_SCALE)), PLACE, 0.1, MODEL)
        known.append(np.diag(P)[E_SLOW:][6:9])
    across = slice(0, 2)  # the line of sight; about it errors change far away only
    assert np.all(known[1][across] > 5.0 * known[0][across])
    assert np.all(known[3] > 5.0 * known[2])
    assert np.all(MODEL.near_time <= MODEL.slow_time)
    assert np.all(MODEL.far_time <= MODEL.slow_time)


def test_a_torque_free_client_keeps_energy_and_momentum() -> None:
    x = state(3)
    x[S : S + 3] = 0.0
    x[W : W + 3] = math.radians(3.0) * np.array([0.6, 0.7, -0.4])
    thrust = np.zeros((3, 3))
    P = np.eye(N_ERROR) * 1e-6

    def invariants() -> tuple[float, Floats]:
        momentum = TARGET_INERTIA @ x[W : W + 3]
        R = quat_product(quat_product(x[Q : Q + 4], np.array([0.0, *momentum])), quat_inverse(x[Q : Q + 4]))
        return float(x[W : W + 3] @ momentum), R[1:]

    energy, momentum = invariants()
    for _ in range(3000):
        propagate(x, P, thrust, np.zeros((3, N_SCALE)), 1e6 * PLACE, 0.1, MODEL)  # where nothing pulls
    after, turned_momentum = invariants()
    assert after == pytest.approx(energy, rel=1e-9)  # Runge-Kutta of fourth order, 0.3 deg a step
    # Second order (mean rate).
    assert turned_momentum == pytest.approx(momentum, abs=2e-4 * float(np.linalg.norm(momentum)))


def test_covariance_stays_symmetric_and_positive() -> None:
    x = state(1)
    P = np.diag(np.concatenate([np.full(15, 1e-4), MODEL.slow_sigma**2]))
    thrust = 0.02 * np.eye(3)
    uneven = scaled(thrust, np.eye(3))
    for _ in range(2000):
        propagate(x, P, thrust, uneven, PLACE, 0.1, MODEL)
    assert np.allclose(P, P.T, rtol=1e-9)
    spread = np.sqrt(np.diag(P))
    assert np.linalg.eigvalsh(P / np.outer(spread, spread)).min() > 0.0
    assert spread[E_SLOW:] == pytest.approx(MODEL.slow_sigma, rel=1e-9)  # Gauss-Markov: stationary
    assert spread[E_V] > 0.05 * 0.01

"""Retreats: safe under exact two-body motion, small where they can be, and the transition against closed forms."""

import math

import numpy as np
import pytest
from rendezvous_plant import MU, least_distance_once_out, lvlh_of

from proxops.core.flight import Estimate, Floats
from proxops.onboard.retreat import Burn, retreat_burn, transition_table

RADIUS_M = 6.928e6
KEEP_OUT_M, MOST_M_S = 4.0, 0.15


def circular(eccentricity: float = 0.0) -> Floats:
    """(2, 3) at perigee of an inclined orbit."""
    speed = math.sqrt(MU * (1.0 + eccentricity) / RADIUS_M)
    tilt = math.radians(97.6)
    return np.array([[RADIUS_M, 0.0, 0.0], [0.0, speed * math.cos(tilt), speed * math.sin(tilt)]])


def estimate_of(target: Floats, place_lvlh: Floats, rate_lvlh: Floats, sigma_m: float, sigma_m_s: float) -> Estimate:
    R, w = lvlh_of(target)
    place = R @ place_lvlh
    covariance = np.diag([sigma_m**2] * 3 + [sigma_m_s**2] * 3 + [1e-6] * 6)
    velocity = R @ rate_lvlh + np.cross(w, place)
    return Estimate(place, velocity, np.array([1.0, 0.0, 0.0, 0.0]), np.zeros(3), covariance)


def exact_least(target: Floats, estimate: Estimate, dv: Floats) -> float:
    chaser = target + np.array([estimate.position, estimate.velocity + dv])
    orbits = 2.0 * 2.0 * math.pi * math.sqrt(RADIUS_M**3 / MU)
    # 2 s: at 0.5 m/s the least distance from the sphere's size is missed by 3 cm at most.
    return least_distance_once_out(target, chaser, KEEP_OUT_M, orbits, 2.0)


def burn_for(target: Floats, estimate: Estimate) -> Burn:
    burn = retreat_burn(target[0], target[1], estimate, KEEP_OUT_M, MOST_M_S)
    assert np.linalg.norm(burn.dv) <= MOST_M_S * (1.0 + 1e-12)
    return burn


def test_two_hundred_random_states_never_come_back() -> None:
    """Any direction, 2.5 to 30 m, drifting at up to 3 cm/s: all find a safe burn, and with an error of the filter of one sigma
    and a burn that is 2 % off the exact motion stays out for two orbits (5 cm: sampling and the sphere's crossing itself)."""
    rng = np.random.default_rng(7)
    target = circular(0.001)
    safe = 0
    for _ in range(200):
        direction, drift = rng.standard_normal(3), rng.standard_normal(3)
        place = direction / np.linalg.norm(direction) * rng.uniform(2.5, 30.0)
        rate = drift / np.linalg.norm(drift) * rng.uniform(0.0, 0.03)
        estimate = estimate_of(target, place, rate, 0.02, 0.002)
        burn = burn_for(target, estimate)
        safe += burn.safe
        error = rng.standard_normal(6) * np.repeat([0.02, 0.002], 3)
        truth = Estimate(estimate.position + error[:3], estimate.velocity + error[3:], *_rest(estimate))
        dv = burn.dv * (1.0 + 0.02 * rng.standard_normal())
        assert truth.position @ (truth.velocity + dv) > 0.0  # outwards at once
        assert exact_least(target, truth, dv) > KEEP_OUT_M - 0.05
    assert safe == 200


def _rest(estimate: Estimate) -> tuple[Floats, Floats, Floats]:
    return estimate.q_eci_target, estimate.w_eci_target, estimate.covariance


@pytest.mark.parametrize(
    "place",
    [[-5.0, 0, 0], [5.0, 0, 0], [0, 0, 5.0], [0, 0, -5.0], [0, 5.0, 0], [0, -5.0, 0], [2.5, 0, 0], [-1.4, 1.4, 1.5]],
)
def test_named_directions(place: list[float]) -> None:
    target = circular()
    estimate = estimate_of(target, np.array(place), np.zeros(3), 0.01, 0.001)
    burn = burn_for(target, estimate)
    assert burn.safe
    assert exact_least(target, estimate, burn.dv) > KEEP_OUT_M


def test_on_an_eccentric_orbit() -> None:
    target = circular(0.1)
    estimate = estimate_of(target, np.array([-5.0, 0.0, 0.0]), np.zeros(3), 0.01, 0.001)
    burn = burn_for(target, estimate)
    assert burn.safe
    assert exact_least(target, estimate, burn.dv) > KEEP_OUT_M


def test_doubt_asks_for_more_and_too_much_of_it_is_told() -> None:
    target, place = circular(), np.array([-10.0, 0.0, 0.0])
    sure = burn_for(target, estimate_of(target, place, np.zeros(3), 0.01, 0.0005))
    unsure = burn_for(target, estimate_of(target, place, np.zeros(3), 0.1, 0.005))
    assert np.linalg.norm(unsure.dv) >= np.linalg.norm(sure.dv)
    lost = burn_for(target, estimate_of(target, place, np.zeros(3), 5.0, 0.5))
    assert not lost.safe
    # Then the largest burn, away as the estimate says.
    assert np.linalg.norm(lost.dv) == pytest.approx(MOST_M_S)
    estimate = estimate_of(target, place, np.zeros(3), 0.0, 0.0)
    assert exact_least(target, estimate, lost.dv) > KEEP_OUT_M


def test_transition_is_clohessy_wiltshire_on_a_circle() -> None:
    """Closed form (Fehse, A.1) in LVLH, turned from and into inertial axes; 1e-7 of the way: RK4 at 15 s."""
    target = circular()
    n = math.sqrt(MU / RADIUS_M**3)
    t = 3000.0
    table = np.empty((200, 6, 6))
    transition_table(target[0], target[1], np.full(200, 15.0), table)
    place, rate = np.array([-20.0, 5.0, 3.0]), np.array([0.02, -0.01, 0.03])
    start = estimate_of(target, place, rate, 0.0, 0.0)
    end = table[-1] @ np.concatenate((start.position, start.velocity))
    x0, y0, z0, vx, vy, vz = *place, *rate
    s, c = math.sin(n * t), math.cos(n * t)
    expected = [
        x0 + (4 * s / n - 3 * t) * vx + 6 * (n * t - s) * z0 + 2 * (1 - c) / n * vz,
        y0 * c + vy * s / n,
        (4 - 3 * c) * z0 + 2 * (c - 1) / n * vx + vz * s / n,
    ]
    angle = n * t
    normal = np.cross(target[0], target[1])
    normal /= np.linalg.norm(normal)
    ahead = np.cross(normal, target[0])
    later = math.cos(angle) * target[0] + math.sin(angle) * ahead
    velocity = math.sqrt(MU / RADIUS_M) * np.cross(normal, later) / RADIUS_M
    R, _ = lvlh_of(np.array([later, velocity]))
    np.testing.assert_allclose(R.T @ end[:3], expected, rtol=0.0, atol=2e-5)

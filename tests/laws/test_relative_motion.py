"""Linear relative motion against the exact one (two closed-form orbits, subtracted), with errors that grow as theory says."""

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

from proxops.core.earth import MU_M3_S2 as MU
from proxops.space.clohessy_wiltshire import clohessy_wiltshire_transition
from proxops.space.elliptic_motion import elliptic_acceleration, elliptic_transition
from proxops.space.kepler import elements_from_state, mean_motion, propagate, state_from_elements
from proxops.space.lvlh import relative_in_eci, relative_in_lvlh

Array = NDArray[np.float64]
A = 6.928e6
N = mean_motion(A, MU)
PERIOD = 2.0 * math.pi / N
# A general start, in metres and metres per second for a distance of one metre.
WAY = np.array([0.5, -0.4, 0.6, 0.3 * N, 0.5 * N, -0.2 * N])


def elliptic(a: float, e: float, anomaly: float, t: float) -> Array:
    phi = np.empty((6, 6))
    elliptic_transition(a, e, anomaly, t, MU, phi)
    return phi


def circular(n: float, t: float) -> Array:
    phi = np.empty((6, 6))
    clohessy_wiltshire_transition(n, t, phi)
    return phi


def exact(a: float, e: float, anomaly: float, t: float, x0: Array) -> Array:
    """Both craft along their own ellipse. Rounding: some 1e-8 m, that of positions of 7,000 km."""
    p, v, d, u = (np.empty(3) for _ in range(4))
    state_from_elements(a, e, 1.2, 0.5, 2.0, anomaly, MU, p, v)
    relative_in_eci(p, v, -MU * p / np.linalg.norm(p) ** 3, x0[:3], x0[3:], d, u)
    q, w, out = p + d, v + u, np.empty(6)
    propagate(p, v, t, MU, p, v)
    propagate(q, w, t, MU, q, w)
    relative_in_lvlh(p, v, -MU * p / np.linalg.norm(p) ** 3, q - p, w - v, out[:3], out[3:])
    return out


def slope(x: list[float], y: list[float]) -> float:
    """Exponent of a power law."""
    return float(np.polyfit(np.log(x), np.log(y), 1)[0])


@pytest.mark.parametrize("share", [0.1, 0.25, 0.5, 1.0, 2.3])
def test_the_error_grows_with_the_square_of_the_distance(share: float) -> None:
    """On a circular orbit for both, on an ellipse for the elliptic one. The third order adds 1e-3 at 10 km, rounding 1e-5 at
    100 m (an error of 1 mm)."""
    distances = [100.0, 300.0, 1000.0, 3000.0, 10000.0]
    for e, transition in (
        (0.0, circular(N, share * PERIOD)),
        (0.0, elliptic(A, 0.0, 1.0, share * PERIOD)),
        (0.2, elliptic(1.3 * A, 0.2, 1.0, share * PERIOD)),
    ):
        a = 1.3 * A if e else A
        errors = [
            float(np.linalg.norm((transition @ (d * WAY) - exact(a, e, 1.0, share * PERIOD, d * WAY))[:3]))
            for d in distances
        ]
        assert slope(distances, errors) == pytest.approx(2.0, abs=0.02)


def test_the_error_has_the_size_of_the_square_over_the_radius() -> None:
    d = 1000.0
    miss = circular(N, 0.5 * PERIOD) @ (d * WAY) - exact(A, 0.0, 0.0, 0.5 * PERIOD, d * WAY)
    assert 0.1 < np.linalg.norm(miss[:3]) / (d * d / A) < 100.0  # a number of order one, times the turn it had to grow


def test_clohessy_wiltshire_is_wrong_in_proportion_to_the_eccentricity_and_the_elliptic_motion_is_not() -> None:
    """At 1 m the square of the distance makes 8e-6 m (d^2 / r, grown over 0.6 revolutions), whatever e is; an eccentricity
    of 1e-3 makes 1e-3 m of Clohessy-Wiltshire."""
    eccentricities = [1e-4, 3e-4, 1e-3, 3e-3, 1e-2]
    t, anomaly = 0.6 * PERIOD, 0.8
    cw, linear = [], []
    for e in eccentricities:
        true = exact(A, e, anomaly, t, WAY)
        cw.append(float(np.linalg.norm((circular(N, t) @ WAY - true)[:3])))
        linear.append(float(np.linalg.norm((elliptic(A, e, anomaly, t) @ WAY - true)[:3])))
    assert slope(eccentricities, cw) == pytest.approx(1.0, abs=0.03)
    assert max(linear) < 1.1 * linear[0] < 1e-5
    assert cw[2] > 100.0 * linear[2]


@pytest.mark.parametrize("e", [0.0, 0.01, 0.3, 0.75])
@pytest.mark.parametrize("anomaly", [0.0, 1.0, 3.1, 5.0])
def test_the_transition_solves_the_differential_equations_of_the_paper(e: float, anomaly: float) -> None:
    """Yamanaka-Ankersen in closed form against eqs. 4-6 integrated (misprints put right): two roads to the same motion."""
    a = A / (1.0 - e)
    p, v = np.empty(3), np.empty(3)
    state_from_elements(a, e, 0.9, 0.2, 0.3, anomaly, MU, p, v)
    end = 0.8 * 2.0 * math.pi / mean_motion(a, MU)

    def change(t: float, s: Array) -> Array:
        q, u, out = np.empty(3), np.empty(3), np.empty(3)
        propagate(p, v, t, MU, q, u)
        elliptic_acceleration(q, u, MU, s[:3], s[3:], out)
        return np.concatenate([s[3:], out])

    x0 = 100.0 * WAY
    theirs = solve_ivp(change, (0.0, end), x0, method="DOP853", rtol=1e-12, atol=[1e-9] * 3 + [1e-12] * 3).y[:, -1]
    ours = elliptic(a, e, anomaly, end) @ x0
    size = float(np.linalg.norm(ours[:3]))
    np.testing.assert_allclose(ours[:3], theirs[:3], rtol=0.0, atol=1e-9 * size + 1e-7)
    np.testing.assert_allclose(ours[3:], theirs[3:], rtol=0.0, atol=(1e-9 * size + 1e-7) * N / (1.0 - e) ** 1.5)


def test_without_eccentricity_both_transitions_are_the_same() -> None:
    for t in (0.0, 10.0, 2000.0, 20000.0, -3000.0):
        ours, theirs = elliptic(A, 0.0, 2.0, t), circular(N, t)
        np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-12 * np.abs(theirs).max())


@pytest.mark.parametrize("e", [0.0, 0.1, 0.6])
def test_transitions_follow_one_another_and_keep_volume(e: float) -> None:
    a, anomaly, t1, t2 = A / (1.0 - e), 0.7, 1234.0, 4321.0
    p, v, elements_after = np.empty(3), np.empty(3), np.empty(6)
    state_from_elements(a, e, 1.0, 0.0, 0.0, anomaly, MU, p, v)
    propagate(p, v, t1, MU, p, v)
    elements_from_state(p, v, MU, elements_after)
    between = elements_after[4] + elements_after[5]  # the perigee is at the node, also where rounding moves it
    product = elliptic(a, e, float(between), t2) @ elliptic(a, e, anomaly, t1)
    whole = elliptic(a, e, anomaly, t1 + t2)
    np.testing.assert_allclose(product, whole, rtol=1e-9, atol=1e-9 * np.abs(whole).max())
    # Rounding; times as large as 1 / n.
    np.testing.assert_allclose(elliptic(a, e, anomaly, 0.0), np.eye(6), rtol=0.0, atol=1e-14 / N)
    # The flow has no divergence (Coriolis forces turn, they do not stretch): det = 1, also of the circular one.
    scale = np.diag([1.0] * 3 + [1.0 / N] * 3)
    assert np.linalg.det(scale @ whole @ np.linalg.inv(scale)) == pytest.approx(1.0, abs=1e-9)
    assert np.linalg.det(scale @ circular(N, t2) @ np.linalg.inv(scale)) == pytest.approx(1.0, abs=1e-9)


def test_clohessy_wiltshire_as_the_textbook_tells_it() -> None:
    """Fehse, sections 3.2 and 3.3: a place on the V-bar stays; a radial push gives a closed ellipse twice as long as high,
    forwards for a push to the Earth; an impulse along the flight ends 6 pi dv / n behind; a higher orbit falls back."""
    np.testing.assert_allclose(
        circular(N, 1000.0) @ [-25.0, 0, 0, 0, 0, 0], [-25.0, 0, 0, 0, 0, 0], rtol=0.0, atol=1e-12
    )
    down = circular(N, 0.5 * PERIOD) @ [0, 0, 0, 0, 0, 0.1]
    np.testing.assert_allclose(down[:3], [4.0 * 0.1 / N, 0.0, 0.0], rtol=0.0, atol=1e-9)
    forward = circular(N, PERIOD) @ [0, 0, 0, 0.1, 0, 0]
    np.testing.assert_allclose(forward[:3], [-6.0 * math.pi * 0.1 / N, 0.0, 0.0], rtol=0.0, atol=1e-9)
    above = np.array([0.0, 0.0, -10.0, 1.5 * N * -10.0, 0.0, 0.0])
    np.testing.assert_allclose((circular(N, PERIOD) @ above)[:3], [-30.0 * math.pi, 0.0, -10.0], rtol=0.0, atol=1e-9)

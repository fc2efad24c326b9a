"""The local frame: its axes, its rate against finite differences on every kind of path, relative states both ways."""

import numpy as np
import pytest
from numpy.typing import NDArray

from proxops.space.ephemeris import COLUMNS
from proxops.space.free_drift import acceleration, integrate_orbit
from proxops.space.lvlh import lvlh_axes, lvlh_rate, relative_in_eci, relative_in_lvlh

Array = NDArray[np.float64]
ELLIPTIC = (np.array([6.6e6, -1.2e6, 2.1e6]), np.array([900.0, 6200.0, 5400.0]))


def axes(p: Array, v: Array) -> Array:
    R = np.empty((3, 3))
    lvlh_axes(p, v, R)
    return R


def test_axes_are_along_the_flight_against_the_normal_and_to_the_earth() -> None:
    R = axes(np.array([7e6, 0.0, 0.0]), np.array([300.0, 7500.0, 0.0]))
    np.testing.assert_allclose(R, [[0.0, 0.0, -1.0], [1.0, 0.0, 0.0], [0.0, -1.0, 0.0]], rtol=0.0, atol=1e-16)
    R = axes(*ELLIPTIC)
    np.testing.assert_allclose(R.T @ R, np.eye(3), rtol=0.0, atol=4e-16)
    assert np.linalg.det(R) == pytest.approx(1.0, abs=1e-15)
    assert ELLIPTIC[1] @ R[:, 0] > 0.0


def path(t: float, thrust: Array) -> tuple[Array, Array, Array]:
    """A disturbed orbit: gravity with J2 and a constant push, near t = 0 as a polynomial of the fourth order."""
    p, v = ELLIPTIC
    a, a_dot, h = np.empty(3), np.empty(3), 1e-2
    acceleration(p, 2, a)
    ahead, behind = np.empty(3), np.empty(3)
    acceleration(p + h * v, 2, ahead)
    acceleration(p - h * v, 2, behind)
    a_dot = (ahead - behind) / (2.0 * h)
    a = a + thrust
    return p + t * v + t**2 / 2 * a + t**3 / 6 * a_dot, v + t * a + t**2 / 2 * a_dot, a + t * a_dot


@pytest.mark.parametrize("thrust", [np.zeros(3), np.array([0.3, -0.2, 0.7])])
def test_the_rate_is_that_of_the_axes(thrust: Array) -> None:
    h = 0.05
    change = (axes(*path(h, thrust)[:2]) - axes(*path(-h, thrust)[:2])) / (2.0 * h)
    skew = axes(*path(0.0, thrust)[:2]).T @ change
    w = np.empty(3)
    lvlh_rate(*path(0.0, thrust), w)
    # Differences: (n h)^2 / 6 of a rate of 1e-3 is 5e-13, rounding of the axes 1e-16 / h is 4e-15.
    np.testing.assert_allclose([skew[2, 1], skew[0, 2], skew[1, 0]], w, rtol=0.0, atol=5e-12)
    assert w[0] == 0.0
    assert w[1] < 0.0
    assert abs(w[2]) > (1e-5 if thrust.any() else 1e-8)  # J2 and the push really turn the plane


def test_relative_states_go_both_ways() -> None:
    p, v = ELLIPTIC
    a = np.array([-5.0, 1.0, -2.0])
    d, u = np.array([12.0, -34.0, 56.0]), np.array([0.1, -0.2, 0.05])
    x, x_dot, back, back_dot = (np.empty(3) for _ in range(4))
    relative_in_lvlh(p, v, a, d, u, x, x_dot)
    relative_in_eci(p, v, a, x, x_dot, back, back_dot)
    np.testing.assert_allclose(back, d, rtol=0.0, atol=5e-14)  # some roundings of 60 m
    np.testing.assert_allclose(back_dot, u, rtol=0.0, atol=5e-16)


def test_the_relative_velocity_is_the_derivative_of_the_relative_place() -> None:
    """Two orbits, integrated; differences over 2 s in the turning frame against what the kernel says."""
    d0, u0 = np.array([120.0, -340.0, 560.0]), np.array([0.3, -0.5, 0.2])
    tables = []
    for p, v in (ELLIPTIC, (ELLIPTIC[0] + d0, ELLIPTIC[1] + u0)):
        table = np.zeros((5, COLUMNS))
        table[:, 0] = np.arange(5.0)
        integrate_orbit(p, v, 2, table)
        tables.append(table)
    x, x_dot = np.empty((5, 3)), np.empty((5, 3))
    for k, (target, chaser) in enumerate(zip(*tables, strict=True)):
        p, v, a = target[1:4], target[4:7], target[7:10]
        relative_in_lvlh(p, v, a, chaser[1:4] - p, chaser[4:7] - v, x[k], x_dot[k])
    slope = (8.0 * (x[3] - x[1]) - (x[4] - x[0])) / 12.0
    np.testing.assert_allclose(slope, x_dot[2], rtol=0.0, atol=1e-8)  # positions of 7,000 km are rounded to 1e-9 m

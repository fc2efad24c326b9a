"""Gravity kernels against numbers worked by hand, differences of the potential and arithmetic in fifty digits."""

import math
from decimal import Decimal, localcontext

import numpy as np
import pytest
from numpy.typing import NDArray

from proxops.core.earth import MU_M3_S2
from proxops.space.gravity import HIGHEST_DEGREE, central_difference, gravity_gradient_torque, zonal, zonal_potential

Array = NDArray[np.float64]
PLACES = [np.array(p) for p in ([7.0e6, 0, 0], [3.1e6, -4.2e6, 4.6e6], [1e5, 2e5, -6.7e6], [-2.5e7, 1.5e7, 3e7])]


def zonal_at(p: Array, degree: int) -> Array:
    out = np.full(3, np.nan)
    zonal(p, degree, out)
    return out


def test_j2_at_the_equator_and_over_the_pole() -> None:
    """At 7,000 km mu J2 R^2 / r^4 = 3.986004418e14 * 1.0826261738522e-3 * 6378136.3^2 / 7e6^4 = 7.3115883e-3 m/s^2; it pulls by
    3/2 of that at the equator and lifts by 3 of it over the pole. Tolerance: the digits of the product."""
    unit = 7.3115883e-3
    np.testing.assert_allclose(zonal_at(np.array([7e6, 0, 0]), 2), [-1.5 * unit, 0, 0], rtol=2e-8, atol=1e-18)
    np.testing.assert_allclose(zonal_at(np.array([0, 7e6, 0]), 2), [0, -1.5 * unit, 0], rtol=2e-8, atol=1e-18)
    np.testing.assert_allclose(zonal_at(np.array([0, 0, 7e6]), 2), [0, 0, 3 * unit], rtol=2e-8, atol=1e-18)


def test_a_point_mass_has_no_zonal_terms() -> None:
    assert zonal_at(PLACES[1], 1).tolist() == [0.0, 0.0, 0.0]
    assert zonal_potential(PLACES[1], 1) == 0.0


def test_the_pear_is_heavier_in_the_south() -> None:
    """J3 is negative: over the equator it pulls southwards, by 3/2 mu |J3| R^3 / r^5."""
    p = np.array([7e6, 0, 0])
    j3 = zonal_at(p, 3) - zonal_at(p, 2)
    # 1.5 * 3.986004418e14 * 2.5324105185677e-6 * 6378136.3^3 / 7e6^5
    np.testing.assert_allclose(j3, [0, 0, -2.3375146e-5], rtol=1e-6, atol=1e-17)


@pytest.mark.parametrize("degree", range(2, HIGHEST_DEGREE + 1))
@pytest.mark.parametrize("p", PLACES)
def test_the_acceleration_is_the_gradient_of_the_potential(p: Array, degree: int) -> None:
    """Fourth-order differences over 2 km: truncated at (h / r)^4 = 1e-14, rounded at 1e-16 r / h = 1e-12 of the potential."""
    h, gradient = 2000.0, np.empty(3)
    for i in range(3):
        step = np.eye(3)[i] * h
        a, b, c, d = (zonal_potential(p + k * step, degree) for k in (-2, -1, 1, 2))
        gradient[i] = (a - 8 * b + 8 * c - d) / (12 * h)
    found = zonal_at(p, degree)
    assert np.linalg.norm(found - gradient) < 1e-10 * np.linalg.norm(found)


def exact_difference(p: Array, d: Array) -> Array:
    """-mu (p + d) / |p + d|^3 + mu p / |p|^3 in fifty digits."""
    with localcontext() as context:
        context.prec = 50
        mu = Decimal(MU_M3_S2)
        here = [Decimal(float(x)) for x in p]
        there = [a + Decimal(float(x)) for a, x in zip(here, d, strict=True)]
        r, s = (sum((x * x for x in place), Decimal(0)).sqrt() for place in (here, there))
        return np.array([float(mu * (a / r**3 - b / s**3)) for a, b in zip(here, there, strict=True)])


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e3, 1e5, 1e6])
@pytest.mark.parametrize("way", [(1, 0, 0), (0, 1, 0), (0.6, 0, -0.8), (-0.3, 0.5, 0.4)])
@pytest.mark.parametrize("p", PLACES[:3])
def test_neighbours_part_exactly(p: Array, way: tuple[float, float, float], size: float) -> None:
    """To 1e-15: a handful of roundings of 1.1e-16. A plain difference of two accelerations would lose 10 digits at 1 mm."""
    d, out = size * np.array(way), np.full(3, np.nan)
    central_difference(p, d, out)
    truth = exact_difference(p, d)
    assert np.linalg.norm(out - truth) < 2e-15 * np.linalg.norm(truth)


def test_gravity_gradient_by_hand() -> None:
    """A dumb-bell (Ix = 0.1, others 10) at 45 degrees in the plane x z: 3/2 mu / r^3 (Iz - Ix) sin 90 degrees, about y, turning
    its long axis x to the vertical (z x x = y: from z towards x is a positive turn, so x comes to z by a negative one)."""
    out, r = np.full(3, np.nan), 7e6
    p = np.array([r, 0, r]) / math.sqrt(2.0)
    gravity_gradient_torque(p, np.diag([0.1, 10.0, 10.0]), out)
    # 1.5 * 3.986004418e14 / 3.43e20 * 9.9 = 1.7257191e-5
    np.testing.assert_allclose(out, [0, -1.7257191e-5, 0], rtol=1e-7, atol=1e-20)


def test_gravity_gradient_is_the_sum_over_points() -> None:
    """Six masses, no symmetry: the torque of their attraction about the centre of mass; next order: size / r = 1.4e-7."""
    rng = np.random.default_rng(3)
    masses, places = rng.uniform(1, 5, 6), rng.uniform(-1, 1, (6, 3))
    places -= masses @ places / masses.sum()
    inertia = sum(m * (x @ x * np.eye(3) - np.outer(x, x)) for m, x in zip(masses, places, strict=True))
    p, out = np.array([3e6, -4e6, 5e6]), np.full(3, np.nan)
    gravity_gradient_torque(p, np.ascontiguousarray(inertia), out)
    torque = np.zeros(3)
    for m, x in zip(masses, places, strict=True):
        force = np.empty(3)
        central_difference(p, x, force)  # the common part has no torque about the centre of mass
        torque += m * np.cross(x, force)
    assert np.linalg.norm(out - torque) < 1e-6 * np.linalg.norm(torque)

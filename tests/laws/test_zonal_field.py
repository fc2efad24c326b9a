"""Laws of the zonal field: Laplace's equation, kept energy and angular momentum about the pole, the node's drift by J2."""

import math

import numpy as np
import pytest
from numba import njit
from numpy.typing import NDArray

from proxops.core.earth import J2, MU_M3_S2, RADIUS_M
from proxops.space.gravity import zonal, zonal_potential

Array = NDArray[np.float64]


@njit(error_model="numpy")  # without a cache on disk: it would not notice a change of the kernels called here
def slope(state: Array, degree: int, out: Array) -> None:
    zonal(state[:3], degree, out[3:])
    r = math.sqrt(state[0] ** 2 + state[1] ** 2 + state[2] ** 2)
    for i in range(3):
        out[i] = state[3 + i]
        out[3 + i] -= MU_M3_S2 * state[i] / r**3


@njit(error_model="numpy")
def flight(state: Array, degree: int, step: float, count: int) -> Array:
    """States after each of ``count`` steps by Runge and Kutta, the first one before them."""
    out = np.empty((count + 1, 6))
    k = np.empty((4, 6))
    out[0] = state
    for n in range(count):
        x = out[n]
        slope(x, degree, k[0])
        slope(x + 0.5 * step * k[0], degree, k[1])
        slope(x + 0.5 * step * k[1], degree, k[2])
        slope(x + step * k[2], degree, k[3])
        out[n + 1] = x + step / 6.0 * (k[0] + 2.0 * k[1] + 2.0 * k[2] + k[3])
    return out


def start(a: float, e: float, inclination: float) -> Array:
    """At perigee on the equator."""
    speed = math.sqrt(MU_M3_S2 / a * (1 + e) / (1 - e))
    return np.array([a * (1 - e), 0, 0, 0, speed * math.cos(inclination), speed * math.sin(inclination)])


@pytest.mark.parametrize("degree", range(2, 7))
def test_the_field_has_no_divergence_outside_the_earth(degree: int) -> None:
    """Laplace's equation, by fourth-order differences over 2 km. Next to the field's own slope a / r times degree + 1."""
    p, h, divergence = np.array([4.1e6, -3.7e6, 4.4e6]), 2000.0, 0.0
    out = np.empty(3)
    for i in range(3):
        for k, weight in ((-2, 1), (-1, -8), (1, 8), (2, -1)):
            zonal(p + k * h * np.eye(3)[i], degree, out)
            divergence += weight * out[i] / (12 * h)
    zonal(p, degree, out)
    assert abs(divergence) < 1e-9 * np.linalg.norm(out) / np.linalg.norm(p)


def test_energy_and_angular_momentum_about_the_pole_are_kept() -> None:
    """Over four orbits in steps of 2 s, whose own error is some 1e-13 in energy; J2 alone moves the kinetic part by 1e-3."""
    states = flight(start(7.2e6, 0.03, 1.1), 6, 2.0, 12_000)
    p, v = states[:, :3], states[:, 3:]
    r = np.linalg.norm(p, axis=1)
    potential = np.array([zonal_potential(x, 6) for x in p])
    energy = 0.5 * (v * v).sum(axis=1) - MU_M3_S2 / r - potential
    assert np.ptp(energy) < 3e-12 * abs(energy[0])
    assert np.ptp(potential) > 1e-4 * abs(energy[0])  # so that the line above says something
    about_pole = p[:, 0] * v[:, 1] - p[:, 1] * v[:, 0]
    assert np.ptp(about_pole) < 3e-12 * abs(about_pole[0])


@pytest.mark.parametrize("inclination_deg", [28.5, 51.6, 98.0])
def test_the_node_drifts_as_first_order_theory_says(inclination_deg: float) -> None:
    """One day under J2: -3/2 J2 (R / p)^2 n cos i from mean elements, to 0.3 %: it leaves out terms of J2^2. With Brouwer's
    (Astronomical Journal 64, 1959), for a circle the share g (19/2 cos^2 i - 2), g = J2 / 2 (R / p)^2, to 0.05 %."""
    step = 5.0
    states = flight(start(7.0e6, 0.002, math.radians(inclination_deg)), 2, step, 17_280)
    p, v = states[:, :3], states[:, 3:]
    h = np.cross(p, v)
    node = np.unwrap(np.arctan2(h[:, 0], -h[:, 1]))
    cos_i = (h[:, 2] / np.linalg.norm(h, axis=1)).mean()
    a = (1.0 / (2.0 / np.linalg.norm(p, axis=1) - (v * v).sum(axis=1) / MU_M3_S2)).mean()
    rate = np.polynomial.polynomial.polyfit(step * np.arange(len(node)), node, 1)[1]
    theory = -1.5 * J2 * (RADIUS_M / a) ** 2 * math.sqrt(MU_M3_S2 / a**3) * cos_i
    assert rate == pytest.approx(theory, rel=3e-3)
    g = 0.5 * J2 * (RADIUS_M / a) ** 2
    assert rate == pytest.approx(theory * (1.0 + g * (9.5 * cos_i**2 - 2.0)), rel=5e-4)

"""Two bodies: energy, momentum and eccentricity vector stay, the closed form solves the equation of motion."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

from proxops.core.earth import MU_M3_S2 as MU
from proxops.space.ephemeris import COLUMNS
from proxops.space.free_drift import integrate_orbit
from proxops.space.kepler import propagate, state_from_elements

Array = NDArray[np.float64]
ORBITS = [(6.928e6, 0.001), (8e6, 0.1), (2.4e7, 0.7)]


def start(a: float, e: float) -> tuple[Array, Array]:
    p, v = np.empty(3), np.empty(3)
    state_from_elements(a, e, 1.1, 0.3, 2.0, 5.5, MU, p, v)
    return p, v


def kept(p: Array, v: Array) -> Array:
    """Momentum and eccentricity vector, of size one."""
    h = np.cross(p, v)
    return np.concatenate([h / 1e11, np.cross(v, h) / MU - p / np.linalg.norm(p)])


@pytest.mark.parametrize(("a", "e"), ORBITS)
def test_what_must_stay_stays(a: float, e: float) -> None:
    p, v = start(a, e)
    q, u = np.empty(3), np.empty(3)
    energy = v @ v / 2.0 - MU / np.linalg.norm(p)
    for t in np.linspace(0.0, 1e6, 300).tolist():
        propagate(p, v, t, MU, q, u)
        assert u @ u / 2.0 - MU / np.linalg.norm(q) == pytest.approx(energy, rel=2e-14 / (1.0 - e) ** 2)
        np.testing.assert_allclose(kept(q, u), kept(p, v), rtol=0.0, atol=2e-14 / (1.0 - e))


@pytest.mark.parametrize(("a", "e"), ORBITS)
def test_the_closed_form_solves_the_equation_of_motion_over_ten_revolutions(a: float, e: float) -> None:
    p, v = start(a, e)
    end = 10.0 * 2.0 * np.pi * np.sqrt(a**3 / MU)
    theirs = solve_ivp(
        lambda t, s: np.concatenate([s[3:], -MU * s[:3] / np.linalg.norm(s[:3]) ** 3]), (0.0, end),
        np.concatenate([p, v]), method="DOP853", rtol=1e-13, atol=[1e-7] * 3 + [1e-10] * 3, t_eval=np.linspace(0.0, end, 50),
    )  # fmt: skip
    q, u = np.empty(3), np.empty(3)
    for t, s in zip(theirs.t.tolist(), theirs.y.T, strict=True):
        propagate(p, v, t, MU, q, u)
        # The integrator's own error: a relative tolerance of 1e-13 grows to 1e-9 with the square of the time.
        assert np.linalg.norm(q - s[:3]) < 1e-9 * a


def test_the_integrator_of_the_survey_follows_the_closed_form() -> None:
    p, v = start(*ORBITS[0])
    table = np.zeros((2, COLUMNS))
    table[1, 0] = 5739.0
    integrate_orbit(p, v, 1, table)
    q, u = np.empty(3), np.empty(3)
    propagate(p, v, 5739.0, MU, q, u)
    assert np.linalg.norm(table[1, 1:4] - q) < 1e-5  # m after one revolution in steps of 1 s
    assert np.linalg.norm(table[1, 4:7] - u) < 1e-8

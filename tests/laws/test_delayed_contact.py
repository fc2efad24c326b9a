"""The law of contact and what a delay makes of a bounce: closed forms, published numbers, independent integrations."""

import math

import numpy as np
import pytest
from benchmarks.studies.contact_case import Case
from benchmarks.studies.contact_study import fed_back
from benchmarks.studies.delayed_bounce import NONE, delayed_bounce
from scipy.integrate import solve_ivp
from scipy.special import beta

from proxops.core.messages import PERIOD_S
from proxops.space.contact_law import (
    bounce,
    contact_force,
    contact_omega,
    greatest_depth,
    linear_restitution,
    secant_stiffness,
    state_after_touch,
)

MASS, STIFFNESS, SPEED = 300.0, 106.59e3, 5e-3  # the published case
OMEGA = math.sqrt(STIFFNESS / MASS)


def quiet(tau: float, mass: float = MASS) -> Case:
    """Undamped, no noise, no dead zone, delay known."""
    return Case(mass, STIFFNESS, SPEED, tau, gap=SPEED * (tau + 5.3 * PERIOD_S))


@pytest.mark.parametrize("zeta", [0.0, 0.01, 0.1, 0.5, 0.9, 1.0, 1.5, 3.0])
def test_the_bounce_has_the_closed_form_of_the_linear_law(zeta: float) -> None:
    found = bounce(MASS, SPEED, STIFFNESS, 2.0 * zeta * math.sqrt(STIFFNESS * MASS), 1.0)[0]
    assert found == pytest.approx(linear_restitution(zeta), abs=5e-7)  # fourth-order steps of 0.05 rad


@pytest.mark.parametrize(("n", "c"), [(1.0, 300.0), (1.25, 200.0), (1.5, 500.0)])
def test_the_bounce_agrees_with_an_adaptive_integrator(n: float, c: float) -> None:
    def rate(_: float, y: np.ndarray) -> list[float]:
        return [y[1], -(k * max(y[0], 0.0) ** n + c * y[1]) / MASS]

    def force(_: float, y: np.ndarray) -> float:
        return k * max(y[0], 0.0) ** n + c * y[1]

    force.terminal, force.direction = True, -1  # type: ignore[attr-defined]
    k = 1e6
    found = solve_ivp(rate, (0.0, 2.0), [0.0, 0.05], events=force, rtol=1e-10, atol=1e-14, method="DOP853")
    e, duration, depth, peak = bounce(MASS, 0.05, k, c, n)
    # The law's second derivative is infinite at d = 0.
    assert e == pytest.approx(-found.y_events[0][0][1] / 0.05, abs=1e-5)
    assert duration == pytest.approx(found.t_events[0][0], rel=1e-5)
    dense = solve_ivp(rate, (0.0, duration), [0.0, 0.05], rtol=1e-9, atol=1e-13, max_step=duration / 2000)
    assert depth == pytest.approx(dense.y[0].max(), rel=1e-5)
    assert peak == pytest.approx(max(force(0.0, y) for y in dense.y.T), rel=1e-3)  # the largest of steps of 0.05 rad


def test_hertz_contact_lasts_as_long_as_hertz_says() -> None:
    _, duration, depth, _ = bounce(MASS, 0.05, 1e6, 0.0, 1.5)
    # 2 d/v times the integral of du / sqrt(1 - u^2.5), which is B(0.4, 0.5) / 2.5.
    assert depth == pytest.approx(greatest_depth(MASS, 0.05, 1e6, 1.5), rel=5e-6)
    assert duration == pytest.approx(2.0 * depth / 0.05 * beta(0.4, 0.5) / 2.5, rel=1e-5)
    assert 0.94 < math.pi / contact_omega(MASS, 0.05, 1e6, 1.5) / duration < 0.96  # what the docstring says of omega


def test_the_surface_pushes_and_never_pulls_and_no_number_stays_none() -> None:
    assert contact_force(-1e-3, -0.1, 1e5, 1e3, 1.0) == 0.0
    assert contact_force(1e-6, -0.1, 1e5, 1e3, 1.0) == 0.0
    assert contact_force(1e-3, 0.0, 1e5, 1e3, 1.0) == pytest.approx(100.0)
    assert math.isnan(contact_force(math.nan, 0.0, 1e5, 1e3, 1.0))


def test_before_touch_and_after_separation_a_mass_flies_freely() -> None:
    assert state_after_touch(-0.1, MASS, SPEED, STIFFNESS, 0.0, 1.0)[:2] == (-0.1 * SPEED, SPEED)
    d1, v1, left1, _ = state_after_touch(0.3, MASS, SPEED, STIFFNESS, 300.0, 1.0)
    d2, v2, left2, _ = state_after_touch(0.4, MASS, SPEED, STIFFNESS, 300.0, 1.0)
    assert left1 == pytest.approx(left2, rel=1e-6)
    assert d2 - d1 == pytest.approx(0.1 * v1, rel=1e-5)
    assert v2 == pytest.approx(v1, rel=1e-6)


def test_the_secant_is_force_over_depth() -> None:
    _, _, depth, peak = bounce(MASS, 0.05, 1e6, 0.0, 1.3)
    assert secant_stiffness(MASS, 0.05, 1e6, 1.3) == pytest.approx(peak / depth, rel=2e-3)


# --- through a delay ---


@pytest.mark.parametrize(("tau", "published"), [(3e-3, 1.0928), (4e-3, 1.1255)])
def test_a_pure_delay_gives_the_published_restitution(tau: float, published: float) -> None:
    assert delayed_bounce(MASS, SPEED, STIFFNESS, 0.0, 1.0, tau, 100)[0] == pytest.approx(published, abs=5e-5)


def test_the_delayed_bounce_agrees_with_the_plainest_integration() -> None:
    tau, h = 4e-3, 2e-6
    lag = round(tau / h)
    d, v, past = 0.0, SPEED, [SPEED * h * (i - lag) for i in range(lag)]
    for i in range(200_000):
        v -= h * STIFFNESS * max(past[i], 0.0) / MASS
        past.append(d)
        d += h * v
        if v < 0.0 and past[i] < 0.0 and i > lag:
            break
    # Explicit first-order steps: h / tau of the gain is their error.
    assert delayed_bounce(MASS, SPEED, STIFFNESS, 0.0, 1.0, tau, 100)[0] == pytest.approx(-v / SPEED, abs=2e-4)


@pytest.mark.parametrize("omega_tau", [0.01, 0.03, 0.1, 0.3])
def test_the_gain_is_the_exponential_of_the_delay(omega_tau: float) -> None:
    found = delayed_bounce(MASS, SPEED, STIFFNESS, 0.0, 1.0, omega_tau / OMEGA, 100)[0]
    # Next order of the delay.
    assert math.log(found) == pytest.approx(0.5 * math.pi * omega_tau, abs=0.15 * omega_tau**2)


def test_damping_of_k_tau_takes_a_delay_back() -> None:
    """k d(t - tau) + c d' is k d to first order if c = k tau: the reason why an error of the delay looks like damping."""
    tau = 2e-3
    found = delayed_bounce(MASS, SPEED, STIFFNESS, STIFFNESS * tau, 1.0, tau, 100)[0]
    assert found == pytest.approx(1.0, abs=5.0 * (OMEGA * tau) ** 2)
    assert delayed_bounce(MASS, SPEED, STIFFNESS, 0.0, 1.0, tau, 100)[0] > 1.05


@pytest.mark.parametrize("tau", [3e-3, 4e-3, 9.7e-3])
def test_a_hold_of_one_tick_adds_half_a_tick(tau: float) -> None:
    mass = 3000.0  # omega dt = 0.024: the hold's next order is its square
    held = fed_back(quiet(tau, mass), NONE)
    pure = delayed_bounce(mass, SPEED, STIFFNESS, 0.0, 1.0, tau + 0.5 * PERIOD_S, 200)[0]
    without = delayed_bounce(mass, SPEED, STIFFNESS, 0.0, 1.0, tau, 200)[0]
    assert held == pytest.approx(pure, abs=0.05 * (pure - without))

"""Kepler's ellipse: elements and states both ways in all degenerate cases, Kepler's equation, many revolutions."""

import math
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from proxops.core.earth import MU_M3_S2 as MU
from proxops.space.kepler import (
    angle_minus_sine,
    eccentric_from_mean,
    elements_from_state,
    mean_from_true,
    mean_motion,
    propagate,
    state_from_elements,
    true_from_mean,
)

Array = NDArray[np.float64]


def state(*elements: float) -> tuple[Array, Array]:
    p, v = np.empty(3), np.empty(3)
    a, e, i, node, perigee, anomaly = elements
    state_from_elements(a, e, i, node, perigee, anomaly, MU, p, v)
    return p, v


def elements(p: Array, v: Array) -> Array:
    out = np.empty(6)
    elements_from_state(p, v, MU, out)
    return out


@settings(max_examples=300, deadline=None, derandomize=True)
@given(
    st.floats(6.6e6, 4.5e7), st.sampled_from([0.0, 1e-16, 1e-9, 1e-3, 0.1, 0.7, 0.95]),
    st.sampled_from([0.0, 1e-16, 1e-9, 0.5, math.pi / 2, 1.7, math.pi - 1e-9, math.pi]),
    st.floats(0, 6.28), st.floats(0, 6.28), st.floats(0, 6.28),
)  # fmt: skip
def test_the_state_comes_back_from_its_elements(
    a: float, e: float, i: float, node: float, perigee: float, anomaly: float
) -> None:
    p, v = state(a, e, i, node, perigee, anomaly)
    found = elements(p, v)
    q, u = state(*found.tolist())
    # What the limit below which a node or perigee counts as none may change (1e-14 of the radius), and rounding, which a long
    # ellipse magnifies by the ill-conditioned size near apogee.
    rounding = 3e-14 / (1.0 - e)
    assert np.linalg.norm(q - p) < rounding * np.linalg.norm(p)
    assert np.linalg.norm(u - v) < rounding * np.linalg.norm(v) / (1.0 - e)
    assert found[0] == pytest.approx(a, rel=1e-13 / (1.0 - e) ** 2)
    assert found[1] == pytest.approx(e, abs=1e-14 / (1.0 - e))
    assert found[2] == pytest.approx(i, abs=3e-14)
    assert ((found[3:] >= 0.0) & (found[3:] <= 2.0 * math.pi)).all()


def test_degenerate_angles_are_where_the_docstring_says() -> None:
    circular = elements(*state(7e6, 0.0, 1.0, 0.5, 0.0, 2.0))
    assert circular[1] == 0.0
    assert circular[3:] == pytest.approx([0.5, 0.0, 2.0], abs=1e-13)
    flat = elements(*state(7e6, 0.1, 0.0, 0.0, 0.5, 2.0))
    assert flat[3] == 0.0
    assert flat[4:] == pytest.approx([0.5, 2.0], abs=1e-13)


def sine(x: Decimal) -> Decimal:
    """By its series; x <= pi."""
    term, total, k = x, x, 1
    while abs(term) > Decimal(10) ** -55:
        term *= -x * x / ((2 * k) * (2 * k + 1))
        total += term
        k += 1
    return total


def test_keplers_equation_holds_to_rounding_for_every_ellipse() -> None:
    """Judged with fifty digits: the residual as an error of E, against what the roundings of E and M make of it."""
    worst = 0.0
    with localcontext() as context:
        context.prec = 50
        for e in (0.0, 1e-12, 1e-3, 0.1, 0.5, 0.51, 0.9, 0.99, 0.99999, 1.0 - 1e-9, 1.0 - 2**-53):
            for mean in [0.0, math.pi, *np.geomspace(1e-15, math.pi, 200).tolist()]:
                found = eccentric_from_mean(mean, e)
                residual = float(Decimal(found) - Decimal(e) * sine(Decimal(found)) - Decimal(mean))
                slope = (1.0 - e) + 2.0 * e * math.sin(0.5 * found) ** 2
                allowed = 2.0**-53 * (4.0 * found + 4.0 * mean / slope) + 1e-300
                worst = max(worst, abs(residual / slope) / allowed)
    assert worst < 1.0


def test_angle_minus_sine_loses_no_digits() -> None:
    for x in np.geomspace(1e-8, 1.5, 200).tolist():
        terms = [(-1) ** (k + 1) * np.longdouble(x) ** (2 * k + 1) / math.factorial(2 * k + 1) for k in range(1, 14)]
        assert angle_minus_sine(x) == pytest.approx(float(sum(terms)), rel=2e-15 if x <= 1.0 else 1e-14)
        assert angle_minus_sine(-x) == -angle_minus_sine(x)


@pytest.mark.parametrize("e", [0.0, 0.2, 0.8, 0.99])
def test_anomalies_go_both_ways_and_keep_whole_turns(e: float) -> None:
    for mean in np.linspace(-20.0, 20.0, 401).tolist():
        true = true_from_mean(mean, e)
        # Near apogee of a long ellipse the true anomaly rounds to this much of the mean one.
        assert mean_from_true(true, e) == pytest.approx(mean, abs=1e-14 / (1.0 - e))
        assert abs(true - mean) < math.pi
        assert true_from_mean(mean + 2.0 * math.pi, e) == pytest.approx(true + 2.0 * math.pi, abs=1e-13 / (1.0 - e))


@pytest.mark.parametrize(("e", "i"), [(0.0, 0.0), (0.001, 1.7), (0.3, 0.9), (0.74, 1.1)])
def test_whole_revolutions_return_to_the_start(e: float, i: float) -> None:
    p, v = state(2.66e7, e, i, 1.0, 2.0, 0.4)
    q, u = np.empty(3), np.empty(3)
    period = 2.0 * math.pi / mean_motion(2.66e7, MU)
    for revolutions in (1, -1, 30, 1000):
        propagate(p, v, revolutions * period, MU, q, u)
        # The semi-major axis is known to 2e-16, the period to 3e-16, and it adds up: 2 pi 4e-16 of the radius per revolution.
        bound = (1e-14 + 4e-15 * abs(revolutions)) / (1.0 - e) ** 2
        assert np.linalg.norm(q - p) < bound * np.linalg.norm(p)
        assert np.linalg.norm(u - v) < bound * np.linalg.norm(v)


def test_two_steps_are_one_step_and_outputs_may_be_inputs() -> None:
    p, v = state(8e6, 0.2, 1.0, 2.0, 3.0, 4.0)
    once_p, once_v = np.empty(3), np.empty(3)
    propagate(p, v, 5000.0, MU, once_p, once_v)
    for _ in range(2):
        propagate(p, v, 2500.0, MU, p, v)
    np.testing.assert_allclose(p, once_p, rtol=0.0, atol=1e-7)  # rounding of 8,000 km, some dozen times
    np.testing.assert_allclose(v, once_v, rtol=0.0, atol=1e-10)

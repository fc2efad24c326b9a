"""Smooth curves: exact where they can be, the noise and its derivatives as small as statistics allow."""

import numpy as np
import pytest

from proxops.ground.smoothing import PolynomialFit, SplineFit

T = np.linspace(0.0, 10.0, 5001)


def decays(t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Two joints that come to rest, with rates and accelerations."""
    e, s, c = np.exp(-t), np.sin(3.0 * t), np.cos(3.0 * t)
    return (
        np.stack([e * s, 1.0 - e * (1.0 + t)], axis=1),
        np.stack([e * (3.0 * c - s), t * e], axis=1),
        np.stack([e * (-8.0 * s - 6.0 * c), (1.0 - t) * e], axis=1),
    )


def test_both_give_a_polynomial_of_the_fifth_degree_back() -> None:
    curve = np.polynomial.Polynomial([0.3, -0.2, 0.05, 0.01, -2e-3, 1e-4])
    y = np.stack([curve(T), -curve(T)], axis=1)
    for fit in (PolynomialFit(T, y), SplineFit(T, y, 0.5)):
        out = fit.at(T)
        # The least penalty that is tried still bends it a little.
        assert np.abs(out.angles[:, 0] - curve(T)).max() < 1e-6
        assert np.abs(out.rates[:, 1] + curve.deriv(1)(T)).max() < 1e-5
        assert np.abs(out.accelerations[:, 0] - curve.deriv(2)(T)).max() < 1e-4


def test_the_spline_follows_what_a_polynomial_cannot() -> None:
    angles, rates, accelerations = decays(T)
    noise = 3e-6
    measured = angles + noise * np.random.default_rng(2).standard_normal(angles.shape)
    spline, polynomial = SplineFit(T, measured, 0.04).at(T), PolynomialFit(T, measured).at(T)
    assert np.sqrt(((spline.angles - angles) ** 2).mean()) < 0.5 * noise  # better than a single reading
    assert np.abs(spline.rates - rates)[100:-100].max() < 3e-4
    assert np.abs(spline.rates - rates).max() < 5e-3  # at the ends only one side holds the curve
    assert np.abs(spline.accelerations - accelerations)[100:-100].max() < 0.02
    assert np.abs(polynomial.angles - angles).max() > 0.05


def test_the_weight_grows_with_the_noise() -> None:
    angles = decays(T)[0]
    rng = np.random.default_rng(3)
    weights = [
        SplineFit(T, angles + noise * rng.standard_normal(angles.shape), 0.05).weights.max() for noise in (1e-7, 1e-2)
    ]
    assert weights[0] < 1e-2 * weights[1]


def test_derivatives_are_those_of_the_curve() -> None:
    """Against central differences of the spline itself: an independent look at the recursion."""
    fit = SplineFit(T, decays(T)[0], 0.1)
    t, h = np.linspace(0.5, 9.5, 301), 1e-4
    ahead, here, back = fit.at(t + h), fit.at(t), fit.at(t - h)
    assert np.abs((ahead.angles - back.angles) / (2.0 * h) - here.rates).max() < 1e-6
    assert np.abs((ahead.rates - back.rates) / (2.0 * h) - here.accelerations).max() < 1e-5


def test_uneven_times_are_taken_as_they_are() -> None:
    """A live loop loses cycles now and then."""
    keep = np.random.default_rng(4).random(T.size) > 0.1
    keep[2000:2020] = False
    angles = decays(T)[0]
    out = SplineFit(T[keep], angles[keep], 0.05).at(T)
    assert np.abs(out.angles - angles)[np.flatnonzero(keep)[0] :].max() < 1e-5


def test_one_time_only_is_no_curve_but_few_knots_are() -> None:
    out = SplineFit(T[:50], decays(T[:50])[0], 5.0).at(T[:50])
    assert out.angles == pytest.approx(decays(T[:50])[0], abs=1e-6)

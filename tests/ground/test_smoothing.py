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


def test_knots_follow_the_sampling() -> None:
    """40 Hz, knots asked for every 20 ms, a joint that accelerates with 4 rad/s2 from the first moment to 0.5 s and then comes to
    rest. With those knots the curve goes through all samples, to 5e-10 deg, and swings between them with 73 rad/s2."""
    t, fine = np.arange(801) * 0.025, np.arange(20001) * 1e-3
    fit = SplineFit(t, started(t), 0.02)
    assert fit.spacing > t[1] - t[0]
    out = fit.at(fine)
    assert np.abs(out.angles - started(fine)).max() < 2e-4  # at the corner: 4 rad/s2 over half a knot
    assert np.abs(out.accelerations).max() < 4.5
    assert np.abs(fit.left_out).max() < 1e-3


def started(t: np.ndarray) -> np.ndarray:
    after = np.maximum(t - 0.5, 0.0)
    out: np.ndarray = (2.0 * np.minimum(t, 0.5) ** 2 + 2.0 * (1.0 - np.exp(-after)))[:, None]
    return out


def test_a_gap_is_bridged_and_not_filled_with_swings() -> None:
    t = np.concatenate([np.arange(0.0, 4.0, 0.025), np.arange(4.3, 10.0, 0.025)])
    fit = SplineFit(t, decays(t)[0], 0.02)
    gap = np.linspace(4.0, 4.3, 31)
    assert np.abs(fit.at(gap).angles - decays(gap)[0]).max() < 2e-3


def test_what_is_left_out_is_what_a_fit_without_it_misses() -> None:
    t = np.arange(0.0, 6.0, 0.02)
    y = decays(t)[0] + 1e-3 * np.random.default_rng(7).standard_normal((t.size, 2))
    fit = SplineFit(t, y, 0.2)
    for k in (50, 150, 250):
        others = np.arange(t.size) != k
        missed = y[k] - SplineFit(t[others], y[others], 0.2).at(t[k : k + 1]).angles[0]
        assert fit.left_out[k] == pytest.approx(missed, abs=1e-4)  # the weight is found anew without it
    assert np.sqrt((fit.left_out**2).mean()) > np.sqrt(((fit.at(t).angles - y) ** 2).mean())

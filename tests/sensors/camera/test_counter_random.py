"""The random numbers of pictures: even, normal and Poisson, as they should be; each pixel with its own."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from proxops.maths.kernel import kernel
from proxops.sensors.camera.counter_random import MANY, begin, mixed, normal, poisson, uniform

KEY = np.uint64(0x123456789ABCDEF)
MANY_PIXELS = 400_000


@kernel
def _uniforms(key: np.uint64, out: NDArray[np.float64]) -> None:
    for i in range(out.size):
        _, out[i] = uniform(begin(key, i))


@kernel
def _normals(key: np.uint64, out: NDArray[np.float64]) -> None:
    for i in range(out.size):
        _, out[i] = normal(begin(key, i))


@kernel
def _poissons(key: np.uint64, mean: float, out: NDArray[np.float64]) -> None:
    for i in range(out.size):
        _, out[i] = poisson(begin(key, i), mean)


@kernel
def _bits(state: np.uint64) -> np.uint64:
    return mixed(state)


def drawn_poisson(mean: float) -> NDArray[np.float64]:
    out = np.empty(MANY_PIXELS)
    _poissons(KEY, mean, out)
    return out


def test_the_bits_are_splitmix() -> None:
    """The first numbers of the published generator from the seed 1234567."""
    golden, state, found = np.uint64(0x9E3779B97F4A7C15), np.uint64(1234567), []
    with np.errstate(over="ignore"):
        for _ in range(3):
            state = state + golden
            found.append(int(_bits(state)))
    assert found == [6457827717110365317, 3203168211198807973, 9817491932198370423]


def test_uniform_numbers_are_even() -> None:
    out = np.empty(MANY_PIXELS)
    _uniforms(KEY, out)
    assert out.min() >= 0.0 and out.max() < 1.0
    assert stats.kstest(out, "uniform").pvalue > 1e-3


def test_normal_numbers_are_normal_out_to_the_tail() -> None:
    out = np.empty(4 * MANY_PIXELS)
    _normals(KEY, out)
    assert stats.kstest(out, "norm").pvalue > 1e-3
    for limit in (2.0, 3.0, 3.7, 4.2):  # the lowest layer ends at 3.654
        expected = 2.0 * stats.norm.sf(limit) * out.size
        assert abs((np.abs(out) > limit).sum() - expected) < 4.0 * math.sqrt(expected)


def test_neighbours_have_nothing_to_do_with_each_other() -> None:
    out = np.empty(MANY_PIXELS)
    _normals(KEY, out)
    for shift in (1, 2, 640, 641):
        assert abs(np.corrcoef(out[:-shift], out[shift:])[0, 1]) < 4.0 / math.sqrt(MANY_PIXELS)
    other = np.empty(MANY_PIXELS)
    _normals(KEY + np.uint64(1), other)
    assert abs(np.corrcoef(out, other)[0, 1]) < 4.0 / math.sqrt(MANY_PIXELS)


@pytest.mark.parametrize("mean", [0.05, 0.9, 3.0, 11.9, 12.1, 40.0, 1000.0])
def test_counts_are_poisson(mean: float) -> None:
    """Mean, variance, skewness, and every count's share, on both sides of where the method changes."""
    out, n = drawn_poisson(mean), MANY_PIXELS
    assert np.array_equal(out, np.rint(out)) and out.min() >= 0.0
    assert abs(out.mean() - mean) < 4.0 * math.sqrt(mean / n)
    assert abs(out.var() - mean) < 4.0 * math.sqrt((mean + 2.0 * mean**2) / n)
    assert abs(stats.skew(out) - mean**-0.5) < 0.05 * max(1.0, mean**-0.5)
    values = np.arange(stats.poisson.ppf(1e-4, mean), stats.poisson.ppf(1.0 - 1e-4, mean) + 1)
    expected = stats.poisson.pmf(values, mean) * n
    keep = expected > 20.0
    seen = np.array([(out == value).sum() for value in values])
    chi2 = ((seen - expected)[keep] ** 2 / expected[keep]).sum()
    assert stats.chi2.sf(chi2, keep.sum()) > 1e-3


def test_nothing_expected_is_nothing_and_the_most_is_near_its_mean() -> None:
    assert not drawn_poisson(0.0).any()
    assert abs(drawn_poisson(1e9).mean() / 1e9 - 1.0) < 1e-6


def test_the_expansion_is_as_near_as_the_module_says() -> None:
    """Its steps from count to count, put on the normal distribution, against the Poisson distribution: sum of all errors."""
    w = np.linspace(-6.5, 8.0, 400_001)
    root, mean = math.sqrt(MANY), MANY
    third, fourth = -w / 36.0 - w**3 / 72.0, -8.0 / 405.0 + 7.0 / 810.0 * w**2 + w**4 / 270.0
    count = mean + root * w + 1.0 / 3.0 + w**2 / 6.0 + third / root + fourth / mean
    k = np.arange(0, 60)
    share = np.diff(stats.norm.cdf(np.interp(k + 1.0, count, w)), prepend=0.0)
    assert 0.5 * np.abs(share - stats.poisson.pmf(k, mean)).sum() < 1e-4

"""The time-of-flight camera against closed forms: wrap, wave, mixed pixels, multipath, noise, motion between phases."""

from __future__ import annotations

import hashlib
import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from ray_mockup import exposure, still

from proxops.core.errors import BadInput
from proxops.core.images import DepthImage
from proxops.core.imaging_table import TofSensor
from proxops.sensors.tof import INTENSITY_OF_WHITE, TimeOfFlightCamera

Array = NDArray[np.float64]
QUIET = {"noise_m": 0.0, "floor_m": 0.0, "wiggle_m": 0.0, "multipath_share": 0.0, "least_intensity": 1e-6}
WRAP = 299_792_458.0 / 30e6


def camera(**given: Any) -> TimeOfFlightCamera:
    return TimeOfFlightCamera(TofSensor(name="depth", kind="tof", **{**QUIET, **given}), 0, 7)


def seen(sensor: TimeOfFlightCamera, ranges: Array, signals: Array | float = 1.0, number: int = 0) -> DepthImage:
    """(h, w) or (h, w, samples) or four of these."""
    ranges = ranges[..., None] if ranges.ndim == 2 else ranges
    signals = np.broadcast_to(np.asarray(signals, np.float32), ranges.shape)
    return sensor.develop(
        ranges.astype(np.float32), signals, exposure(still([0, 0, 0])[None], still([0, 0, 0]), 0.02, number)
    )


def ramp(begin: float, end: float) -> Array:
    return np.linspace(begin, end, 40_000).reshape(200, 200)


def test_ranges_begin_anew_at_the_wrap() -> None:
    image = seen(camera(), ramp(0.1, 29.0), 100.0)
    assert image.t == pytest.approx(10.01)
    assert np.abs((image.range_m - ramp(0.1, 29.0) + 0.5 * WRAP) % WRAP - 0.5 * WRAP).max() < 2e-6
    assert image.range_m.min() >= 0.0 and image.range_m.max() < WRAP + 1e-6
    assert seen(camera(unwrapped=True), ramp(0.1, 29.0), 100.0).range_m == pytest.approx(ramp(0.1, 29.0), abs=3e-6)


def test_intensity_falls_with_the_square_and_below_the_least_there_is_nothing() -> None:
    image = seen(camera(least_intensity=0.04), ramp(1.0, 10.0), 0.5)
    assert image.intensity == pytest.approx(0.5 * INTENSITY_OF_WHITE / ramp(1.0, 10.0) ** 2, abs=0.51)
    assert np.array_equal(np.isnan(image.range_m), ramp(1.0, 10.0).astype(np.float32) > math.sqrt(0.5 / 0.04))
    nothing = seen(camera(), np.full((200, 200), np.inf))
    assert np.isnan(nothing.range_m).all() and not nothing.intensity.any()
    assert seen(camera(), np.full((200, 200), 0.1)).intensity.max() == 65535


def test_the_wave_has_four_periods_within_the_wrap() -> None:
    r = ramp(0.2, WRAP - 0.2)
    error = seen(camera(wiggle_m=0.01), r).range_m - r
    assert error == pytest.approx(0.01 * np.sin(8.0 * math.pi * r / WRAP), abs=2e-6)


def test_a_pixel_over_an_edge_sees_the_sum_of_both_phasors() -> None:
    """Of near and far in equal parts: what two cosines add up to, nearer to the nearer side because that is brighter."""
    samples = np.empty((200, 200, 4))
    samples[:, :, 0::2], samples[:, :, 1::2] = 2.0, ramp(2.0, 4.5)[:, :, None]
    range_m = seen(camera(), samples).range_m
    phasor = (
        np.exp(4j * math.pi / (2 * WRAP) * 2.0) / 4.0
        + np.exp(2j * math.pi / WRAP * ramp(2.0, 4.5)) / ramp(2.0, 4.5) ** 2
    )
    assert range_m == pytest.approx(np.angle(phasor) % (2.0 * math.pi) * WRAP / (2.0 * math.pi), abs=2e-6)
    assert np.all(range_m[1:] > 2.0) and np.all(range_m[1:] < 0.5 * (2.0 + ramp(2.0, 4.5)[1:]))
    samples[:, :, 2:] = np.inf  # nothing in half of them changes no range, and halves the light
    half = seen(camera(), samples)
    assert half.range_m == pytest.approx(range_m, abs=2e-6)


def test_multipath_pulls_all_pixels_towards_the_mean() -> None:
    samples = np.full((200, 200), 3.0)
    samples[:, :100] = 1.0
    image = seen(camera(multipath_share=0.1), samples)
    near, far = np.exp(2j * math.pi / WRAP), np.exp(6j * math.pi / WRAP) / 9.0
    for column, own in ((0, near), (150, far)):
        expected = np.angle(own + 0.05 * (near + far)) * WRAP / (2.0 * math.pi)
        assert image.range_m[:, column] == pytest.approx(expected, abs=2e-6)
    assert image.range_m[0, 0] > 1.0 and image.range_m[0, 150] < 2.9


@pytest.mark.parametrize(("distance", "signal"), [(1.0, 1.0), (2.0, 1.0), (2.0, 0.25), (3.0, 0.5)])
def test_noise_grows_as_light_fades(distance: float, signal: float) -> None:
    image = seen(camera(noise_m=0.01, floor_m=0.002, least_intensity=1e-3), np.full((200, 200), distance), signal)
    expected = math.hypot(0.01 * distance**2 / signal, 0.002)
    assert np.nanstd(image.range_m) == pytest.approx(expected, rel=0.02)
    assert np.nanmean(image.range_m) == pytest.approx(distance, abs=4.0 * expected / 200.0)


@pytest.mark.parametrize("least", [0.0005, 0.001, 0.002])
def test_noise_alone_is_taken_for_light_as_rayleigh_says(least: float) -> None:
    """Where nothing is, ``noise_m`` = 0.001 is a phasor with 0.00063 in each part: some of it exceeds the least intensity."""
    image = seen(camera(noise_m=0.001, least_intensity=least), np.full((200, 200), np.inf))
    expected = math.exp(-0.5 * (least * WRAP / (0.001 * 2.0 * math.pi)) ** 2)
    assert np.isfinite(image.range_m).mean() == pytest.approx(expected, abs=5.0 * math.sqrt(expected / 40_000))


def test_as_shipped_an_empty_sky_is_empty() -> None:
    """The least intensity lies well above the noise of a pixel that gets no light."""
    image = seen(TimeOfFlightCamera(TofSensor(kind="tof", name="tof"), 0, 7), np.full((200, 200), np.inf))
    assert np.isfinite(image.range_m).sum() <= 5  # of 40,000


def test_motion_between_the_phases() -> None:
    """Phases 0 and 2 see the real part, 1 and 3 the imaginary one; what stands still is as before."""
    moved = np.stack([np.full((200, 200, 1), r) for r in (2.0, 2.1, 2.2, 2.3)])
    part = np.exp(2j * math.pi / WRAP * moved[:, 0, 0, 0]) / moved[:, 0, 0, 0] ** 2
    expected = math.atan2(part.imag[1::2].sum(), part.real[0::2].sum()) * WRAP / (2.0 * math.pi)
    assert seen(camera(), moved).range_m == pytest.approx(expected, abs=2e-6)
    still_one = np.repeat(ramp(1.0, 5.0)[None, :, :, None], 4, axis=0)
    assert seen(camera(), still_one).range_m == pytest.approx(ramp(1.0, 5.0), abs=2e-6)


def test_same_seed_same_bits_and_every_exposure_its_own_noise() -> None:
    def digest(number: int) -> str:
        image = seen(camera(noise_m=0.01, floor_m=0.002), ramp(1.0, 5.0), number=number)
        return hashlib.sha256(image.range_m.tobytes() + image.intensity.tobytes()).hexdigest()

    assert digest(0) == digest(0) != digest(1)


def test_bad_samples_are_refused_by_name() -> None:
    good = np.ones((200, 200, 2))
    for bad in (np.ones((100, 200, 2)), np.ones((200, 200, 0)), np.ones((3, 200, 200, 2)), np.ones(5)):
        with pytest.raises(BadInput, match="do not fit the sensor"):
            seen(camera(), bad)
    good[0, 0, 0] = np.nan
    with pytest.raises(BadInput, match="not a number"):
        seen(camera(), good)
    with pytest.raises(BadInput, match="another sensor"):
        seen(TimeOfFlightCamera(TofSensor(name="depth", kind="tof"), 1, 7), np.ones((200, 200)))

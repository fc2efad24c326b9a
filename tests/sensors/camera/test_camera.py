"""The camera against what a photon-transfer measurement of a real one would find, and its bits."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from proxops.core.errors import BadInput
from proxops.core.lens_map import lines_of_sight
from proxops.sensors.camera.camera import Camera
from proxops.sensors.camera.optics import PHOTON_J, PLANCK_C, electrons_per_radiance, fall_off

FAINT, GREY = 0.001, 0.5  # W/m²/sr


def wall(spec: Any, radiance: float) -> Any:
    return np.full((spec.height, spec.width), radiance, np.float32)


def pair_statistics(camera: Camera, shots: Any, radiance: float, **given: float) -> tuple[float, float]:
    """Mean and variance in time, from two pictures of a wall: their difference knows nothing of what is fixed."""
    first, second = (
        camera.develop(wall(camera.spec, radiance), shots.exposure(number, **given)).pixels.astype(float)
        for number in (0, 1)
    )
    return 0.5 * (first.mean() + second.mean()), 0.5 * np.var(first - second)


def test_a_photons_energy_is_that_of_sunlight_in_the_band() -> None:
    wavelength = np.linspace(400e-9, 1000e-9, 6001)
    power = wavelength**-5 / np.expm1(PLANCK_C / (wavelength * 1.380649e-23 * 5772.0))
    assert pytest.approx(PLANCK_C * power.sum() / (power * wavelength).sum(), rel=1e-4) == PHOTON_J


def test_levels_follow_from_the_radiance(shots: Any) -> None:
    """By hand: E = π L / (4 N²), electrons = E · area · t · QE / photon, levels = electrons · white / full well."""
    spec = shots.plain(bits=12, f_number=2.8, quantum_efficiency=0.3, full_well_e=60_000.0)
    electrons = np.pi * GREY / (4 * 2.8**2) * (9.9e-6) ** 2 * 0.01 * 0.3 / PHOTON_J
    mean, _ = pair_statistics(Camera(spec, 0, 1), shots, GREY)
    assert mean == pytest.approx(electrons * 4095 / 60_000.0, rel=1e-3)


@pytest.mark.parametrize("gain_db", [0.0, 12.0])
def test_photon_transfer_gives_gain_and_read_noise(shots: Any, gain_db: float) -> None:
    """Variance against mean: its slope is levels per electron, its beginning the read noise (and that of rounding)."""
    spec = shots.plain(bits=14, read_noise_e=13.0, black_share=0.02, uneven_share=0.01)
    camera, black = Camera(spec, 0, 1), 0.02 * 16383
    dark, start = pair_statistics(camera, shots, 0.0, gain_db=gain_db)
    radiances = np.array([0.2, 0.4, 0.6, 0.8]) * 0.9 * 10 ** (-gain_db / 20)
    points = [pair_statistics(camera, shots, radiance, gain_db=gain_db) for radiance in radiances]
    means, variances = np.array(points).T
    slope = np.polyfit(means, variances, 1)[0]
    per_electron = 1.0 / camera.electrons_per_level(gain_db)
    assert slope == pytest.approx(per_electron, rel=0.01)
    assert np.sqrt(start - 1 / 12) / per_electron == pytest.approx(13.0, rel=0.01)
    assert dark == pytest.approx(black, abs=0.1)
    assert means - black == pytest.approx((means[-1] - black) * radiances / radiances[-1], rel=2e-3)  # linear


def test_doubling_gain_doubles_levels_and_full_well_is_white_at_no_gain(shots: Any) -> None:
    camera = Camera(shots.plain(bits=16), 0, 1)
    assert camera.electrons_per_level(0.0) == pytest.approx(35_000.0 / 65_535)
    assert camera.electrons_per_level(20.0) == pytest.approx(3_500.0 / 65_535)
    low, high = (pair_statistics(camera, shots, 0.4, gain_db=gain)[0] for gain in (0.0, 6.0206))
    assert high / low == pytest.approx(2.0, rel=2e-3)


def test_few_electrons_are_counted(shots: Any) -> None:
    """Gain so high that a level is an electron: Poisson's mean, variance and skewness can be seen."""
    spec = shots.plain(bits=16, full_well_e=65_535.0)
    camera = Camera(spec, 0, 1)
    seen = camera.develop(wall(spec, FAINT), shots.exposure(duration_s=0.001)).pixels * camera.electrons_per_level(0.0)
    mean = FAINT * 0.001 * electrons_per_radiance(spec, spec.lens).mean()
    assert 2.0 < mean < 6.0
    assert seen.mean() == pytest.approx(mean, rel=0.01) and seen.var() == pytest.approx(mean, rel=0.02)
    assert ((seen - seen.mean()) ** 3).mean() / seen.std() ** 3 == pytest.approx(mean**-0.5, rel=0.05)


def test_dark_current_grows_with_time_and_is_noisy(shots: Any) -> None:
    spec = shots.plain(bits=16, dark_e_s=5_000.0)
    camera = Camera(spec, 0, 1)
    mean, variance = pair_statistics(camera, shots, 0.0, duration_s=1.0)
    per_level = camera.electrons_per_level(0.0)
    assert mean * per_level == pytest.approx(5_000.0, rel=1e-3)
    assert variance * per_level**2 == pytest.approx(5_000.0, rel=0.02)


def test_unevenness_is_the_same_in_every_picture_and_as_large_as_asked(shots: Any) -> None:
    spec = shots.plain(bits=16, uneven_share=0.05)
    one, other = Camera(spec, 0, 1), Camera(spec, 1, 1)
    means = [
        np.mean([c.develop(wall(spec, GREY), shots.exposure(k)).pixels.astype(float) for k in range(4)], axis=0)
        for c in (one, one, other)
    ]
    relative = means[0] / means[0].mean()
    assert relative.std() == pytest.approx(0.05, rel=0.03)
    assert np.array_equal(means[0], means[1])
    assert abs(np.corrcoef(means[0].ravel(), means[2].ravel())[0, 1]) < 0.01


def test_dead_pixels_stay_and_belong_to_the_chip(shots: Any) -> None:
    spec = shots.plain(dead_share=0.001)
    camera, again, other = Camera(spec, 0, 1), Camera(spec, 0, 1), Camera(spec, 0, 2)
    first = camera.develop(wall(spec, GREY), shots.exposure(0)).pixels
    later = again.develop(wall(spec, 0.5 * GREY), shots.exposure(7)).pixels
    foreign = other.develop(wall(spec, GREY), shots.exposure(0)).pixels
    stuck = (first == 0) | (first == 255)
    assert 200 < stuck.sum() < 420 and 0.35 < (first == 255).sum() / stuck.sum() < 0.65
    assert np.array_equal(stuck, (later == 0) | (later == 255)) and np.array_equal(first[stuck], later[stuck])
    assert not np.array_equal(stuck, (foreign == 0) | (foreign == 255))


def test_the_light_falls_off_with_the_fourth_power_of_the_cosine(shots: Any) -> None:
    spec = shots.plain(bits=16, focal_mm=4.0)
    seen = Camera(spec, 0, 1).develop(wall(spec, GREY), shots.exposure()).pixels.astype(float)
    middle, corner = seen[230:250, 310:330].mean(), seen[:10, :10].mean()
    angle = np.arctan(np.hypot(315.0, 235.0) * 9.9e-3 / 4.0)
    assert corner / middle == pytest.approx(np.cos(angle) ** 4, rel=0.01)


def test_the_fall_off_follows_the_lens(shots: Any) -> None:
    spec = shots.plain(focal_mm=5.0, distortion=(-0.2, 0.04, 0.001, -0.002, 0.0), centre_px=(300.0, 250.0))
    x, y = lines_of_sight(spec.lens)
    assert np.allclose(fall_off(spec.lens), np.cos(np.arctan(np.hypot(x, y))) ** 4)
    assert fall_off(spec.lens)[250, 300] == pytest.approx(1.0)


def test_blur_is_that_of_the_light(shots: Any) -> None:
    spec = shots.plain(bits=16, blur_px=1.5)
    light = wall(spec, 0.0)
    light[200, 300] = 8.0
    seen = Camera(spec, 0, 1).develop(light, shots.exposure()).pixels.astype(float)
    v, u = np.mgrid[:480, :640]
    assert (seen * (u - 300) ** 2).sum() / seen.sum() == pytest.approx(1.5**2, rel=0.03)
    assert (seen * (v - 200) ** 2).sum() / seen.sum() == pytest.approx(1.5**2, rel=0.03)


@pytest.mark.parametrize("bits", [8, 10, 16])
def test_a_full_well_is_white_and_nothing_is_beyond(shots: Any, bits: int) -> None:
    spec = shots.plain(bits=bits)
    image = Camera(spec, 0, 1).develop(wall(spec, 1e6), shots.exposure())
    assert image.pixels.dtype == (np.uint8 if bits == 8 else np.uint16)
    assert image.white == 2**bits - 1 and (image.pixels == image.white).all()


def test_levels_are_rounded_not_cut(shots: Any) -> None:
    """Read noise of half a level: the mean is right to a small part of one, though all are whole."""
    spec = shots.plain(read_noise_e=700.0, full_well_e=350_000.0)
    per_level = Camera(spec, 0, 1).electrons_per_level(0.0)
    radiance = 10.3 * per_level / (0.01 * electrons_per_radiance(spec, spec.lens).mean())
    mean, _ = pair_statistics(Camera(spec, 0, 1), shots, radiance)
    assert mean == pytest.approx(10.3, abs=0.02)


def test_smear_is_a_column_that_does_not_know_the_exposure(shots: Any) -> None:
    """As makers of chips define it: the light of a tenth of the height, for 1/60 s, times the share."""
    spec = shots.plain(bits=16, smear_share=1e-4)
    light = wall(spec, 0.0)
    light[100:148, 320] = 100.0
    lit = 100.0 * electrons_per_radiance(spec, spec.lens)[124, 320] / 60.0
    for duration_s in (1e-5, 1e-3):
        seen = Camera(spec, 0, 1).develop(light, shots.exposure(duration_s=duration_s)).pixels.astype(float)
        column = seen[200:, 320].mean() * spec.full_well_e / 65_535
        assert column == pytest.approx(1e-4 * lit, rel=0.02)
        assert not seen[:, 319].any()


def test_the_image_says_how_it_was_taken(shots: Any) -> None:
    image = Camera(shots.plain(), 3, 1).develop(wall(shots.plain(), GREY), shots.exposure(5, 0.004, 3.0, 3))
    assert (image.sensor, image.number, image.exposure_s, image.gain_db) == ("eye", 5, 0.004, 3.0)
    assert image.t == pytest.approx(5.002) and image.pixels.shape == (480, 640)


REAL = dict(name="eye", kind="camera", width=64, height=48, smear_share=1e-5, distortion=(-0.1, 0.0, 0.0, 0.0, 0.0))
CHILD = """
import hashlib, numpy as np
from proxops.core.imaging_table import CameraSensor
from proxops.sensors.camera.camera import Camera
from proxops.optics.exposure import Exposure
still = np.array([[[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]]])
light = np.linspace(0.0, 60.0, 64 * 48, dtype=np.float32).reshape(48, 64)
camera = Camera(CameraSensor.model_validate({real}), 2, 99)
image = camera.develop(light, Exposure(2, 5, 5.0, 0.003, 6.0, still, still[0], (), None))
print(hashlib.sha256(image.pixels.tobytes()).hexdigest())
"""


def test_the_bits_are_the_same_whatever_was_taken_before_and_in_another_process(shots: Any) -> None:
    spec = type(shots.plain()).model_validate(REAL)
    light = np.linspace(0.0, 60.0, 64 * 48, dtype=np.float32).reshape(48, 64)
    exposure = shots.exposure(5, 0.003, 6.0, 2)
    fresh, used = Camera(spec, 2, 99), Camera(spec, 2, 99)
    for number in (9, 0, 5):
        used.develop(np.ascontiguousarray(light[::-1]), replace(exposure, number=number))
    first, second = fresh.develop(light, exposure).pixels, used.develop(light, exposure).pixels
    assert np.array_equal(first, second)
    assert not np.array_equal(first, fresh.develop(light, replace(exposure, number=6)).pixels)
    assert not np.array_equal(first, Camera(spec, 2, 98).develop(light, exposure).pixels)
    child = subprocess.run([sys.executable, "-c", CHILD.format(real=REAL)], capture_output=True, text=True, check=True)
    assert child.stdout.strip() == hashlib.sha256(first.tobytes()).hexdigest()


def test_a_brighter_pixel_changes_nothing_elsewhere(shots: Any) -> None:
    spec = shots.plain(read_noise_e=13.0)
    light = wall(spec, FAINT)
    before = Camera(spec, 0, 1).develop(light, shots.exposure()).pixels
    light[10, 10] = 1e6
    after = Camera(spec, 0, 1).develop(light, shots.exposure()).pixels
    assert np.argwhere(before != after).tolist() == [[10, 10]]


@pytest.mark.parametrize("bad", [np.nan, np.inf, -1.0, 1e12])
def test_light_that_is_none_is_refused(shots: Any, bad: float) -> None:
    for blur in (0.0, 0.5):
        spec = shots.plain(blur_px=blur)
        light = wall(spec, GREY)
        light[3, 4] = bad
        with pytest.raises(BadInput, match="picture 0: radiance"):
            Camera(spec, 0, 1).develop(light, shots.exposure())


def test_another_size_kind_of_number_or_no_exposure_is_refused(shots: Any) -> None:
    camera, light = Camera(shots.plain(), 0, 1), wall(shots.plain(), GREY)
    for wrong in (light[1:], light.astype(np.float64)):
        with pytest.raises(BadInput, match="not this camera's radiance"):
            camera.develop(wrong, shots.exposure())
    for duration in (0.0, -1.0, float("nan"), float("inf")):
        with pytest.raises(BadInput, match="no exposure"):
            camera.develop(light, shots.exposure(duration_s=duration))


def test_the_brightest_that_can_be_is_white(shots: Any) -> None:
    """Counts of electrons that no whole number of the machine holds."""
    spec = shots.plain(f_number=0.7, pixel_um=50.0, focal_mm=500.0)
    assert (Camera(spec, 0, 1).develop(wall(spec, 1e9), shots.exposure(duration_s=1e4)).pixels == 255).all()


def test_a_gain_that_is_none_is_refused(shots: Any) -> None:
    with pytest.raises(BadInput, match="no gain"):
        Camera(shots.plain(), 0, 1).develop(wall(shots.plain(), GREY), shots.exposure(gain_db=float("nan")))


def test_the_lens_of_a_calibration_takes_the_place_of_the_tables(shots: Any) -> None:
    spec = shots.plain()
    lens = replace(spec.lens, fx=600.0, fy=610.0)
    camera = Camera(spec, 0, 1, lens)
    seen = camera.develop(wall(spec, GREY), shots.exposure()).pixels.astype(float)
    assert camera.lens == lens and seen[:20, :20].mean() < 0.8 * seen[230:250, 310:330].mean()


def test_a_lens_that_does_not_fit_is_no_camera(shots: Any) -> None:
    with pytest.raises(BadInput, match="sensor eye: the principal point"):
        Camera(shots.plain(centre_px=(700.0, 200.0)), 0, 1)

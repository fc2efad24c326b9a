"""Earth, Sun and stars behind everything."""

import math

import numpy as np
import pytest
from pictures import LENS, WHOLE, renderer, square, still

from proxops.optics.exposure import Sky
from proxops.optics.render.stars import MAGNITUDE_0_W_M2, catalogue
from proxops.optics.scene.light import SUN_BAND_W_M2

RADIUS, DISTANCE = 6371e3, 42164e3  # from geostationary height: the whole disc, 100 px wide


def sky(to_sun: tuple[float, float, float], **other: float) -> Sky:
    return Sky(to_sun, (0.0, 0.0, 1.0), math.asin(RADIUS / DISTANCE), DISTANCE, **other)


def picture(behind: Sky) -> np.ndarray:
    return renderer(square(0.1)).radiance(still((0.0, 0.0, 3.0), sky=behind))


def test_the_earth_is_as_large_and_as_bright_as_it_should() -> None:
    seen = picture(sky((0.0, 0.0, -1.0)))
    bright = np.hypot(*(np.indices(seen.shape) - np.array([LENS.cy, LENS.cx])[:, None, None])) / LENS.fx
    rim = math.tan(math.asin(RADIUS / DISTANCE))
    assert seen[bright < 0.98 * rim].min() > 5.0
    assert seen[bright > 1.03 * rim].max() < 1.0  # stars only
    disc = (bright < rim) & (bright > 20.0 / LENS.fx)  # without the square before it
    albedo = np.mean(seen[disc]) * math.pi / SUN_BAND_W_M2  # of Lambert's sphere: two thirds of that of its ground
    assert 0.15 < albedo < 0.35


def test_the_night_side_is_dark_and_bodies_stand_before_the_sky() -> None:
    seen = picture(sky((1.0, 0.0, 0.0)))
    row = seen[119]
    assert row[190] > 20.0 and row[130] < 1.0
    assert row[159] == pytest.approx(WHOLE, rel=1e-4)
    assert not picture(sky((0.0, 0.0, 1.0), sunlit=0.0))[119, 175:230].max() > 1.0


def test_the_suns_disc_carries_its_irradiance() -> None:
    behind = Sky((0.15, 0.05, 1.0), (0.0, 0.0, -1.0), 0.5, 7e6)
    seen = picture(behind)
    x, y = np.meshgrid((np.arange(320) - LENS.cx) / LENS.fx, (np.arange(240) - LENS.cy) / LENS.fy)
    solid = 1.0 / (LENS.fx * LENS.fy * (1.0 + x * x + y * y) ** 1.5)
    assert np.sum(seen * solid * (seen > 1e4)) == pytest.approx(SUN_BAND_W_M2, rel=0.05)


def test_stars_keep_their_light_and_are_as_many_as_there_are() -> None:
    stars = catalogue()
    magnitude = -2.5 * np.log10(stars[:, 3] / MAGNITUDE_0_W_M2)
    assert 4000 < np.sum(magnitude < 6.0) < 5500 and 10 < np.sum(magnitude < 1.0) < 25
    behind = Sky((0.0, 0.0, -1.0), (0.0, 0.0, -1.0), 0.5, 7e6)
    seen = renderer(square(0.1)).radiance(still((0.0, 0.0, -3.0), sky=behind))
    ahead = stars[stars[:, 2] > 0.0]
    u, v = LENS.fx * ahead[:, 0] / ahead[:, 2] + LENS.cx, LENS.fy * ahead[:, 1] / ahead[:, 2] + LENS.cy
    within = ahead[(u > 1) & (u < 318) & (v > 1) & (v < 238)]
    x, y = np.meshgrid((np.arange(320) - LENS.cx) / LENS.fx, (np.arange(240) - LENS.cy) / LENS.fy)
    found = np.sum(seen / (LENS.fx * LENS.fy * (1.0 + x * x + y * y) ** 1.5))
    assert found == pytest.approx(np.sum(within[:, 3]), rel=0.03)  # but for those at the rim
    assert np.count_nonzero(seen) >= 3 * len(within) > 30

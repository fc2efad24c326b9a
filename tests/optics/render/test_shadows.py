"""A square over a plate, and its shadow, against geometry."""

import math

import numpy as np
import pytest
from pictures import LENS, renderer, square, still

from proxops.optics.scene.light import DistantLight, Light, NearLight

SIDE, GAP, AWAY = 0.3, 0.5, 4.0
SCALE = LENS.fx / (AWAY + GAP)  # pixels a metre on the plate


def shade(light: Light, away: float = AWAY, turned: float = 0.0) -> np.ndarray:
    """Share of the light that is missing on the plate, without what the square itself hides. The square is far to the left."""
    plate = (0.0, 0.0, away + GAP)
    over = (-0.6, 0.0, away, math.cos(0.5 * turned), 0.0, 0.0, math.sin(0.5 * turned))
    drawn = renderer(square(SIDE), square(10.0)).radiance(still(over, plate, lights=(light,)))
    empty = renderer(square(SIDE), square(10.0)).radiance(still((-0.6, 0.0, -50.0), plate, lights=(light,)))
    u = np.arange(LENS.width)
    beyond = u > LENS.cx + LENS.fx * (-0.6 + 0.75 * SIDE) / away
    return np.where(beyond & (empty > 0.0), 1.0 - drawn / np.maximum(empty, 1e-9), 0.0)


def sun(radius: float) -> DistantLight:
    """From the left: shadows fall to the right by as much as they are deep, and a little down."""
    return DistantLight((-1.0, -0.1, -1.0), 900.0, radius)


def test_the_shadow_lies_where_the_sun_throws_it() -> None:
    dark = shade(sun(0.0), turned=0.3)
    v, u = np.indices(dark.shape)
    middle = np.array([np.sum(u * dark), np.sum(v * dark)]) / np.sum(dark)
    wanted = np.array([LENS.cx, LENS.cy]) + SCALE * np.array([-0.6 + GAP, 0.1 * GAP])
    np.testing.assert_allclose(middle, wanted, atol=0.05)
    assert np.sum(dark) == pytest.approx((SIDE * SCALE) ** 2, rel=0.01)
    assert dark.max() == 1.0 and dark.min() == 0.0


@pytest.mark.parametrize("radius", [0.02, 0.06])
def test_the_penumbra_is_as_wide_as_the_disc_of_the_sun(radius: float) -> None:
    """Across the upper edge: 80 % of a disc's area lie in 0.687 of its width."""
    dark = shade(sun(radius))
    assert np.sum(dark) == pytest.approx((SIDE * SCALE) ** 2, rel=0.02)  # soft edges take nothing
    profile = dark[60:135, 146:152].mean(axis=1)
    width = SCALE * GAP * math.sqrt(2.01) * 2.0 * radius * math.sqrt(2.01 / 2.0) * math.cos(math.atan(0.07))
    assert _span(profile) == pytest.approx(0.687 * width, rel=0.15, abs=0.7)


def test_faint_penumbrae_have_grain_and_the_same_light() -> None:
    """One ray a pixel instead of nine: as much shadow as before, and nothing changes where there is no penumbra."""
    light, plate = sun(0.06), (0.0, 0.0, AWAY + GAP)
    seen = still((-0.6, 0.0, AWAY), plate, lights=(light,))
    fine = renderer(square(SIDE), square(10.0)).radiance(seen)
    rough = renderer(square(SIDE), square(10.0), faint=1e6).radiance(seen)
    assert rough.sum() == pytest.approx(fine.sum(), rel=1e-3)
    penumbra = (fine > 0.02 * fine.max()) & (fine < 0.98 * fine.max())
    assert np.abs(rough - fine)[penumbra].max() > 0.1 * fine.max() and penumbra.mean() < 0.2
    np.testing.assert_array_equal(rough[:, :40], fine[:, :40])


def _span(profile: np.ndarray) -> float:
    """Pixels from where 10 % to where 90 % is dark; the first edge."""
    at = [int(np.argmax(profile > level)) for level in (0.1, 0.9)]
    low, high = (
        k - (profile[k] - level) / (profile[k] - profile[k - 1]) for k, level in zip(at, (0.1, 0.9), strict=True)
    )
    return float(high - low)


def test_a_lamp_with_a_disc_throws_a_penumbra_by_similar_triangles() -> None:
    lamp = NearLight((-0.6 - 2.0 * 0.5 / GAP, 0.0, AWAY - 2.0), (1.0, 0.0, 1.0), 1000.0, 2.0, 0.2)
    dark = shade(lamp)
    profile = dark[60:135, 146:152].mean(axis=1)
    width = SCALE * 2.0 * 0.2 * GAP / 2.0
    assert _span(profile) == pytest.approx(0.687 * width, rel=0.2, abs=0.7)


def test_far_away_the_shadow_is_not_lost() -> None:
    """At 40 m the square is 4 pixels wide."""
    dark = shade(sun(0.00465), 40.0, 0.3)
    assert np.sum(dark[:, 156:]) == pytest.approx((SIDE * LENS.fx / 40.5) ** 2, rel=0.05)

"""Shadow and pressure: closed forms of the cones, a counted disc, an eclipse's length, a pressure worked by hand."""

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import brentq

from proxops.core.earth import AU_M, EQUATOR_M, MU_M3_S2, SUN_RADIUS_M
from proxops.space.sunlight import pressure, sunlight

Array = NDArray[np.float64]
SUN = np.array([0.6, 0.7, 0.0])
SUN = AU_M * SUN / np.linalg.norm(SUN)


def behind(r: float, angle: float) -> Array:
    """At r from the Earth's centre, so far (rad) from the point opposite the Sun."""
    axis = -SUN / AU_M
    return r * (math.cos(angle) * axis + math.sin(angle) * np.array([0.0, 0.0, 1.0]))


def cones(r: float) -> tuple[float, float]:
    """Where umbra ends and penumbra ends, by the tangents common to both spheres: asin(R / r) - or + the cone's half angle."""
    limb = math.asin(EQUATOR_M / r)
    return (
        limb - math.asin((SUN_RADIUS_M - EQUATOR_M) / AU_M),
        limb + math.asin((SUN_RADIUS_M + EQUATOR_M) / AU_M),
    )


@pytest.mark.parametrize("r", [6.6e6, 7.0e6, 2.6e7, 4.2164e7])
def test_the_edges_of_both_cones(r: float) -> None:
    """To 1e-9 rad, 7 mm on a low orbit. At the very edges the share grows as the 3/2 power, so it is not compared with 0 and 1 by
    a tolerance but by being exactly so on the one side and not on the other."""
    umbra, penumbra = cones(r)
    assert sunlight(behind(r, umbra - 1e-9), SUN) == 0.0
    assert 0.0 < sunlight(behind(r, umbra + 1e-7), SUN) < 1e-3
    assert sunlight(behind(r, penumbra + 1e-9), SUN) == 1.0
    assert 1.0 - 1e-3 < sunlight(behind(r, penumbra - 1e-7), SUN) < 1.0


def test_an_eclipse_lasts_as_long_as_geometry_says() -> None:
    """Circular orbit at 400 km whose plane holds the Sun. Half the light is lost very near the middle of the penumbra; from
    there to there it is dark for (asin(R / r) + (p - u) / 2) / pi of a period, 36 min. Found by looking along the orbit."""
    r = EQUATOR_M + 4e5
    rate = math.sqrt(MU_M3_S2 / r**3)
    umbra, penumbra = cones(r)
    found = brentq(lambda angle: sunlight(behind(r, angle), SUN) - 0.5, umbra, penumbra, xtol=1e-12)
    duration = 2.0 * found / rate
    assert duration == pytest.approx((umbra + penumbra) / rate, abs=0.02)  # curved limb: 2e-5 rad
    assert 35.0 < duration / 60.0 < 37.0
    light = np.array([sunlight(behind(r, angle), SUN) for angle in np.arange(0.0, math.pi, rate)])  # each second
    assert abs(2 * np.count_nonzero(light == 0.0) - 2.0 * umbra / rate) <= 2.0
    assert abs(np.count_nonzero((light > 0.0) & (light < 1.0)) - (penumbra - umbra) / rate) <= 1.0
    assert np.all(np.diff(light) >= 0.0)


def counted(p: Array, count: int = 20_000) -> float:
    """Share of points, spread evenly over the Sun's disc as seen from p, outside the Earth's: on the sphere of the sky."""
    way = SUN - p
    d = np.linalg.norm(way)
    axis = way / d
    side = np.cross(axis, [0.0, 0.0, 1.0])
    side /= np.linalg.norm(side)
    k = np.arange(count) + 0.5
    radius, turn = math.asin(SUN_RADIUS_M / d) * np.sqrt(k / count), k * math.pi * (3.0 - math.sqrt(5.0))
    across = np.outer(np.cos(turn), side) + np.outer(np.sin(turn), np.cross(axis, side))
    points = np.cos(radius)[:, None] * axis + np.sin(radius)[:, None] * across
    r = np.linalg.norm(p)
    return float(np.mean(points @ (-p / r) < math.cos(math.asin(EQUATOR_M / r))))


@pytest.mark.parametrize("r", [6.7e6, 7.4e6, 4.2164e7])
@pytest.mark.parametrize("part", [0.1, 0.3, 0.5, 0.7, 0.9])
def test_the_penumbra_as_counted_on_the_sky(r: float, part: float) -> None:
    """Within 0.001: plane discs bend the Earth's limb a little differently (0.0003); counting is good to 0.0005."""
    umbra, penumbra = cones(r)
    p = behind(r, umbra + part * (penumbra - umbra))
    assert sunlight(p, SUN) == pytest.approx(counted(p), abs=1e-3)


def test_beyond_the_tip_of_the_umbra_the_sun_is_a_ring() -> None:
    """At 2e9 m the Earth's disc (3.19e-3 rad) stands within the Sun's (4.589e-3): 1 - (3.18907 / 4.58917)^2 = 0.51709."""
    assert sunlight(behind(2e9, 0.0), SUN) == pytest.approx(0.51709, abs=1e-5)
    assert sunlight(behind(1e9, 0.0), SUN) == 0.0


def test_light_by_day_and_no_number() -> None:
    assert sunlight(-behind(7e6, 0.3), SUN) == 1.0
    assert sunlight(behind(7e6, math.pi / 2), SUN) == 1.0
    assert sunlight(behind(7e6, 0.0), SUN) == 0.0
    assert math.isnan(sunlight(np.array([math.nan, 0.0, 0.0]), SUN))


def test_pressure_by_hand() -> None:
    """1361 / 299792458 = 4.539807e-6 N/m^2 at 1 AU; on 0.026 m^2/kg (2 m^2 at Cr 1.3, 100 kg) 1.1803499e-7 m/s^2 away from it;
    half the disc: half of it. At 0.9 AU 1 / 0.81 times as much."""
    out, sun = np.full(3, np.nan), np.array([AU_M, 0.0, 0.0])
    pressure(np.zeros(3), sun, 1.0, 0.026, out)
    np.testing.assert_allclose(out, [-1.1803499e-7, 0.0, 0.0], rtol=1e-7)
    pressure(np.zeros(3), sun, 0.5, 0.026, out)
    np.testing.assert_allclose(out, [-0.5901749e-7, 0.0, 0.0], rtol=1e-7)
    pressure(np.array([0.1 * AU_M, 0.0, 0.0]), sun, 1.0, 0.026, out)
    np.testing.assert_allclose(out, [-1.4572221e-7, 0.0, 0.0], rtol=1e-7)

"""Density: published values, the bulge where it belongs, no jumps, and what lies beyond the tables."""

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from proxops.core.earth import AU_M, EQUATOR_M
from proxops.core.orbit_table import Environment
from proxops.space.atmosphere import DAY_AND_NIGHT, EXPONENTIAL, HARRIS_PRIESTER, KINDS, NONE, density

Array = NDArray[np.float64]
SUN = np.array([AU_M, 0.0, 0.0])


def near(density: float, share: float) -> object:
    """pytest would add 1e-12 to the tolerance, which is as much as there is air."""
    return pytest.approx(density, rel=share, abs=0.0)


def above(altitude_km: float, longitude_deg: float = 0.0) -> Array:
    """Over the equator, so far east of the Sun."""
    r, angle = EQUATOR_M + altitude_km * 1e3, math.radians(longitude_deg)
    return np.array([r * math.cos(angle), r * math.sin(angle), 0.0])


# Vallado, table 8-4: base altitude km, density kg/m^3, scale height km.
VALLADO = [
    (0, 1.225, 7.249), (25, 3.899e-2, 6.349), (80, 1.905e-5, 5.799), (110, 9.661e-8, 7.263), (150, 2.070e-9, 22.523),
    (200, 2.789e-10, 37.105), (300, 2.418e-11, 53.628), (350, 9.518e-12, 53.298), (400, 3.725e-12, 58.515),
    (500, 6.967e-13, 63.822), (700, 3.614e-14, 88.667), (900, 5.245e-15, 181.05), (1000, 3.019e-15, 268.0),
]  # fmt: skip


@pytest.mark.parametrize(("base_km", "published", "scale_km"), VALLADO)
def test_exponential_as_published(base_km: float, published: float, scale_km: float) -> None:
    """At the base to rounding (1e-9: altitudes lie on either side of a row by rounding), 4 km above it within 0.1 %, as far as
    the printed scale heights carry from one printed density to the next."""
    assert density(EXPONENTIAL, above(base_km), SUN) == near(published, 1e-9)
    higher = density(EXPONENTIAL, above(base_km + 4.0), SUN)
    assert higher == near(published * math.exp(-4.0 / scale_km), 1e-3)


# Montenbruck & Gill, table 3.5: km, least and greatest density in kg/m^3.
HARRIS = [
    (100, 4.974e-7, 4.974e-7), (150, 2.122e-9, 2.215e-9), (200, 2.557e-10, 3.162e-10), (300, 1.708e-11, 3.526e-11),
    (400, 2.249e-12, 7.492e-12), (500, 3.916e-13, 2.042e-12), (640, 4.519e-14, 4.121e-13), (800, 7.069e-15, 8.059e-14),
    (1000, 1.150e-15, 1.810e-14),
]  # fmt: skip


@pytest.mark.parametrize(("altitude_km", "least", "greatest"), HARRIS)
def test_harris_priester_as_published(altitude_km: float, least: float, greatest: float) -> None:
    """The bulge is 30 degrees east of the Sun (14 h), the least density opposite. Halfway: cos^4 of 45 degrees = 1/4."""
    assert density(HARRIS_PRIESTER, above(altitude_km, 30.0), SUN) == near(greatest, 1e-9)
    assert density(HARRIS_PRIESTER, above(altitude_km, 210.0), SUN) == near(least, 1e-9)
    assert density(HARRIS_PRIESTER, above(altitude_km, 120.0), SUN) == near(0.75 * least + 0.25 * greatest, 1e-9)


def test_between_two_rows_logarithms_are_halved() -> None:
    assert density(HARRIS_PRIESTER, above(410.0, 210.0), SUN) == near(math.sqrt(2.249e-12 * 1.558e-12), 1e-9)
    assert density(HARRIS_PRIESTER, above(410.0, 30.0), SUN) == near(math.sqrt(7.492e-12 * 5.684e-12), 1e-9)


@pytest.mark.parametrize("column", [1, 2])
def test_harris_priester_has_no_slip_of_the_pen(column: int) -> None:
    """From 200 to 800 km the scale height grows from row to row by 1 to 11 %. A row that is 2 % off would move it by 5 % or more
    one way and then the other."""
    rows = DAY_AND_NIGHT[(DAY_AND_NIGHT[:, 0] >= 200) & (DAY_AND_NIGHT[:, 0] <= 800)]
    scale_km = -np.diff(rows[:, 0]) / np.diff(np.log(rows[:, column]))
    growth = scale_km[1:] / scale_km[:-1]
    assert growth.min() > 1.01
    assert growth.max() < 1.11


def test_the_bulge_follows_a_sun_off_the_equator() -> None:
    """The lag is in right ascension: the apex keeps the Sun's declination."""
    declination = math.radians(23.0)
    sun = AU_M * np.array([0.0, math.cos(declination), math.sin(declination)])
    r, places = EQUATOR_M + 5e5, []
    for angle_deg in range(0, 360, 5):
        angle = math.radians(angle_deg)
        across = np.array([math.cos(angle), math.sin(angle), 0.0]) * math.cos(declination)
        places.append(density(HARRIS_PRIESTER, r * (across + np.array([0, 0, math.sin(declination)])), sun))
    assert 5 * int(np.argmax(places)) == 120


@pytest.mark.parametrize("kind", [EXPONENTIAL, HARRIS_PRIESTER])
def test_density_falls_without_jumps(kind: int) -> None:
    """Every 100 m from the ground to 1500 km: less each time, by at most what the steepest scale height (5.3 km) asks for."""
    found = np.array([density(kind, above(h, 77.0), SUN) for h in np.arange(0.0, 1500.0, 0.1)])
    fall = -np.diff(np.log(found))
    assert fall.min() > 0.0
    assert fall.max() < 0.1 / 5.3


def test_above_the_table_the_last_scale_height_goes_on() -> None:
    assert density(EXPONENTIAL, above(1268.0), SUN) == near(3.019e-15 / math.e, 1e-9)
    # 40 km more fall as the 40 km before did
    assert density(HARRIS_PRIESTER, above(1040.0, 210.0), SUN) == near(1.150e-15**2 / 1.560e-15, 1e-9)


def test_no_air_and_no_number() -> None:
    assert density(NONE, above(400.0), SUN) == 0.0
    for kind in (EXPONENTIAL, HARRIS_PRIESTER):
        assert math.isnan(density(kind, np.array([math.nan, 0.0, 7e6]), SUN))
        assert 0.1 < density(kind, np.array([0.0, 0.0, 1.0]), SUN) < 10.0  # under the ground as on it


@pytest.mark.parametrize("word", ["none", "exponential", "harris_priester"])
def test_every_word_of_a_scenario_has_its_number(word: str) -> None:
    assert Environment.model_validate({"atmosphere": word}).atmosphere in KINDS
    assert len(KINDS) == 3

"""Time scale and plausibility of Sun and Moon; their accuracy: tests/against/test_erfa.py."""

import math

import numpy as np
import pytest

from proxops.core.earth import AU_M
from proxops.core.errors import BadInput
from proxops.space.sky import moon_position, sun_position, tt_from_utc


def test_j2000_in_utc() -> None:
    """TT was 32.184 + 32 s ahead of UTC at the turn of the millennium."""
    assert tt_from_utc("2000-01-01T11:58:55.816Z") == pytest.approx(0.0, abs=1e-9)
    assert tt_from_utc("2000-01-01T12:58:55.816+01:00") == pytest.approx(0.0, abs=1e-9)


def test_a_leap_second_is_passed() -> None:
    """The last one so far: 2016-12-31T23:59:60Z. 1e-6: doubles near 5e8 s end at 6e-8."""
    passed = tt_from_utc("2017-01-01T00:00:00Z") - tt_from_utc("2016-12-31T23:59:59Z")
    assert passed == pytest.approx(2.0, abs=1e-6)
    passed = tt_from_utc("2018-01-01T00:00:00Z") - tt_from_utc("2017-12-31T23:59:59Z")
    assert passed == pytest.approx(1.0, abs=1e-6)


def test_no_date() -> None:
    with pytest.raises(BadInput):
        tt_from_utc("yesterday")


def test_seasons() -> None:
    """The equinox of March 2026 (20th, 14:46 UTC) and solstice of June 2026 (21st, 08:25 UTC), to some minutes: the Sun moves
    0.01 degrees in 15. Almanacs give them for the apparent Sun: aberration and nutation, 0.01 degrees together, are left out."""
    sun = np.full(3, np.nan)
    sun_position(tt_from_utc("2026-03-20T14:46:00Z"), sun)
    assert abs(math.degrees(math.atan2(sun[1], sun[0]))) < 0.02
    assert abs(math.degrees(math.asin(sun[2] / np.linalg.norm(sun)))) < 0.01
    sun_position(tt_from_utc("2026-06-21T08:25:00Z"), sun)
    assert math.degrees(math.atan2(sun[1], sun[0])) == pytest.approx(90.0, abs=0.02)
    assert math.degrees(math.asin(sun[2] / np.linalg.norm(sun))) == pytest.approx(23.4358, abs=0.005)
    assert np.linalg.norm(sun) == pytest.approx(1.0163 * AU_M, rel=1e-4)


def test_an_eclipse_of_the_sun() -> None:
    """12 August 2026, greatest at 17:45:53 UTC; gamma 0.898: the shadow's axis passes the Earth's centre at 0.898 of its radius,
    which is 5,727 km. The Moon's 0.06 degrees are 400 km at its distance."""
    sun, moon = np.full(3, np.nan), np.full(3, np.nan)
    t = tt_from_utc("2026-08-12T17:45:53Z")
    sun_position(t, sun)
    moon_position(t, moon)
    axis = (moon - sun) / np.linalg.norm(moon - sun)
    missed = np.linalg.norm(np.cross(moon, axis))
    assert missed == pytest.approx(5.727e6, abs=4e5)

"""Two-line sets that must be refused, each with what is wrong, its value and what is allowed."""

from datetime import UTC, datetime

import numpy as np
import pytest

from proxops.core.errors import BadInput
from proxops.space.tle import checksum, epoch_of, read_tle, tle_states

LINE1 = "1 25544U 98067A   08264.51782528 -.00002182  00000-0 -11606-4 0  2927"
LINE2 = "2 25544  51.6416 247.4627 0006703 130.5360 325.0288 15.72125391563537"


def fixed(line: str) -> str:
    """With the checksum that its digits ask for."""
    return line[:68] + str(checksum(line))


def changed(line: str, first: int, text: str) -> str:
    """With ``text`` from a column on, counted from 1; the checksum put right, so that another check has to see it."""
    return fixed(line[: first - 1] + text + line[first - 1 + len(text) :])


def test_a_good_set_is_read() -> None:
    tle = read_tle(LINE1, LINE2 + "  ", None, 1.0)
    assert tle.epoch == datetime(2008, 9, 20, 12, 25, 40, 104192, tzinfo=UTC)
    assert tle.age_s == 0.0
    p, v = tle_states(tle, np.array([0.0]))
    assert 6.7e6 < np.linalg.norm(p) < 6.75e6
    assert 7600.0 < np.linalg.norm(v) < 7800.0


@pytest.mark.parametrize(("year", "full"), [("57", 1957), ("99", 1999), ("00", 2000), ("56", 2056)])
def test_years_turn_over_in_57(year: str, full: int) -> None:
    assert epoch_of(f"1 25544U 98067A   {year}001.00000000") == datetime(full, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("line1", "line2", "said"),
    [
        (LINE1[:-1], LINE2, "line1: wrong length; got 68 characters; allowed: 69"),
        (LINE1, LINE2 + "0", "line2: wrong length; got 70"),
        (LINE1, "", "line2: wrong length; got 0"),
        (LINE1.replace("U", "Ü"), LINE2, "line1: wrong length"),
        (LINE2, LINE1, "line1: does not begin with its number; got '2 '; allowed: '1 '"),
        (LINE1[:-1] + "8", LINE2, "line1: wrong checksum; got '8'; allowed: 7"),
        (LINE1, LINE2.replace("51.6416", "51.6417"), "line2: wrong checksum; got '7'; allowed: 8"),
        (LINE1, changed(LINE2, 3, "25545"), "different objects; got 25544 and 25545"),
        (LINE1, changed(LINE2, 9, "181.0000"), "line2, inclination: out of range; got 181.0; allowed: 0 … 180"),
        (LINE1, changed(LINE2, 18, "360.0001"), "right ascension of the node: out of range"),
        (LINE1, changed(LINE2, 44, "ABC.DEFG"), "mean anomaly: not a number of this field; got 'ABC.DEFG'"),
        (LINE1, changed(LINE2, 27, "12 4567"), "eccentricity"),
        (LINE1, changed(LINE2, 53, "00.00000000"), "mean motion: out of range"),
        (LINE1, changed(LINE2, 53, "18.50000000"), "mean motion: out of range"),
        (changed(LINE1, 21, "400.00000000"), LINE2, "epoch day: out of range"),
        (changed(LINE1, 19, "X8"), LINE2, "epoch year: not a number"),
        (changed(LINE1, 54, " 1x606-4"), LINE2, "drag term"),
    ],
)
def test_bad_sets_are_refused_with_what_value_and_bound(line1: str, line2: str, said: str) -> None:
    with pytest.raises(BadInput) as caught:
        read_tle(line1, line2, None, 14.0)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("start", "days"), [("2008-10-05T00:00:00Z", "14.48"), ("2008-09-01T00:00:00+00:00", "-19.52")]
)
def test_sets_too_old_or_too_new_are_refused(start: str, days: str) -> None:
    with pytest.raises(BadInput) as caught:
        read_tle(LINE1, LINE2, start, 14.0)
    assert f"got {days} days from 2008-09-20T12:25:40Z; allowed: 14 days (max_age_days)" in str(caught.value)
    assert read_tle(LINE1, LINE2, start, 20.0).age_s == pytest.approx(float(days) * 86400.0, abs=500.0)


def test_an_object_that_has_come_down_is_refused() -> None:
    dragged = changed(changed(LINE1, 54, " 99999-1"), 34, " .09999999")
    tle = read_tle(dragged, LINE2, None, 14.0)
    with pytest.raises(BadInput, match=r"decayed by then; got SGP4 error 6 .* at t = \d+ s"):
        tle_states(tle, np.arange(0.0, 30 * 86400.0, 600.0))

"""Our reading of two-line sets against the verification set of SGP4 (Vallado et al., AIAA 2006-6753), which the sgp4 package
brings: SGP4-VER.TLE and the official output tcppver.out."""

import math
import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import erfa
import numpy as np
import pytest
import sgp4

from proxops.core.errors import BadInput
from proxops.space.sky import tt_from_utc
from proxops.space.tle import checksum, read_tle, tle_states

FOLDER = Path(sgp4.__file__).parent
BAD_CHECKSUM = {"33333", "33334", "33335"}  # on purpose: they only try error codes
YEARS = 1e4  # days; some sets are followed for years


def verification() -> Iterator[tuple[str, str, str]]:
    """(catalogue number, line 1, line 2)."""
    lines = [line for line in (FOLDER / "SGP4-VER.TLE").read_text().splitlines() if line.startswith(("1 ", "2 "))]
    for line1, line2 in zip(lines[::2], lines[1::2], strict=True):
        yield line1[2:7], line1[:69], line2[:69]


def official() -> dict[str, np.ndarray]:
    """Rows (minutes, km, km/s) of each set; 20413 stands twice in the file, and both parts count."""
    out: dict[str, list[list[float]]] = {}
    for line in (FOLDER / "tcppver.out").read_text().splitlines():
        words = line.split()
        if len(words) == 2 and words[1] == "xx":
            rows = out.setdefault(f"{int(words[0]):05d}", [])
        elif len(words) >= 7:
            rows.append([float(word) for word in words[:7]])
    return {number: np.array(rows) for number, rows in out.items()}


OFFICIAL = official()
SETS = list(verification())


@pytest.mark.parametrize(
    ("number", "line1", "line2"), [s for s in SETS if s[0] not in BAD_CHECKSUM], ids=lambda s: s[:5]
)
def test_states_are_the_official_ones_to_the_printed_digits(number: str, line1: str, line2: str) -> None:
    rows = OFFICIAL[number]
    tle = read_tle(line1, line2, None, YEARS)
    p, v = tle_states(tle, 60.0 * rows[:, 0])
    # Printed: 1e-8 km and 1e-9 km/s, so half of that and a rounding. 20413 is followed over 3.5 years: there the rounding of
    # the time (1e-10 of a minute and more) shows as 1.2e-7 km.
    np.testing.assert_allclose(1e-3 * p, rows[:, 1:4], rtol=0.0, atol=2e-7 if number == "20413" else 5.5e-9)
    np.testing.assert_allclose(1e-3 * v, rows[:, 4:7], rtol=0.0, atol=5.5e-10)


def test_the_whole_set_is_covered() -> None:
    assert len(SETS) >= 32
    assert sum(len(rows) for rows in OFFICIAL.values()) > 600
    assert {number for number, _, _ in SETS} == set(OFFICIAL)


@pytest.mark.parametrize("number", sorted(BAD_CHECKSUM))
def test_sets_with_wrong_checksums_are_refused(number: str) -> None:
    _, line1, line2 = next(s for s in SETS if s[0] == number)
    with pytest.raises(BadInput, match="wrong checksum"):
        read_tle(line1, line2, None, YEARS)


def test_error_codes_of_sgp4_become_ours() -> None:
    """The same three sets with their checksums put right, and those that decay on the way."""
    seen: set[str] = set()
    for number, line1, line2 in SETS:
        line1, line2 = (line[:68] + str(checksum(line)) for line in (line1, line2))
        try:
            tle = read_tle(line1, line2, None, YEARS)
            tle_states(tle, np.arange(0.0, 86400.0 * 3, 60.0))
        except BadInput as bad:
            seen |= set(re.findall(r"SGP4 error (\d)", str(bad.value)))
            assert "orbit" in bad.what, number
            assert bad.bound, number
    assert {"1", "4", "6"} <= seen


def test_a_later_start_is_the_same_orbit() -> None:
    _, line1, line2 = SETS[0]
    early = read_tle(line1, line2, None, 1.0)
    late = read_tle(line1, line2, (early.epoch + timedelta(hours=6)).isoformat(), 1.0)
    assert late.age_s == 21600.0
    p, _ = tle_states(late, np.array([0.0, 100.0]))
    q, _ = tle_states(early, np.array([21600.0, 21700.0]))
    np.testing.assert_allclose(p, q, rtol=0.0, atol=1e-5)  # the tolerance of SGP4's own Kepler solver, 1e-12 rad


@pytest.mark.parametrize(
    "text",
    ["1972-01-01T00:00:00Z", "1998-12-31T23:59:59Z", "1999-01-01T00:00:00Z", "2016-12-31T23:59:59Z",
     "2017-01-01T00:00:00Z", "2026-11-16T12:00:00Z"],
)  # fmt: skip
def test_terrestrial_time_is_erfas(text: str) -> None:
    date, clock = text[:-1].split("T")
    year, month, day = map(int, date.split("-"))
    hour, minute, second = map(int, clock.split(":"))
    d1, d2 = erfa.taitt(*erfa.utctai(*erfa.dtf2d("UTC", year, month, day, hour, minute, float(second))))
    theirs = math.fsum([(d1 - 2451545.0) * 86400.0, d2 * 86400.0])
    assert tt_from_utc(text) == pytest.approx(theirs, abs=2e-5)  # ERFA's two-part dates, in seconds

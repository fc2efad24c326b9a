"""Two-line element sets and SGP4: read strictly, propagated by the ``sgp4`` package (Vallado et al., AIAA 2006-6753).

SGP4's frame is TEME, the true equator and a mean equinox of date. We take it as our ECI, which is the equator of date too:
what is neglected is the equation of the equinoxes, at most 1.2 seconds of time in the direction of x, and the slow turn of
the equator (50" a year), nothing of which bears on relative motion. SGP4's time runs in UTC; a leap second between the set's
epoch and the mission would be missed (there has been none since 2016).
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import numpy as np

from proxops.core.errors import BadInput
from proxops.maths.rotation import Array

LENGTH: Final = 69
DECAYED: Final = 6  # SGP4's error code
NUMBER: Final = r"[ +-]?\d*\.?\d+"
# name, first and last column counted from 1 as every description of the format does, pattern, lowest, highest
FIELDS: Final = (
    (1, "epoch year", 19, 20, r"\d\d", 0, 99),
    (1, "epoch day", 21, 32, r"[ \d]{2}\d\.\d+", 1, 366.99999999),
    (1, "first derivative of mean motion", 34, 43, NUMBER, -10, 10),
    (1, "second derivative of mean motion", 45, 52, r"[ +-]?[ \d]\d{4}[+-]\d", -math.inf, math.inf),
    (1, "drag term (B*)", 54, 61, r"[ +-]?[ \d]\d{4}[+-]\d", -math.inf, math.inf),
    (2, "inclination", 9, 16, NUMBER, 0, 180),
    (2, "right ascension of the node", 18, 25, NUMBER, 0, 360),
    (2, "eccentricity (digits after the point)", 27, 33, r"\d{7}", 0, 9_999_999),
    (2, "argument of perigee", 35, 42, NUMBER, 0, 360),
    (2, "mean anomaly", 44, 51, NUMBER, 0, 360),
    (2, "mean motion", 53, 63, NUMBER, 1e-8, 17.5),
)


@dataclass(frozen=True)
class TwoLine:
    """An element set that passed all checks. ``start``: t = 0 of the mission."""

    satellite: Any  # sgp4.api.Satrec: the package has no types
    epoch: datetime
    start: datetime

    @property
    def age_s(self) -> float:
        """From the set's epoch to the mission's start; negative if the mission begins before."""
        return (self.start - self.epoch).total_seconds()


def read_tle(line1: str, line2: str, start_utc: str | None, max_age_days: float) -> TwoLine:
    """Check and read a set; ``start_utc`` (ISO) is when the mission begins, at the set's own epoch unless given."""
    lines = line1.rstrip(), line2.rstrip()
    for number, line in enumerate(lines, 1):
        _check_line(number, line)
    if line1[2:7] != line2[2:7]:
        raise BadInput("orbit: the two lines are of different objects", value=f"{line1[2:7]} and {line2[2:7]}")
    for number, name, first, last, pattern, low, high in FIELDS:
        _check_field(f"orbit.line{number}, {name}", lines[number - 1][first - 1 : last], pattern, low, high)
    from sgp4.api import Satrec

    epoch = epoch_of(lines[0])
    start = epoch if start_utc is None else datetime.fromisoformat(start_utc).astimezone(UTC)
    read = TwoLine(Satrec.twoline2rv(*lines), epoch, start)
    if abs(read.age_s) > max_age_days * 86400.0:
        raise BadInput(
            "orbit: the element set is too old or too new for the mission",
            value=f"{read.age_s / 86400.0:.2f} days from {epoch:%Y-%m-%dT%H:%M:%SZ}",
            bound=f"{max_age_days:g} days (max_age_days)", way_out="take a set from nearer to the mission's epoch",
        )  # fmt: skip
    tle_states(read, np.zeros(1))
    return read


def epoch_of(line1: str) -> datetime:
    """The set's epoch (UTC): years 57 … 99 are of the last century, and day 1.0 is the beginning of the year."""
    year = int(line1[18:20])
    days = line1[20:32].split(".")
    # The fraction has eight digits, 864 microseconds each: exact.
    past = timedelta(days=int(days[0]) - 1, microseconds=round(float(f"0.{days[1]}") * 86_400_000_000))
    return datetime(year + (1900 if year >= 57 else 2000), 1, 1, tzinfo=UTC) + past


def tle_states(tle: TwoLine, t: Array) -> tuple[Array, Array]:
    """Positions (n, 3) in m and velocities (n, 3) in m/s as SGP4 gives them, ``t`` seconds after the mission's start.

    These velocities are not quite the derivatives of the positions (``space/reference_orbit.py``).
    """
    from sgp4.api import SGP4_ERRORS

    states = np.empty((t.size, 2, 3))
    for k, moment in enumerate(t.tolist()):
        code, p, v = tle.satellite.sgp4_tsince((tle.age_s + moment) / 60.0)
        if code:
            what = "orbit: the object has decayed by then" if code == DECAYED else "orbit: SGP4 cannot follow this set"
            raise BadInput(
                what, value=f"SGP4 error {code} ({SGP4_ERRORS.get(code, 'unknown')}) at t = {moment:.0f} s",
                bound="error 0 throughout the mission",
            )  # fmt: skip
        states[k, 0], states[k, 1] = p, v
    return 1e3 * states[:, 0], 1e3 * states[:, 1]


def checksum(line: str) -> int:
    """Of the first 68 columns: the sum of all digits, minus signs counting as one, modulo ten."""
    return sum(int(c) if c.isdigit() else c == "-" for c in line[: LENGTH - 1]) % 10


def _check_line(number: int, line: str) -> None:
    key = f"orbit.line{number}"
    if not line.isascii() or len(line) != LENGTH:
        raise BadInput(f"{key}: wrong length", value=f"{len(line)} characters", bound=f"{LENGTH} ASCII characters")
    if not line.startswith(f"{number} "):
        raise BadInput(f"{key}: does not begin with its number", value=repr(line[:2]), bound=repr(f"{number} "))
    if line[-1] != str(checksum(line)):
        raise BadInput(f"{key}: wrong checksum", value=repr(line[-1]), bound=f"{checksum(line)} for these digits")


def _check_field(key: str, text: str, pattern: str, low: float, high: float) -> None:
    if not re.fullmatch(pattern, text.strip()) and not re.fullmatch(pattern, text):
        raise BadInput(f"{key}: not a number of this field", value=repr(text))
    if math.isfinite(high) and not low <= float(text) <= high:
        raise BadInput(f"{key}: out of range", value=float(text), bound=f"{low:g} … {high:g}")

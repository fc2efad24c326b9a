"""Where Sun and Moon are, by short series: to 0.005 and 0.06 degrees, 0.006 and 0.05 % of their distance (1957 … 2056).

Geometric positions (no light-time, no aberration) from the Earth's centre, metres, in the mean equator and equinox of date:
the axes in which a scenario's orbit is given. Time: seconds of Terrestrial Time since J2000 (2000-01-01T12:00:00 TT).
Mean elements and terms: Meeus, Astronomical Algorithms, chapters 22, 25 and 47 (Moon: ELP-2000/82, largest terms); planets on
the Earth: Meeus, Astronomical Formulae for Calculators, chapter 18 (Newcomb), carried from 1900 to J2000.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from typing import Final

import numpy as np

from proxops.core.clock import parse_utc_ns
from proxops.core.earth import AU_M
from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array

CENTURY_S: Final = 36525.0 * 86400.0
DEG: Final = math.pi / 180.0
J2000_UNIX_S: Final = 946_728_000  # of the reading 2000-01-01T12:00:00, on whatever scale
TT_MINUS_TAI_S: Final = 32.184
FIRST_TAI_MINUS_UTC_S: Final = 10  # from 1972 on; taken before it too
# Days from which TAI - UTC is one second more (IERS Bulletin C; none is announced after the last).
LEAPS: Final = (
    "1972-07-01", "1973-01-01", "1974-01-01", "1975-01-01", "1976-01-01", "1977-01-01", "1978-01-01", "1979-01-01", "1980-01-01",
    "1981-07-01", "1982-07-01", "1983-07-01", "1985-07-01", "1988-01-01", "1990-01-01", "1991-01-01", "1992-07-01", "1993-07-01",
    "1994-07-01", "1996-01-01", "1997-07-01", "1999-01-01", "2006-01-01", "2009-01-01", "2012-07-01", "2015-07-01", "2017-01-01",
)  # fmt: skip
LEAPS_NS: Final = tuple(parse_utc_ns(day) for day in LEAPS)

# Multiples of elongation D, Sun's anomaly M, Moon's anomaly M' and distance from the node F in an angle; longitude in 1e-6
# degrees times its sine, distance in metres times its cosine.
LONGITUDE_AND_DISTANCE: Final = np.array([
    (0, 0, 1, 0, 6288774, -20905355), (2, 0, -1, 0, 1274027, -3699111), (2, 0, 0, 0, 658314, -2955968),
    (0, 0, 2, 0, 213618, -569925), (0, 1, 0, 0, -185116, 48888), (0, 0, 0, 2, -114332, -3149),
    (2, 0, -2, 0, 58793, 246158), (2, -1, -1, 0, 57066, -152138), (2, 0, 1, 0, 53322, -170733),
    (2, -1, 0, 0, 45758, -204586), (0, 1, -1, 0, -40923, -129620), (1, 0, 0, 0, -34720, 108743),
    (0, 1, 1, 0, -30383, 104755), (2, 0, 0, -2, 15327, 10321), (0, 0, 1, 2, -12528, 0), (0, 0, 1, -2, 10980, 79661),
    (4, 0, -1, 0, 10675, -34782), (0, 0, 3, 0, 10034, -23210),
], dtype=np.float64)  # fmt: skip
# The same angles; latitude in 1e-6 degrees times their sine.
LATITUDE: Final = np.array([
    (0, 0, 0, 1, 5128122), (0, 0, 1, 1, 280602), (0, 0, 1, -1, 277693), (2, 0, 0, -1, 173237), (2, 0, -1, 1, 55413),
    (2, 0, -1, -1, 46271), (2, 0, 0, 1, 32573), (0, 0, 2, 1, 17198), (2, 0, 1, -1, 9266), (0, 0, 2, -1, 8822),
], dtype=np.float64)  # fmt: skip
MOON_MEAN_DISTANCE_M: Final = 385_000_560.0
EARTH_SWING_M: Final = 4.671e6  # of the Earth's centre about the one it has in common with the Moon


def tt_from_utc(iso_text: str) -> float:
    """Seconds of TT since J2000 of a UTC date as 2026-11-16T12:00:00Z. Before 1972, when UTC's second was not yet the atomic
    one, up to 10 s too late: the Moon moves 0.0015 degrees in that time."""
    unix_ns = parse_utc_ns(iso_text)
    tai_minus_utc = FIRST_TAI_MINUS_UTC_S + bisect_right(LEAPS_NS, unix_ns)
    return (unix_ns - J2000_UNIX_S * 1_000_000_000) * 1e-9 + tai_minus_utc + TT_MINUS_TAI_S


@kernel
def put_equatorial(longitude: float, latitude: float, distance: float, century: float, out: Array) -> None:
    """``out`` := vector in the equator of date from ecliptic angles (rad) of date."""
    obliquity = (23.4392911 - 0.0130042 * century) * DEG
    ce, se = math.cos(obliquity), math.sin(obliquity)
    across = distance * math.cos(latitude)
    x, y, z = across * math.cos(longitude), across * math.sin(longitude), distance * math.sin(latitude)
    out[0] = x
    out[1] = ce * y - se * z
    out[2] = se * y + ce * z


@kernel
def sun_position(t_tt: float, out: Array) -> None:
    """``out`` := the Sun (m, mean equator and equinox of date) at ``t_tt`` seconds of TT since J2000."""
    T = t_tt / CENTURY_S
    anomaly = (357.52911 + (35999.05029 - 0.0001537 * T) * T) * DEG
    centre = (
        (1.914602 - 0.004817 * T) * math.sin(anomaly)
        + (0.019993 - 0.000101 * T) * math.sin(2.0 * anomaly)
        + 0.000289 * math.sin(3.0 * anomaly)
    ) * DEG
    elongation = (297.8501921 + 445267.1114034 * T) * DEG  # of the Moon from the Sun
    pulls = planets(T) + EARTH_SWING_M / AU_M * math.sin(elongation)
    longitude = (280.46646 + (36000.76983 + 0.0003032 * T) * T) * DEG + centre + pulls
    e = 0.016708634 - 0.000042037 * T
    distance = 1.000001018 * AU_M * (1.0 - e * e) / (1.0 + e * math.cos(anomaly + centre))
    put_equatorial(longitude, 0.0, distance + EARTH_SWING_M * math.cos(elongation), T, out)


@kernel
def planets(T: float) -> float:
    """What Venus (two terms), Jupiter and a long-periodic inequality add to the Sun's longitude (rad); T in centuries."""
    return DEG * (
        0.00134 * math.cos((351.98 + 22518.7541 * T) * DEG)
        + 0.00154 * math.cos((254.08 + 45037.5082 * T) * DEG)
        + 0.00200 * math.cos((157.05 + 32964.3577 * T) * DEG)
        + 0.00178 * math.sin((251.39 + 20.20 * T) * DEG)
    )


@kernel
def moon_position(t_tt: float, out: Array) -> None:
    """``out`` := the Moon (m, mean equator and equinox of date) at ``t_tt`` seconds of TT since J2000."""
    T = t_tt / CENTURY_S
    mean = (218.3164477 + (481267.88123421 - 0.0015786 * T) * T) * DEG
    D = (297.8501921 + (445267.1114034 - 0.0018819 * T) * T) * DEG
    M = (357.5291092 + (35999.0502909 - 0.0001536 * T) * T) * DEG
    Mm = (134.9633964 + (477198.8675055 + 0.0087414 * T) * T) * DEG
    F = (93.2720950 + (483202.0175233 - 0.0036539 * T) * T) * DEG
    longitude, latitude, distance = 0.0, 0.0, MOON_MEAN_DISTANCE_M
    for k in range(LONGITUDE_AND_DISTANCE.shape[0]):
        term = LONGITUDE_AND_DISTANCE[k]
        angle = term[0] * D + term[1] * M + term[2] * Mm + term[3] * F
        longitude += term[4] * math.sin(angle)
        distance += term[5] * math.cos(angle)
    for k in range(LATITUDE.shape[0]):
        term = LATITUDE[k]
        latitude += term[4] * math.sin(term[0] * D + term[1] * M + term[2] * Mm + term[3] * F)
    put_equatorial(mean + longitude * 1e-6 * DEG, latitude * 1e-6 * DEG, distance, T, out)

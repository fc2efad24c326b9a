"""Density of the air: two published tables, interpolated by an exponential between their rows.

Altitude is over the WGS 84 ellipsoid along the line to the Earth's centre. That line meets the ellipsoid at up to 0.2 degrees
from the normal, which makes the altitude too great by up to 5 m at 1000 km, 2 m at 400 km.

Above a table its last scale height goes on; below the lowest row its first one, down to the ground.
"""

from __future__ import annotations

import math
from typing import Final, Literal

import numpy as np

from proxops.core.earth import EQUATOR_M, FLATTENING
from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array

NONE, EXPONENTIAL, HARRIS_PRIESTER = range(3)
KINDS: Final[dict[Literal["none", "exponential", "harris_priester"], int]] = {
    "none": NONE, "exponential": EXPONENTIAL, "harris_priester": HARRIS_PRIESTER,
}  # fmt: skip

# Vallado, Fundamentals of Astrodynamics and Applications, table 8-4 (US Standard Atmosphere 1976 to 25 km, CIRA-72 above):
# altitude km, density kg/m^3. Taken through its densities it is continuous; with the printed scale heights it would jump, by
# 0.14 % at 25 km and 0.01 % above. Only the last of these is needed.
STANDARD: Final = np.array([
    (0, 1.225), (25, 3.899e-2), (30, 1.774e-2), (40, 3.972e-3), (50, 1.057e-3), (60, 3.206e-4), (70, 8.770e-5),
    (80, 1.905e-5), (90, 3.396e-6), (100, 5.297e-7), (110, 9.661e-8), (120, 2.438e-8), (130, 8.484e-9), (140, 3.845e-9),
    (150, 2.070e-9), (180, 5.464e-10), (200, 2.789e-10), (250, 7.248e-11), (300, 2.418e-11), (350, 9.518e-12),
    (400, 3.725e-12), (450, 1.585e-12), (500, 6.967e-13), (600, 1.454e-13), (700, 3.614e-14), (800, 1.170e-14),
    (900, 5.245e-15), (1000, 3.019e-15),
])  # fmt: skip
STANDARD_TOP_M: Final = 268_000.0

# Harris & Priester (1962) as Montenbruck & Gill, Satellite Orbits, table 3.5, give it for mean solar activity:
# altitude km, density g/km^3 at its least (night) and at its greatest (the bulge).
DAY_AND_NIGHT: Final = np.array([
    (100, 497400, 497400), (120, 24900, 24900), (130, 8377, 8710), (140, 3899, 4059), (150, 2122, 2215),
    (160, 1263, 1344), (170, 800.8, 875.8), (180, 528.3, 601.0), (190, 361.7, 429.7), (200, 255.7, 316.2),
    (210, 183.9, 239.6), (220, 134.1, 185.3), (230, 99.49, 145.5), (240, 74.88, 115.7), (250, 57.09, 93.08),
    (260, 44.03, 75.55), (270, 34.30, 61.82), (280, 26.97, 50.95), (290, 21.39, 42.26), (300, 17.08, 35.26),
    (320, 10.99, 25.11), (340, 7.214, 18.19), (360, 4.824, 13.37), (380, 3.274, 9.955), (400, 2.249, 7.492),
    (420, 1.558, 5.684), (440, 1.091, 4.355), (460, 0.7701, 3.362), (480, 0.5474, 2.612), (500, 0.3916, 2.042),
    (520, 0.2819, 1.605), (540, 0.2042, 1.267), (560, 0.1488, 1.005), (580, 0.1092, 0.7997), (600, 0.08070, 0.6390),
    (620, 0.06012, 0.5123), (640, 0.04519, 0.4121), (660, 0.03430, 0.3325), (680, 0.02632, 0.2691), (700, 0.02043, 0.2185),
    (720, 0.01607, 0.1779), (740, 0.01281, 0.1452), (760, 0.01036, 0.1190), (780, 0.008496, 0.09776), (800, 0.007069, 0.08059),
    (840, 0.004680, 0.05741), (880, 0.003200, 0.04210), (920, 0.002210, 0.03130), (960, 0.001560, 0.02360),
    (1000, 0.001150, 0.01810),
])  # fmt: skip
LAG_COS: Final = math.cos(math.radians(30.0))  # the bulge follows the Sun: hottest two hours after noon
LAG_SIN: Final = math.sin(math.radians(30.0))
# The bulge's shape is cos^n of half the angle from its apex: n = 2 for low inclinations … 6 for polar orbits. We take 4 for all:
# at 400 km, 90 degrees from the apex, that is 27 % below n = 2 and 23 % above n = 6; the solar cycle moves it more.
GRAM_PER_CUBIC_KM: Final = 1e-12  # kg/m^3


def _rows(altitude_km: Array, density: Array) -> Array:
    """Altitude (m), logarithm of the density, its fall per metre to the next row (n, 3)."""
    altitude, logarithm = altitude_km * 1e3, np.log(density)
    fall = -np.diff(logarithm) / np.diff(altitude)
    return np.column_stack([altitude, logarithm, np.append(fall, fall[-1])])


STANDARD_ROWS: Final = _rows(STANDARD[:, 0], STANDARD[:, 1])
STANDARD_ROWS[-1, 2] = 1.0 / STANDARD_TOP_M
NIGHT_ROWS: Final = _rows(DAY_AND_NIGHT[:, 0], DAY_AND_NIGHT[:, 1] * GRAM_PER_CUBIC_KM)
DAY_ROWS: Final = _rows(DAY_AND_NIGHT[:, 0], DAY_AND_NIGHT[:, 2] * GRAM_PER_CUBIC_KM)


@kernel
def altitude(p: Array) -> float:
    """Metres over the WGS 84 ellipsoid, along the line to the Earth's centre; p in ECI."""
    across2 = p[0] * p[0] + p[1] * p[1]
    polar = p[2] / (1.0 - FLATTENING)
    # The point of the ellipsoid on the line to p is p / stretch.
    stretch = math.sqrt(across2 + polar * polar) / EQUATOR_M
    return math.sqrt(across2 + p[2] * p[2]) * (1.0 - 1.0 / stretch)


@kernel
def row_below(rows: Array, h: float) -> int:
    """The last row that is not above ``h``, the first if all are; by bisection."""
    low, high = 0, rows.shape[0]
    while high - low > 1:
        middle = (low + high) // 2
        if rows[middle, 0] <= h:
            low = middle
        else:
            high = middle
    return low


@kernel
def density(kind: int, p: Array, p_sun: Array) -> float:
    """kg/m^3 at p; ``p_sun`` matters to HARRIS_PRIESTER only. Both in ECI (z: pole), metres."""
    if kind == NONE:
        return 0.0
    h = altitude(p)
    if h < 0.0:  # not max(): a NaN has to come through
        h = 0.0
    if kind == EXPONENTIAL:
        k = row_below(STANDARD_ROWS, h)
        return math.exp(STANDARD_ROWS[k, 1] - STANDARD_ROWS[k, 2] * (h - STANDARD_ROWS[k, 0]))
    k = row_below(NIGHT_ROWS, h)
    up = h - NIGHT_ROWS[k, 0]
    night = math.exp(NIGHT_ROWS[k, 1] - NIGHT_ROWS[k, 2] * up)
    day = math.exp(DAY_ROWS[k, 1] - DAY_ROWS[k, 2] * up)
    return night + (day - night) * bulge(p, p_sun)


@kernel
def bulge(p: Array, p_sun: Array) -> float:
    """How much of the way from night to the bulge's apex: cos^4 of half the angle between p and the apex."""
    x = LAG_COS * p_sun[0] - LAG_SIN * p_sun[1]
    y = LAG_SIN * p_sun[0] + LAG_COS * p_sun[1]
    dot = p[0] * x + p[1] * y + p[2] * p_sun[2]
    p2 = p[0] * p[0] + p[1] * p[1] + p[2] * p[2]
    sun2 = p_sun[0] * p_sun[0] + p_sun[1] * p_sun[1] + p_sun[2] * p_sun[2]
    half: float = 0.5 * (1.0 + dot / math.sqrt(p2 * sun2))  # cos^2 of half the angle
    return half * half

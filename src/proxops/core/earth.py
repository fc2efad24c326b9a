"""The Earth and the sky in constants: SI units, one place."""

from __future__ import annotations

import math
from typing import Final

# EGM2008 / IERS (2010): zonal terms in the tide-free system, not normalised.
MU_M3_S2: Final = 3.986004418e14
RADIUS_M: Final = 6378136.3  # belongs to the zonal terms
J2: Final = 1.0826261738522e-3
J3: Final = -2.5324105185677e-6
J4: Final = -1.6198975999169e-6
J5: Final = -2.2775359073083e-7
J6: Final = 5.4066657628381e-7

EQUATOR_M: Final = 6378137.0  # WGS 84 ellipsoid: altitudes
FLATTENING: Final = 1.0 / 298.257223563
TURN_RATE: Final = 2.0 * math.pi / 86164.0905  # rad/s against the stars

MU_SUN_M3_S2: Final = 1.32712440041e20
MU_MOON_M3_S2: Final = 4.902800118e12
AU_M: Final = 149_597_870_700.0
SUN_RADIUS_M: Final = 6.957e8
SUNLIGHT_N_M2: Final = 1361.0 / 299_792_458.0  # pressure of sunlight at 1 AU on what absorbs it
STANDARD_GRAVITY: Final = 9.80665  # m/s^2, of specific impulses

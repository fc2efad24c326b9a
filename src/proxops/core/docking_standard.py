"""Conditions at first contact that a docking system must accept: the values of the International Docking System Standard that
an approach is judged by."""

from __future__ import annotations

import math
from typing import Final

LATERAL_MAX_M: Final = 0.10
ANGLE_MAX_RAD: Final = math.radians(4.0)  # tilt, and roll
LATERAL_RATE_MAX_M_S: Final = 0.04
ANGULAR_RATE_MAX_RAD_S: Final = math.radians(0.20)
CLOSING_RATE_MAX_M_S: Final = 0.10
CONTACT_LIMITS: Final = {
    "lateral_m": LATERAL_MAX_M,
    "tilt_rad": ANGLE_MAX_RAD,
    "roll_rad": ANGLE_MAX_RAD,
    "closing_rate_m_s": CLOSING_RATE_MAX_M_S,
    "lateral_rate_m_s": LATERAL_RATE_MAX_M_S,
    "angular_rate_rad_s": ANGULAR_RATE_MAX_RAD_S,
}

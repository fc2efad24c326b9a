"""When a pose is worse than none: for who knows the truth, never for who flies."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from proxops.core.vision import Floats
from proxops.maths.pose_change import pose_change

WRONG: Final = (0.01, math.radians(1.5))  # a pose that is further off than this share of the range, or this angle


def is_wrong(T_found: Floats, T_true: Floats) -> bool:
    """Whether a pose (7) is too far off to be of use."""
    off = pose_change(T_found, T_true)
    place, turn = float(np.linalg.norm(off[:3])), float(np.linalg.norm(off[3:]))
    return place > WRONG[0] * float(np.linalg.norm(T_true[:3])) or turn > WRONG[1]

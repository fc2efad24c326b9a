"""Where an imaging sensor is fitted: its frame (z along the line of sight, x right, y down) in the frame of its craft."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.flight import R_CHASER_SENSOR
from proxops.core.mounted_table import Mounted
from proxops.maths.pose import pose
from proxops.maths.rotation import matrix_from_rotation_vector

R_TARGET_SENSOR: Final = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
"""As ``R_CHASER_SENSOR``, but looking along +x."""


def T_craft_sensor(spec: Mounted) -> NDArray[np.float64]:
    """(4, 4)."""
    facing = R_CHASER_SENSOR if spec.on == "chaser" else R_TARGET_SENSOR
    turn = matrix_from_rotation_vector(np.radians(spec.turn_deg))
    return np.asarray(pose(np.ascontiguousarray(facing @ turn), np.array(spec.place_m)))

"""Away from the hardware: the motion that there is turned round within an acceleration, out along the docking axis, to rest."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from proxops.core.messages import PERIOD_S
from proxops.maths.quaternion import quat_inverse as inverse
from proxops.maths.quaternion import quat_product, rotation_vector
from proxops.maths.rotation import Array, quat_from_rotation_vector

ACCELERATION: Final = 1.5  # m/s2: at 0.1 m/s the hardware goes 3 mm deeper before it turns
TURN_ACCELERATION: Final = 0.5  # rad/s2
SPEED: Final = 0.05  # m/s, on the way out
WAY_M: Final = 0.15
ARRIVED_M: Final = 1e-4


class Retreat:
    """Begins at ``pose`` (7) with the motion of the cycle from ``before`` to it; x of both points away from the client."""

    def __init__(self, before: Array, pose: Array) -> None:
        self.pose = pose.copy()
        self._start = float(pose[0])
        self._v, self._w = (pose[:3] - before[:3]) / PERIOD_S, np.zeros(3)
        rotation_vector(quat_product(pose[3:7], inverse(before[3:7])), self._w)
        self._w /= PERIOD_S

    def step(self) -> bool:
        """One cycle; True once it is over."""
        left = WAY_M - (float(self.pose[0]) - self._start)
        wanted = np.array([min(SPEED, math.sqrt(2.0 * ACCELERATION * max(left, 0.0))), 0.0, 0.0])
        self._v += _at_most(wanted - self._v, ACCELERATION * PERIOD_S)
        self._w -= _at_most(self._w, TURN_ACCELERATION * PERIOD_S)
        self.pose[:3] += PERIOD_S * self._v
        self.pose[3:7] = quat_product(quat_from_rotation_vector(PERIOD_S * self._w), self.pose[3:7])
        return left < ARRIVED_M and float(np.linalg.norm(self._v)) < 2.0 * ACCELERATION * PERIOD_S


def _at_most(change: Array, most: float) -> Array:
    """The change, no longer than ``most``."""
    size = float(np.linalg.norm(change))
    return change if size <= most else change * (most / size)

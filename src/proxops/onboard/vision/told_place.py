"""Where the client is before anything was seen of it, or when all was lost: about there, turned anyhow.

Navigation from afar hands over where the client is to some percent of its distance, and the chaser looks there when it begins.
A whole image is searched about such a place: in a hall much else is lit. As whoever told may be wrong, now and then one is
searched without.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from proxops.core.flight import R_CHASER_SENSOR, OnboardData
from proxops.core.vision import PosePrediction, spread

SHARE: Final = 0.03  # of the distance, one standard deviation: ASSUMED of navigation from afar
ANY_TURN: Final = math.pi / math.sqrt(3.0)  # rad about each axis
ALONE_EVERY: Final = 3  # searches: this one without what was told


def told_place(data: OnboardData, distance_m: float) -> PosePrediction:
    """In the reference sensor's frame: straight ahead, at that distance between the centres of mass."""
    way = R_CHASER_SENSOR.T @ (np.array([-distance_m, 0.0, 0.0]) - (data.sensor_place - data.mass_centre))
    place = math.hypot(SHARE * distance_m, float(np.linalg.norm(data.target_mass_centre)))
    T = np.concatenate([way, [1.0, 0.0, 0.0, 0.0]])
    return PosePrediction(T, np.diag([place**2] * 3 + [ANY_TURN**2] * 3), np.zeros(6))


def anyhow(belief: PosePrediction) -> PosePrediction:
    """The same place, no better than it may be told, and any attitude."""
    distance = float(np.linalg.norm(belief.T_sensor_target[:3]))
    place = max(spread(belief.covariance)[0], SHARE * distance)
    return PosePrediction(belief.T_sensor_target, np.diag([place**2] * 3 + [ANY_TURN**2] * 3), belief.motion)

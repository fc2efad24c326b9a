"""How wide a prediction is, and whether that is narrow enough for an image to be compared with it."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from proxops.core.vision import Floats, PosePrediction

# What is expected no better than this is searched for: share of the distance, rad.
WIDE: Final = (0.05, math.radians(8.0))


def spread(covariance: Floats) -> tuple[float, float]:
    """Largest standard deviation of place, m, and of attitude, rad."""
    values = [float(np.linalg.eigvalsh(covariance[k : k + 3, k : k + 3])[-1]) for k in (0, 3)]
    return math.sqrt(max(values[0], 0.0)), math.sqrt(max(values[1], 0.0))


def searches(prediction: PosePrediction | None) -> bool:
    """Whether that is a search: nothing is expected, or too little for the image to be compared with it."""
    if prediction is None:
        return True
    place, turn = spread(prediction.covariance)
    return place > WIDE[0] * float(np.linalg.norm(prediction.T_sensor_target[:3])) or turn > WIDE[1]

"""How wide a prediction is, and whether that is narrow enough for an image to be compared with it."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from proxops.core.vision import PosePrediction
from proxops.core.vision import spread as spread

# What is expected no better than this is searched for: share of the distance, rad.
WIDE: Final = (0.05, math.radians(8.0))


def searches(prediction: PosePrediction | None) -> bool:
    """Whether that is a search: nothing is expected, or too little for the image to be compared with it."""
    if prediction is None:
        return True
    place, turn = spread(prediction.covariance)
    return place > WIDE[0] * float(np.linalg.norm(prediction.T_sensor_target[:3])) or turn > WIDE[1]

"""Whether a tracked pose is to be trusted, and what it is worth."""

from __future__ import annotations

from typing import Final

import numpy as np

from proxops.core.images import CameraImage
from proxops.core.vision import Marks
from proxops.core.vocabulary import Doubt
from proxops.onboard.vision.edge_search import NORMAL, SHIFT, U, V
from proxops.onboard.vision.edge_tracker import EdgeTracker, Tracked
from proxops.onboard.vision.fitted import Fitted
from proxops.onboard.vision.prediction_width import spread
from proxops.onboard.vision.sight import Sight

FEWEST: Final = 40
SUPPORT: Final = 0.5


def judged(tracked: Tracked | None, image: CameraImage, sight: Sight, tracker: EdgeTracker) -> Fitted | None:
    if tracked is None:
        return None
    fit = tracked.fit
    fits = int(np.count_nonzero(fit.weights > 0.1))
    support = fits / len(tracked.points)
    P = tracker.covariance(tracked)
    place, turn = spread(P)
    distance = float(np.linalg.norm(fit.T_sensor_target[:3]))
    doubt = (
        Doubt.TOO_FEW if fits < FEWEST else
        Doubt.SUPPORT if support < SUPPORT else
        Doubt.UNCERTAIN if place > 0.01 * distance or turn > np.radians(1.0) else
        Doubt.NONE
    )  # fmt: skip
    return Fitted(fit.T_sensor_target, P, doubt, support if doubt is Doubt.NONE else 0.0, support, fits, marks(tracked))


def marks(tracked: Tracked) -> Marks:
    """Where edges were found."""
    rows = tracked.rows[tracked.used]
    points = np.stack(
        [rows[:, U] + rows[:, SHIFT] * rows[:, NORMAL], rows[:, V] + rows[:, SHIFT] * rows[:, NORMAL + 1]], 1
    )
    group = (tracked.fit.weights > 0.1).astype(np.uint8)
    return Marks(points.astype(np.float32), group, np.empty((0, 4), np.float32))

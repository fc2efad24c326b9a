"""Whether a tracked pose is to be trusted, and what it is worth."""

from __future__ import annotations

from typing import Final

import numpy as np

from proxops.core.lens import Lens
from proxops.core.vision import Floats, Marks
from proxops.core.vocabulary import Doubt
from proxops.onboard.vision.edge_search import NORMAL, SHIFT, SIGMA, U, V
from proxops.onboard.vision.edge_tracker import FLOOR, Tracked
from proxops.onboard.vision.fitted import Fitted
from proxops.onboard.vision.lens_kernel import lens_numbers
from proxops.onboard.vision.pose_covariance import DeclaredError, pose_covariance
from proxops.onboard.vision.prediction_width import spread
from proxops.optics.scene.mesh import Mesh
from proxops.optics.scene.model_error import connected_parts

FEWEST: Final = 40
SUPPORT: Final = 0.5


class TrackingJudge:
    """Of one client through one lens. ``declared``: what is said of both."""

    def __init__(self, lens: Lens, client: Mesh, declared: DeclaredError) -> None:
        self._lens, self._declared = lens_numbers(lens), declared
        self._part = connected_parts(client)[client.triangles[:, 0]]

    def judged(self, tracked: Tracked | None) -> Fitted | None:
        if tracked is None:
            return None
        fit = tracked.fit
        fits = int(np.count_nonzero(fit.weights > 0.1))
        support = fits / len(tracked.points)
        P = self._covariance(tracked)
        place, turn = spread(P)
        distance = float(np.linalg.norm(fit.T_sensor_target[:3]))
        doubt = (
            Doubt.TOO_FEW if fits < FEWEST else
            Doubt.SUPPORT if support < SUPPORT else
            Doubt.UNCERTAIN if place > 0.01 * distance or turn > np.radians(1.0) else
            Doubt.NONE
        )  # fmt: skip
        return Fitted(
            fit.T_sensor_target, P, doubt, support if doubt is Doubt.NONE else 0.0, support, fits, marks(tracked)
        )

    def _covariance(self, tracked: Tracked) -> Floats:
        used, rows, points = tracked.used, tracked.rows[tracked.used], tracked.points
        normal = np.ascontiguousarray(rows[:, NORMAL : NORMAL + 2])
        part, sigma = self._part[points.triangle[used]], np.hypot(rows[:, SIGMA], FLOOR)
        return pose_covariance(
            tracked.fit, points.place[used], normal, sigma, part, points.spacing, self._lens, self._declared
        )


def marks(tracked: Tracked) -> Marks:
    """Where edges were found."""
    rows = tracked.rows[tracked.used]
    points = np.stack(
        [rows[:, U] + rows[:, SHIFT] * rows[:, NORMAL], rows[:, V] + rows[:, SHIFT] * rows[:, NORMAL + 1]], 1
    )
    group = (tracked.fit.weights > 0.1).astype(np.uint8)
    return Marks(points.astype(np.float32), group, np.empty((0, 4), np.float32))

"""Whether a tracked pose is to be trusted, what it is worth. Each test has a doubt of its own: the first that fails is told."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from proxops.core.images import CameraImage
from proxops.core.lens import Lens
from proxops.core.vision import Floats, Marks, PosePrediction, spread
from proxops.core.vocabulary import Doubt
from proxops.onboard.vision.client_in_picture import cut_off, exposure_doubt, found_at, in_view
from proxops.onboard.vision.edge_search import NORMAL, SIGMA
from proxops.onboard.vision.edge_tracker import FLOOR, Tracked
from proxops.onboard.vision.expectation import difference
from proxops.onboard.vision.fitted import Fitted
from proxops.onboard.vision.lens_kernel import lens_numbers
from proxops.onboard.vision.pose_covariance import DeclaredError, pose_covariance
from proxops.onboard.vision.visible_edges import VisibleEdges
from proxops.optics.scene.mesh import Mesh
from proxops.optics.scene.model_error import connected_parts

FITS: Final = 0.1  # weight of a point that fits
IN_VIEW: Final = 0.3  # of the client or, where that is less, of the picture that it covers
FEWEST: Final = 40  # points that fit
SUPPORT: Final = 0.7  # share of points that fit
# Share of the distance, rad: deviation, half of what makes a pose a wrong one; and by which a prediction may be off beyond what
# it says.
WIDEST: Final = (0.005, math.radians(0.75))
BESIDE: Final = (0.003, math.radians(0.5))
FAR_OFF: Final = 30.0  # normalised distance squared from it: of 6 degrees of freedom one in 25,000 is beyond


class TrackingJudge:
    """Of one client through one lens. ``declared``: what is said of both."""

    def __init__(self, lens: Lens, client: Mesh, declared: DeclaredError) -> None:
        self._lens, self._numbers, self._declared = lens, lens_numbers(lens), declared
        self._part = connected_parts(client)[client.triangles[:, 0]]
        self._corners = np.unique(np.round(client.vertices, 4), axis=0)
        self._edges = VisibleEdges(lens, client)

    def judged(self, tracked: Tracked, image: CameraImage, prediction: PosePrediction | None) -> Fitted:
        """``prediction`` None: nothing was expected, so nothing is far from it."""
        fit = tracked.fit
        fits = int(np.count_nonzero(fit.weights > FITS))
        support = fits / len(tracked.points)
        P = self._covariance(tracked, image)
        place, turn = spread(P)
        distance = float(np.linalg.norm(fit.T_sensor_target[:3]))
        doubt = exposure_doubt(tracked.expected, image) or (
            Doubt.OUT_OF_VIEW if in_view(fit.T_sensor_target, tracked.expected, self._corners, self._lens) < IN_VIEW else
            Doubt.TOO_FEW if fits < FEWEST else
            Doubt.SUPPORT if support < SUPPORT else
            Doubt.UNCERTAIN if place > WIDEST[0] * distance or turn > WIDEST[1] else
            Doubt.FAR_OFF if prediction is not None and off(fit.T_sensor_target, P, prediction) > FAR_OFF else
            Doubt.NONE
        )  # fmt: skip
        trust = support if doubt is Doubt.NONE else 0.0
        return Fitted(fit.T_sensor_target, P, doubt, trust, support, fits, self._marks(tracked))

    def _covariance(self, tracked: Tracked, image: CameraImage) -> Floats:
        used, rows, points = tracked.used, tracked.rows[tracked.used], tracked.points
        normal = np.ascontiguousarray(rows[:, NORMAL : NORMAL + 2])
        part, sigma = self._part[points.triangle[used]], np.hypot(rows[:, SIGMA], FLOOR)
        return pose_covariance(
            tracked.fit, points.place[used], normal, sigma, part, points.spacing, cut_off(rows, image), self._numbers,
            self._declared,
        )  # fmt: skip

    def _marks(self, tracked: Tracked) -> Marks:
        """Where edges were found, and the model's at the pose."""
        found = found_at(tracked.rows[tracked.used])
        group = (tracked.fit.weights > FITS).astype(np.uint8)
        lines = self._edges.lines(tracked.fit.T_sensor_target, tracked.expected)
        return Marks(found.astype(np.float32), group, lines)


def off(T: Floats, P: Floats, prediction: PosePrediction) -> float:
    """Normalised distance squared of a pose from where it was expected."""
    away = difference(T, prediction.T_sensor_target)
    place = BESIDE[0] * float(np.linalg.norm(T[:3]))
    beside = np.diag(np.square(np.repeat([place, BESIDE[1]], 3)))
    return float(away @ np.linalg.solve(P + prediction.covariance + beside, away))

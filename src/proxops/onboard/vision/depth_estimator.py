"""The client's pose from distances: it tracks what is expected, and searches where nothing is."""

from __future__ import annotations

from functools import cached_property
from typing import Final

import numpy as np

from proxops.core.imaging_table import ImagingSensor
from proxops.core.vision import PoseFound, PosePrediction
from proxops.core.vocabulary import Doubt
from proxops.maths.rotation import matrix_from_quat
from proxops.onboard.vision.depth.client_model import PART_M, ClientModel, client_model
from proxops.onboard.vision.depth.first_pose import KnownViews, first_pose, known_views
from proxops.onboard.vision.depth.icp import Icp
from proxops.onboard.vision.depth.pointed_place import PointedPlace
from proxops.onboard.vision.depth.pose_fit import RangedImage, fit, near
from proxops.onboard.vision.depth.ranging import Ranging
from proxops.onboard.vision.fitted import Fitted
from proxops.onboard.vision.prediction_width import searches, spread
from proxops.onboard.vision.sight import PoseEstimator, Sight
from proxops.optics.scene.mesh import Mesh

LEAST: Final = 6  # beams that may be the client's
REACH: Final = 1.15  # times its radius, and some deviations: beams that may be its
WIDE_M: Final = 0.05  # a prediction that is this far off at the client's surface is searched about if it leads nowhere


def depth_estimator(sensor: ImagingSensor, client: Mesh, part_m: float = PART_M) -> PoseEstimator:
    """Of a time-of-flight camera or a LiDAR; ``client`` as known on board, in the target's frame. ``part_m``: by which parts of
    it may stand elsewhere, one standard deviation."""
    return DepthEstimator(sensor, client_model(client, part_m))


class DepthEstimator:
    """Keeps nothing from image to image."""

    def __init__(self, sensor: ImagingSensor, model: ClientModel) -> None:
        self._ranging, self._model, self._lens = Ranging(sensor), model, sensor.lens

    @cached_property
    def _known(self) -> KnownViews:
        return known_views(self._model)

    def estimate(self, sight: Sight) -> PoseFound:
        if not self._ranging.readable(sight.image):
            return self._answer(sight, Doubt.BROKEN)
        prediction = sight.prediction
        if searches(prediction):
            return self._search(sight, prediction)
        assert prediction is not None
        return self._track(sight, prediction)

    def _track(self, sight: Sight, prediction: PosePrediction) -> PoseFound:
        T = prediction.T_sensor_target
        (about,) = self._ranging.tries(prediction)
        beams = self._ranging.beams(sight.image, prediction, about)
        if not len(beams):
            return self._answer(sight, Doubt.DARK)
        place, turn = spread(prediction.covariance)
        wide = place + 0.7 * turn * self._model.radius
        middle = T[:3] + matrix_from_quat(np.ascontiguousarray(T[3:])) @ self._model.centre
        clean = near(self._ranging.clean(beams), middle, REACH * self._model.radius + 3.0 * place)
        if len(clean) < LEAST:
            return self._answer(sight, Doubt.TOO_FEW)
        seen = RangedImage(clean, self._ranging.grid(beams), self._ranging.noise)
        found = fit(self._model, seen, T, wide, prediction)
        if wide > WIDE_M and (found is None or found[0].doubt in (Doubt.SUPPORT, Doubt.FAR_OFF, Doubt.TOO_FEW)):
            found = first_pose(self._known, seen, prediction) or found
        return self._told(sight, found, Doubt.TOO_FEW)

    def _search(self, sight: Sight, prediction: PosePrediction | None) -> PoseFound:
        best: tuple[Fitted, Icp] | None = None
        doubt = Doubt.DARK
        tries = [self._ranging.beams(sight.image, prediction, about) for about in self._ranging.tries(prediction)]
        enough = max(LEAST, 0.6 * max(map(len, tries)))
        for beams in tries:
            if len(beams) < enough:
                continue
            doubt = Doubt.NOT_FOUND
            seen = RangedImage(self._ranging.clean(beams), self._ranging.grid(beams), self._ranging.noise)
            found = first_pose(self._known, seen, prediction, self._pointed(sight))
            if found is not None and (best is None or found[0].trust > best[0].trust):
                best = found
            if best is not None and best[0].doubt is Doubt.NONE:
                break  # a wrap too far it would be of another size
        return self._told(sight, best, doubt)

    def _pointed(self, sight: Sight) -> PointedPlace | None:
        at, lens = sight.designated, self._lens
        return None if at is None or lens is None else PointedPlace(lens, at, self._model.radius)

    def _told(self, sight: Sight, found: tuple[Fitted, Icp] | None, otherwise: Doubt) -> PoseFound:
        if found is None:
            return self._answer(sight, otherwise)
        fitted = found[0]
        image = sight.image
        return PoseFound(
            image.sensor, image.number, image.t, fitted.doubt, fitted.trust, fitted.T_sensor_target, fitted.covariance,
            fitted.marks,
        )  # fmt: skip

    def _answer(self, sight: Sight, doubt: Doubt) -> PoseFound:
        return PoseFound(sight.image.sensor, sight.image.number, sight.image.t, doubt)

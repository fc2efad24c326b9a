"""The client's pose from a picture: tracked where something is expected, searched where nothing is."""

from __future__ import annotations

import numpy as np

from proxops.core.images import CameraImage, Image
from proxops.core.imaging_table import GreyCamera, ImagingSensor
from proxops.core.lens import Lens
from proxops.core.vision import Floats, PoseFound, PosePrediction
from proxops.core.vocabulary import Doubt
from proxops.onboard.vision.edge_tracker import EdgeTracker
from proxops.onboard.vision.expected_picture import Draughtsman
from proxops.onboard.vision.fitted import Fitted
from proxops.onboard.vision.picture_search.search import PictureSearch
from proxops.onboard.vision.pose_covariance import DeclaredError
from proxops.onboard.vision.prediction_width import searches, spread
from proxops.onboard.vision.sight import PoseEstimator, Sight
from proxops.onboard.vision.tracking_judgement import TrackingJudge
from proxops.optics.scene.mesh import Mesh

BLUR_PX = 0.5  # of a lens of which nobody says it
SEARCHED_PX = 4.0  # that a pose from a search may be off


def camera_estimator(sensor: ImagingSensor, client: Mesh, part_m: float) -> PoseEstimator:
    """``client``: as known on board, in the target's frame."""
    assert sensor.gives == "camera" and isinstance(sensor.lens, Lens)
    if not isinstance(sensor, GreyCamera):
        return CameraEstimator(sensor.lens, client, BLUR_PX, DeclaredError(part_m))
    focal = max(sensor.focal_error_share, DeclaredError.focal_share)
    return CameraEstimator(sensor.lens, client, sensor.blur_px, DeclaredError(part_m, focal))


class CameraEstimator:
    """Keeps nothing from image to image but room to draw in."""

    def __init__(self, lens: Lens, client: Mesh, blur_px: float, declared: DeclaredError | None = None) -> None:
        """``declared``: of the client's model and the lens; a tenth of a millimetre and of a thousandth unless given."""
        self._lens = lens
        self._tracker = EdgeTracker(Draughtsman(lens, client), blur_px)
        self._judge = TrackingJudge(lens, client, declared or DeclaredError())
        self._searcher = PictureSearch(lens, client, self._tracker.drawn_by)

    def estimate(self, sight: Sight) -> PoseFound:
        image = sight.image
        if not isinstance(image, CameraImage) or image.pixels.shape != (self._lens.height, self._lens.width):
            return PoseFound(image.sensor, image.number, image.t, Doubt.BROKEN)
        prediction = None if searches(sight.prediction) else sight.prediction
        fitted = self._search(sight, image) if prediction is None else self._track(sight, image, prediction)
        return answer(image, fitted)

    def _track(self, sight: Sight, image: CameraImage, prediction: PosePrediction) -> Fitted | Doubt:
        place, turn = spread(prediction.covariance)
        pixels = 3.0 * self._lens.fx / max(float(prediction.T_sensor_target[2]), 0.1)
        around = turn * self._tracker.drawn_by.radius_m
        tracked = self._tracker.track(image, prediction.T_sensor_target, sight.lights, pixels * place, pixels * around)
        return tracked if isinstance(tracked, Doubt) else self._judge.judged(tracked, image, prediction)

    def _search(self, sight: Sight, image: CameraImage) -> Fitted | Doubt:
        def refine(T_first: Floats) -> Fitted | None:
            tracked = self._tracker.track(image, T_first, sight.lights, SEARCHED_PX, SEARCHED_PX)
            return None if isinstance(tracked, Doubt) else self._judge.judged(tracked, image, None)

        picture = image.pixels * np.float32(255.0 / image.white)
        return self._searcher.find(sight, picture, refine) or Doubt.NOT_FOUND


def answer(image: Image, fitted: Fitted | Doubt) -> PoseFound:
    """A doubt alone: there is no pose."""
    if isinstance(fitted, Doubt):
        return PoseFound(image.sensor, image.number, image.t, fitted)
    return PoseFound(
        image.sensor, image.number, image.t, fitted.doubt, fitted.trust, fitted.T_sensor_target, fitted.covariance, fitted.marks
    )  # fmt: skip

"""Which estimator looks at which sensor's images."""

from __future__ import annotations

from proxops.core.imaging_table import ImagingSensor
from proxops.onboard.vision.sight import PoseEstimator
from proxops.optics.scene.mesh import Mesh


def estimator_of(sensor: ImagingSensor, client: Mesh) -> PoseEstimator:
    """Ours: it tracks what is expected, and searches where nothing is."""
    if sensor.gives == "camera":
        from proxops.onboard.vision.camera_estimator import camera_estimator

        return camera_estimator(sensor, client)
    from proxops.onboard.vision.depth_estimator import depth_estimator

    return depth_estimator(sensor, client)

"""Which estimator looks at which sensor's images."""

from __future__ import annotations

from proxops.core.imaging_table import ImagingSensor
from proxops.onboard.vision.pose_covariance import DeclaredError
from proxops.onboard.vision.sight import PoseEstimator
from proxops.optics.scene.mesh import Mesh


def estimator_of(sensor: ImagingSensor, client: Mesh, part_m: float = DeclaredError.part_m) -> PoseEstimator:
    """Ours: it tracks what is expected, and searches where nothing is. ``part_m``: by which parts of the client may stand
    elsewhere, one standard deviation."""
    if sensor.gives == "camera":
        from proxops.onboard.vision.camera_estimator import camera_estimator

        return camera_estimator(sensor, client, part_m)
    from proxops.onboard.vision.depth_estimator import depth_estimator

    return depth_estimator(sensor, client, part_m)

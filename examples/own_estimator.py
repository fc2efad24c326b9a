"""An estimator of your own: a class with one method, used in missions and on recorded data.

    proxops pose FOLDER --model client --estimator examples/own_estimator.py:CentroidEstimator
    [vision] estimator = "own_estimator.py:CentroidEstimator"          in a mission's file

It takes the middle of what a LiDAR or a time-of-flight camera sees, as far as the prediction allows, and leaves the attitude as
it was predicted: coarse, and it says so in its covariance. Run as it is, it looks at a scan of its own making.
"""

import numpy as np

from proxops import matrix_from_quat
from proxops.core.images import DepthImage, PointScan
from proxops.core.vision import PoseFound
from proxops.core.vocabulary import Doubt

FEWEST = 20  # points
SIGMA_M = 0.15  # of a middle: only one side of the client is seen


class CentroidEstimator:
    """Made once for each sensor, in a process of its own: with the sensor's table and the client's mesh (target's frame, m)."""

    def __init__(self, sensor, client):
        self.lens = sensor.lens  # None of a LiDAR
        low, high = client.vertices.min(axis=0), client.vertices.max(axis=0)
        self.middle, self.radius = 0.5 * (low + high), 0.5 * float(np.linalg.norm(high - low))

    def estimate(self, sight):
        """No truth in it: an image, a prediction or None, what shines. Keeps nothing from image to image."""
        image = sight.image

        def without(doubt):
            return PoseFound(image.sensor, image.number, image.t, doubt)

        points = self.points(image)
        if sight.prediction is None:
            return without(Doubt.NOT_FOUND)  # this one cannot search
        T = sight.prediction.T_sensor_target
        R_sensor_target = matrix_from_quat(np.ascontiguousarray(T[3:]))
        expected = T[:3] + R_sensor_target @ self.middle
        near = points[np.linalg.norm(points - expected, axis=1) < 1.5 * self.radius]
        if len(near) < FEWEST:
            return without(Doubt.TOO_FEW)
        seen = 0.5 * (np.percentile(near, 5, axis=0) + np.percentile(near, 95, axis=0))
        place = seen - R_sensor_target @ self.middle
        covariance = sight.prediction.covariance.copy()
        covariance[:3], covariance[:, :3] = 0.0, 0.0
        covariance[:3, :3] = SIGMA_M**2 * np.eye(3)
        return PoseFound(
            image.sensor, image.number, image.t, Doubt.NONE, 0.5, np.concatenate([place, T[3:]]), covariance
        )  # fmt: skip

    def points(self, image):
        """(n, 3) m in the sensor's frame."""
        if isinstance(image, PointScan):
            return image.points_m.astype(float)
        if not isinstance(image, DepthImage):
            return np.empty((0, 3))
        v, u = np.mgrid[: self.lens.height, : self.lens.width]
        sight = np.dstack([(u - self.lens.cx) / self.lens.fx, (v - self.lens.cy) / self.lens.fy, np.ones(u.shape)])
        sight *= (image.range_m / np.linalg.norm(sight, axis=2))[..., None]
        return sight[np.isfinite(image.range_m)]


def main():
    from proxops.core.imaging_table import LidarSensor
    from proxops.core.vision import PosePrediction
    from proxops.onboard.vision.sight import Sight
    from proxops.optics.scene.orbit_surroundings import CLIENT, shipped_craft

    client = shipped_craft(CLIENT)
    true = np.array([0.1, -0.2, 6.0])
    points = (client.vertices + true).astype(np.float32)
    scan = PointScan("scan", 0, 0.0, points, np.ones(len(points), np.float32), np.zeros(len(points), np.float32))
    expected = PosePrediction(np.array([0.0, 0.0, 6.3, 1.0, 0.0, 0.0, 0.0]), 0.04 * np.eye(6), np.zeros(6))
    found = CentroidEstimator(LidarSensor(kind="lidar", name="scan"), client).estimate(Sight(scan, expected))
    print(f"found {found.T_sensor_target[:3].round(3)}, true {true}, doubt {found.doubt.name}")


if __name__ == "__main__":
    main()

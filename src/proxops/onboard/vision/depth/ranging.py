"""A sensor that measures distances, as flight software knows it: from its images to beams and to a grid of ranges."""

from __future__ import annotations

import numpy as np

from proxops.core.images import DepthImage, Image, PointScan
from proxops.core.imaging_table import ImagingSensor, TofSensor
from proxops.core.vision import PosePrediction
from proxops.onboard.vision.depth.beams import Beams
from proxops.onboard.vision.depth.depth_points import DepthPoints
from proxops.onboard.vision.depth.distance_noise import OWN_MODULATION_MHZ, noise_of, wrap_of
from proxops.onboard.vision.depth.range_grid import RangeGrid, cell_of, limits_of, range_grid
from proxops.onboard.vision.depth.scan_points import apart_of, scan_beams


class Ranging:
    """Of one sensor; ``noise``: what is known of its errors."""

    def __init__(self, sensor: ImagingSensor) -> None:
        self._sensor, self.noise = sensor, noise_of(sensor)
        modulation = sensor.modulation_mhz if isinstance(sensor, TofSensor) else OWN_MODULATION_MHZ
        self._points: DepthPoints | None = None
        if sensor.gives == "tof":
            assert sensor.lens is not None
            self._points = DepthPoints(sensor.lens, self.noise, wrap_of(modulation))

    def readable(self, image: Image) -> bool:
        """Whether it is an image of this sensor."""
        if isinstance(image, DepthImage):
            shape = self._points.shape if self._points else None
            return image.range_m.shape == shape == image.intensity.shape
        if not isinstance(image, PointScan) or self._points is not None:
            return False
        n = len(image.points_m)
        return image.points_m.shape == (n, 3) and image.t_offset_s.shape == (n,)

    def beams(self, image: Image, prediction: PosePrediction | None, about_m: float | None) -> Beams:
        """All that came back. ``about_m``: near which ranges that wrap are taken."""
        if isinstance(image, DepthImage):
            assert self._points is not None
            return self._points.beams(image, about_m)
        assert isinstance(image, PointScan)
        return scan_beams(image, self.noise, apart_of(self._sensor, image), prediction)

    def clean(self, beams: Beams) -> Beams:
        """Without those that lie over edges."""
        return beams if self._points is None else self._points.smooth(beams)

    def grid(self, beams: Beams) -> RangeGrid:
        return range_grid(beams, cell_of(self._sensor, beams), limits_of(self._sensor, beams))

    def tries(self, prediction: PosePrediction | None) -> tuple[float | None, ...]:
        """Distances near which ranges are to be taken: as expected, or each wrap in turn."""
        if not np.isfinite(self.noise.wrap_m):
            return (None,)
        if prediction is not None:
            return (float(np.linalg.norm(prediction.T_sensor_target[:3])),)
        return (0.5 * self.noise.wrap_m, 1.0 * self.noise.wrap_m, 1.5 * self.noise.wrap_m)

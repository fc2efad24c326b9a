"""Beams of a scan: each point at its own time, moved to the scan's time with the client's motion as it is expected."""

from __future__ import annotations

import numpy as np

from proxops.core.images import PointScan
from proxops.core.vision import PosePrediction
from proxops.maths.rotation import Array
from proxops.onboard.vision.depth.beams import Beams, moved_back
from proxops.onboard.vision.depth.distance_noise import DistanceNoise


def scan_beams(scan: PointScan, noise: DistanceNoise, prediction: PosePrediction | None) -> Beams:
    """Of all points with numbers. Without a prediction nothing moves."""
    points = scan.points_m.astype(np.float64)
    range_m = np.linalg.norm(points, axis=1)
    known = np.isfinite(range_m) & (range_m > 1e-3) & np.isfinite(scan.t_offset_s)
    points, late_s = points[known], scan.t_offset_s[known].astype(np.float64)
    origin = np.zeros_like(points)
    if prediction is not None and prediction.motion.any():
        origin, points = (_back(places, late_s, prediction) for places in (origin, points))
    sigma = np.full(len(points), noise.floor_m)
    none = np.zeros(len(points))
    return Beams(origin, points, sigma, none, late_s, scan.points_m[known], none)


def _back(places: Array, late_s: Array, prediction: PosePrediction) -> Array:
    return moved_back(places, late_s, prediction.T_sensor_target[:3], prediction.motion)

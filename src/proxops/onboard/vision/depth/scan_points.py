"""Beams of a scan: each point at its own time, moved to the scan's time with the client's motion as it is expected."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from proxops.core.images import PointScan
from proxops.core.imaging_table import ImagingSensor, LidarSensor
from proxops.core.vision import PosePrediction
from proxops.maths.rotation import Array
from proxops.onboard.vision.depth.beams import Beams, moved_back
from proxops.onboard.vision.depth.distance_noise import DistanceNoise


def apart_of(sensor: ImagingSensor, scan: PointScan) -> tuple[float, float]:
    """rad, of neighbours across and down; of a scanner that is not known, as if its points lay evenly over what it has seen."""
    if isinstance(sensor, LidarSensor):
        wide, high = (math.radians(angle) for angle in sensor.field_of_view_deg)
        return wide / sensor.points, high / sensor.lines
    known = np.isfinite(scan.points_m).all(axis=1)  # what did not come back may stand there as infinitely far
    ahead = scan.points_m[known & (scan.points_m[:, 2] > 1e-6)].astype(np.float64)
    x, y = ahead[:, 0] / ahead[:, 2], ahead[:, 1] / ahead[:, 2]
    area = (np.ptp(x) + 1e-3) * (np.ptp(y) + 1e-3) if len(ahead) else 1.0
    return (math.sqrt(area / max(len(ahead), 1)),) * 2


def scan_beams(
    scan: PointScan, noise: DistanceNoise, apart_rad: tuple[float, float], prediction: PosePrediction | None
) -> Beams:
    """Of all points with numbers. ``apart_rad``: neighbours, across and down. Without a prediction nothing moves."""
    points = scan.points_m.astype(np.float64)
    range_m = np.linalg.norm(points, axis=1)
    known = np.isfinite(range_m) & (range_m > 1e-3) & np.isfinite(scan.t_offset_s)
    points, late_s = points[known], scan.t_offset_s[known].astype(np.float64)
    origin, cell = np.zeros_like(points), _cells(points, apart_rad)
    if prediction is not None and prediction.motion.any():
        origin, points = (_back(places, late_s, prediction) for places in (origin, points))
    sigma = np.full(len(points), noise.floor_m)
    none = np.zeros(len(points))
    return Beams(origin, points, sigma, none, late_s, scan.points_m[known], none, cell, max(apart_rad))


def _cells(points: Array, apart_rad: tuple[float, float]) -> NDArray[np.float32]:
    """By the mirror's angles."""
    right = np.arctan2(points[:, 0], points[:, 2])
    down = np.arctan2(points[:, 1], np.hypot(points[:, 0], points[:, 2]))
    return np.asarray(np.stack([right / apart_rad[0], down / apart_rad[1]], axis=1), np.float32)


def _back(places: Array, late_s: Array, prediction: PosePrediction) -> Array:
    return moved_back(places, late_s, prediction.T_sensor_target[:3], prediction.motion)

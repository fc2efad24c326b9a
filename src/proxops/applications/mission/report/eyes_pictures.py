"""An image of any sensor as a picture for people: grey levels as a screen wants them, ranges in colours."""

from __future__ import annotations

import math
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from proxops.core.images import CameraImage, DepthImage, Image, PointScan
from proxops.core.imaging_table import ImagingSensor, LidarSensor
from proxops.ground.recorded import Floats

Rgb = NDArray[np.uint8]
GAMMA: Final = 1.0 / 2.2
NOTHING: Final = (24, 28, 34)  # where no range came back
SCAN_SIDE: Final = 400  # px, of a scan's longer side


def picture_of(spec: ImagingSensor, image: Image, near_m: float, far_m: float, width: int) -> Rgb:
    """``width`` pixels wide. ``near_m`` red, ``far_m`` blue."""
    if isinstance(image, CameraImage):
        rgb = np.repeat(grey_levels(image)[:, :, None], 3, axis=2)
    elif isinstance(image, DepthImage):
        rgb = coloured(image.range_m.astype(np.float64), near_m, far_m)
    else:
        assert isinstance(spec, LidarSensor)
        rgb = _scan(spec, image, near_m, far_m)
    return _resized(rgb, width)


def coloured(range_m: Floats, near_m: float, far_m: float) -> Rgb:
    """(…, 3); grey-black where there is none."""
    known = np.isfinite(range_m)
    share = np.clip((range_m - near_m) / max(far_m - near_m, 1e-6), 0.0, 1.0)
    steps = np.round(255.0 * (1.0 - np.where(known, share, 0.0))).astype(np.uint8)
    rgb = cv2.applyColorMap(steps.reshape(-1, 1), cv2.COLORMAP_TURBO)[:, 0, ::-1].reshape(*range_m.shape, 3)
    return np.where(known[..., None], rgb, np.array(NOTHING, np.uint8)).astype(np.uint8)


def grey_levels(image: CameraImage) -> NDArray[np.uint8]:
    return np.round(255.0 * (image.pixels / image.white) ** GAMMA).astype(np.uint8)


def _scan(spec: LidarSensor, image: PointScan, near_m: float, far_m: float) -> Rgb:
    """Every point where the sensor saw it, as large as its share of the picture; near ones last."""
    across, down = np.radians(spec.field_of_view_deg)
    scale = SCAN_SIDE / max(across, down)
    size = max(2, round(scale * across)), max(2, round(scale * down))
    rgb: Rgb = np.full((size[1], size[0], 3), NOTHING, np.uint8)
    p = image.points_m.astype(np.float64)
    ranges = np.linalg.norm(p, axis=1)
    colours = coloured(ranges, near_m, far_m)
    right, below = np.arctan2(p[:, 0], p[:, 2]), np.arcsin(p[:, 1] / np.maximum(ranges, 1e-9))
    u, v = scale * right + 0.5 * size[0], scale * below + 0.5 * size[1]
    half = 0.5 * np.array([size[0] / spec.points, size[1] / spec.lines])
    for i in np.argsort(-ranges).tolist():
        left, top = math.floor(u[i] - half[0]), math.floor(v[i] - half[1])
        rgb[max(top, 0) : max(math.ceil(v[i] + half[1]), 0), max(left, 0) : max(math.ceil(u[i] + half[0]), 0)] = (
            colours[i]
        )
    return rgb


def _resized(rgb: Rgb, width: int) -> Rgb:
    height = max(1, round(rgb.shape[0] * width / rgb.shape[1]))
    way = cv2.INTER_AREA if width < rgb.shape[1] else cv2.INTER_NEAREST
    return np.asarray(cv2.resize(rgb, (width, height), interpolation=way), np.uint8)

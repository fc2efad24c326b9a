"""What imaging sensors give: a picture, a depth image, a scan. All that flight software and viewers get of an exposure.

Times are on the run's clock, in seconds; ``t`` is the middle of the exposure (the first point's of a scan).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class CameraImage:
    """Grey. 8 bits in uint8; up to 16 in uint16, with ``white`` as the highest level."""

    sensor: str
    number: int  # of this sensor's exposures, from 0: a gap is a lost image
    t: float
    exposure_s: float
    gain_db: float
    white: int
    pixels: NDArray[np.uint8] | NDArray[np.uint16]  # (height, width)


@dataclass(frozen=True, eq=False)
class DepthImage:
    """Of a time-of-flight camera. Distances along the pixel's own line of sight; NaN where nothing came back."""

    sensor: str
    number: int
    t: float
    range_m: NDArray[np.float32]  # (height, width)
    intensity: NDArray[np.uint16]  # (height, width), amplitude of the modulated light


@dataclass(frozen=True, eq=False)
class PointScan:
    """Of a scanning LiDAR: each point where the sensor believes it, in the sensor's frame *at the time of that point*."""

    sensor: str
    number: int
    t: float
    points_m: NDArray[np.float32]  # (n, 3)
    intensity: NDArray[np.float32]  # (n), share of what a white wall at 1 m returns
    t_offset_s: NDArray[np.float32]  # (n), from ``t``


class MeteredPart(NamedTuple):
    """Part of a picture by which its exposure is measured, px: rows from ``top`` and columns from ``left``, the last ones not
    among them; and how many of its pixels the craft covers, about."""

    top: int
    left: int
    bottom: int
    right: int
    craft_px: float


Image = CameraImage | DepthImage | PointScan

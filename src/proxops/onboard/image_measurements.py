"""What navigation knows of poses from images beforehand: how late they come, and how many in a row err alike."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from proxops.core.imaging_table import GreyCamera, ImagingSensor, LidarSensor, Rendered
from proxops.core.mission import MissionFile
from proxops.core.vision_table import Vision
from proxops.onboard.relative_model import N_SOURCES

# What parts of the client that stand elsewhere leave in every pose of the same view, for a metre of that: to the filter a bias.
# Seen: 1 mm each in 1 mm and 0.1 to 0.19 deg, another after the fly-around and again in the last metre (docs/vision.md).
LASTING_SHARE: Final = 1.0
LASTING_RAD_PER_M: Final = 2.5
LASTS_S: Final = 150.0
# What they make of the client's size, as a share, for a metre. The covariance of images of 10 to 20 m says 1.3e-3 of the range
# with parts 1 mm off and 0.05 % of focal length.
SIZE_SHARE_PER_M: Final = 1.0
# For how long errors of light, shape, surface or lens that the covariance of one image has in it stay what they are. Those of a
# camera are nearly all of its error, and its range is off by a share as long as the client is seen from one side; distances are
# noise for the most part. See docs/vision.md, "Fusion".
ALIKE_S: Final = {"camera": 50.0, "tof": 5.0, "lidar": 5.0}
OWN_LATE_S: Final = 0.5  # of images from outside: ASSUMED
# The client is followed to now from the image in which it was found: that one and those after it are as old as a search takes.
# What is older than this is not waited for, as nobody remembers the own attitude for longer.
OLDEST_S: Final = 25.0


@dataclass(frozen=True)
class ImageMeasurements:
    """``late_s``: from an exposure until its pose is there, of the slowest sensor, in a search. ``alike``: for each source of
    measurements, how many err alike. ``several``: more than one sensor measures. ``lasting_m``, ``lasting_rad``: of a pose, as
    long as the view lasts. ``range_share``: of all ranges, where pictures alone tell them."""

    late_s: float
    alike: tuple[float, ...]
    several: bool
    lasting_m: float
    lasting_rad: float
    range_share: float = 0.0


def image_measurements(file: MissionFile) -> ImageMeasurements | None:
    """None where nobody looks for the client in images."""
    vision = file.vision
    if not vision.sensors:
        return None
    used = {place: spec for place, spec in enumerate(file.imaging, 1) if spec.name in vision.sensors}
    alike = tuple(max(1.0, ALIKE_S[used[k].gives] * used[k].rate_hz) if k in used else 1.0 for k in range(N_SOURCES))
    late_s = max(_late_s(spec, vision) + vision.searched_s(spec) for spec in used.values())
    several, part_m = len(used) + vision.pose_sensor > 1, vision.part_m
    return ImageMeasurements(
        min(late_s, OLDEST_S), alike, several, LASTING_SHARE * part_m, LASTING_RAD_PER_M * part_m,
        0.0 if vision.pose_sensor else _range_share(tuple(used.values()), part_m),
    )  # fmt: skip


def _range_share(used: tuple[ImagingSensor, ...], part_m: float) -> float:
    """Nothing where one of them measures ranges."""
    if any(spec.gives != "camera" for spec in used):
        return 0.0
    focal = max(spec.focal_error_share if isinstance(spec, GreyCamera) else 0.0 for spec in used)
    return math.hypot(focal, SIZE_SHARE_PER_M * part_m)


def _late_s(spec: ImagingSensor, vision: Vision) -> float:
    frame_s = 1e-3 * vision.frame_ms
    if not isinstance(spec, Rendered):
        return OWN_LATE_S + frame_s
    scan_s = 1.0 / spec.rate_hz if isinstance(spec, LidarSensor) else 0.0
    return scan_s + 1e-3 * (spec.delay_ms + spec.jitter_ms) + frame_s

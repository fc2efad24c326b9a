"""What navigation knows of poses from images beforehand: how late they come, and how many in a row err alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from proxops.core.imaging_table import ImagingSensor, LidarSensor, Rendered
from proxops.core.mission import MissionFile
from proxops.core.vision_table import Vision
from proxops.onboard.relative_model import N_SOURCES

# Of an error of light, shape or surface that the covariance of one image has in it: until the client is seen from elsewhere.
# See docs/vision.md, "Fusion".
ALIKE_S: Final = 5.0
OWN_LATE_S: Final = 0.5  # of images from outside: ASSUMED


@dataclass(frozen=True)
class ImageMeasurements:
    """``late_s``: from an exposure until its pose is there, of the slowest sensor. ``alike``: for each source of measurements,
    how many err alike. ``several``: more than one sensor measures."""

    late_s: float
    alike: tuple[float, ...]
    several: bool


def image_measurements(file: MissionFile) -> ImageMeasurements | None:
    """None where nobody looks for the client in images."""
    vision = file.vision
    if not vision.sensors:
        return None
    used = {place: spec for place, spec in enumerate(file.imaging, 1) if spec.name in vision.sensors}
    alike = tuple(max(1.0, ALIKE_S * used[k].rate_hz) if k in used else 1.0 for k in range(N_SOURCES))
    late_s = max(_late_s(spec, vision) for spec in used.values())
    return ImageMeasurements(late_s, alike, len(used) + vision.pose_sensor > 1)


def _late_s(spec: ImagingSensor, vision: Vision) -> float:
    frame_s = 1e-3 * vision.frame_ms
    if not isinstance(spec, Rendered):
        return OWN_LATE_S + frame_s
    scan_s = 1.0 / spec.rate_hz if isinstance(spec, LidarSensor) else 0.0
    return scan_s + 1e-3 * (spec.delay_ms + spec.jitter_ms) + frame_s

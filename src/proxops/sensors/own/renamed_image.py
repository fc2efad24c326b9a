"""An image from outside as one of a run's sensor: its name, number and time are the run's, and it is what the sensor gives."""

from __future__ import annotations

import zlib
from dataclasses import fields, replace
from typing import Final

import numpy as np

from proxops.core.images import CameraImage, DepthImage, Image, PointScan
from proxops.core.imaging_table import OwnImages
from proxops.core.mounted_table import Gives
from proxops.sensors.image_stream import StreamCondition

GIVES: Final[dict[type, Gives]] = {CameraImage: "camera", DepthImage: "tof"}


def misfits(image: Image, spec: OwnImages) -> dict[StreamCondition, str]:
    """Why the sensor cannot have given it, if so; the words are empty where all is well."""
    gives: Gives = GIVES.get(type(image), "lidar")
    wrong = "" if gives == spec.gives else f"{gives} instead of {spec.gives}: not used"
    found = {StreamCondition.WRONG_KIND: wrong}
    if isinstance(image, PointScan) and not wrong:
        room, points = spec.width * spec.height, len(image.points_m)
        found[StreamCondition.WRONG_SIZE] = "" if points <= room else f"{points} points of at most {room}: not used"
    return found


def size_of(image: Image) -> tuple[int, int] | None:
    """(width, height); None of a scan, which may have any."""
    if isinstance(image, CameraImage):
        return image.pixels.shape[1], image.pixels.shape[0]
    return (image.range_m.shape[1], image.range_m.shape[0]) if isinstance(image, DepthImage) else None


def shown(image: Image) -> int:
    """A checksum of what it shows."""
    found = 0
    for part in fields(image):
        value = getattr(image, part.name)
        if isinstance(value, np.ndarray):
            found = zlib.crc32(value.tobytes(), found)
    return found


def renamed(image: Image, sensor: str, number: int, t: float) -> Image:
    return replace(image, sensor=sensor, number=number, t=t)

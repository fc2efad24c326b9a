"""An image as bytes for the log, without loss: pictures as PNG, distances and amplitudes as they are, points in rows.

Pure functions, to be called by the process that made the image: a PNG takes some milliseconds, the rest next to nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from proxops.core.errors import BadInput
from proxops.core.grey_picture import grey_of, png
from proxops.core.images import CameraImage, DepthImage, Image
from proxops.core.point_file import POINT, point_rows, scan_of_rows

IMAGE_PART, DEPTH_PART, INTENSITY_PART, POINTS_PART = "image", "depth", "intensity", "points"


@dataclass(frozen=True)
class EncodedImage:
    """``parts``: what it is made of, by the last word of its topic. ``width`` and ``height`` of a scan: 0."""

    sensor: str
    number: int
    t: float  # as of the image
    parts: dict[str, bytes]
    width: int = 0
    height: int = 0
    exposure_s: float = 0.0  # of cameras, as the gain and white
    gain_db: float = 0.0
    white: int = 0


def encode(image: Image) -> EncodedImage:
    """Any image; BadInput for one that has no pixels."""
    if isinstance(image, CameraImage):
        height, width = image.pixels.shape
        parts = {IMAGE_PART: png(image.pixels)}
        return EncodedImage(
            image.sensor, image.number, image.t, parts, width, height, image.exposure_s, image.gain_db, image.white
        )
    if isinstance(image, DepthImage):
        height, width = image.range_m.shape
        parts = {
            DEPTH_PART: image.range_m.astype("<f4").tobytes(),
            INTENSITY_PART: image.intensity.astype("<u2").tobytes(),
        }
        return EncodedImage(image.sensor, image.number, image.t, parts, width, height)
    return EncodedImage(image.sensor, image.number, image.t, {POINTS_PART: point_rows(image).tobytes()})


def decode(encoded: EncodedImage) -> Image:
    """The same image again, bit for bit; BadInput when the bytes are not those of one."""
    sensor, number, t, parts = encoded.sensor, encoded.number, encoded.t, encoded.parts
    if IMAGE_PART in parts:
        pixels = grey_of(parts[IMAGE_PART], sensor)
        white = encoded.white or int(np.iinfo(pixels.dtype).max)
        return CameraImage(sensor, number, t, encoded.exposure_s, encoded.gain_db, white, pixels)
    shape = (encoded.height, encoded.width)
    if DEPTH_PART in parts:
        ranges = _shaped(parts[DEPTH_PART], "<f4", shape, sensor).astype(np.float32)
        amplitude = _shaped(parts.get(INTENSITY_PART, bytes(2 * ranges.size)), "<u2", shape, sensor)
        return DepthImage(sensor, number, t, ranges, amplitude.astype(np.uint16))
    if len(data := parts[POINTS_PART]) % POINT.itemsize:
        raise BadInput("not whole points", where=sensor, value=f"{len(data)} bytes", bound=f"of {POINT.itemsize} each")
    return scan_of_rows(sensor, number, t, np.frombuffer(data, POINT))


def _shaped(data: bytes, kind: str, shape: tuple[int, int], where: str) -> NDArray[np.generic]:
    values = np.frombuffer(data, kind)
    if values.size != shape[0] * shape[1]:
        raise BadInput("other bytes than its size says", where=where, value=len(data), bound=f"{shape[1]} x {shape[0]}")
    return values.reshape(shape)

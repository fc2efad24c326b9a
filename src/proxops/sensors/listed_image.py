"""One image of a list, or of a folder: a picture, distances or points, out of its file.

Pictures: 8 or 16 bits of grey in whatever OpenCV reads. Distances: metres in an array (.npy, .npz) or in a picture of 32-bit
numbers (TIFF, PFM), millimetres in one of 16 bits; the amplitude stands beside them. Points: PCD, PLY, CSV, .npy, .npz.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from proxops.core.array_file import arrays_of
from proxops.core.errors import BadInput
from proxops.core.grey_picture import Grey, grey_of
from proxops.core.image_listing import ListedImage
from proxops.core.images import CameraImage, DepthImage, Image, PointScan
from proxops.core.point_file import points_of
from proxops.core.point_table import ARRAYS, TEXTS, points_of_arrays, points_of_text
from proxops.core.user_file import read_bytes

LARGEST_FILE: Final = 256 * 1024 * 1024
_NUMBERS: Final = (".tif", ".tiff", ".pfm")  # pictures that may hold metres
_Pixels = TypeVar("_Pixels", NDArray[np.uint8] | NDArray[np.uint16], NDArray[np.float32])


def read_listed(folder: Path, one: ListedImage, size: tuple[int, int] | None) -> Image:
    """BadInput for a file that is not that, or of another size than ``size`` (width, height)."""
    if one.kind == "camera":
        pixels = _fitting(_grey(folder, one.file), one.file, size)
        most = int(np.iinfo(pixels.dtype).max)
        white = min(one.white or most, most)  # a camera of 12 bits may have written 8
        return CameraImage(one.sensor, one.number, one.t, one.exposure_s, one.gain_db, white, pixels)
    if one.kind == "lidar":
        rows = _points(_bytes(folder, one.file), one.file)
        points = np.stack([rows["x"], rows["y"], rows["z"]], axis=1)
        return PointScan(one.sensor, one.number, one.t, points, rows["intensity"].copy(), rows["t"].copy())
    ranges, amplitude = _distances(folder, one.file)
    ranges = _fitting(ranges, one.file, size)
    if amplitude is None:
        amplitude = _amplitude(folder, one.file)
    if amplitude is None:
        amplitude = np.zeros(ranges.shape, np.uint16)
    if amplitude.shape != ranges.shape:
        raise BadInput(
            "intensity and range differ in size", where=one.file, value=amplitude.shape, bound=str(ranges.shape)
        )
    return DepthImage(one.sensor, one.number, one.t, ranges, amplitude)


def _points(data: bytes, file: str) -> NDArray[np.void]:
    suffix = Path(file).suffix.lower()
    if suffix in ARRAYS:
        return points_of_arrays(arrays_of(data, file), file)
    return points_of_text(data, file) if suffix in TEXTS else points_of(data, file)


def _distances(folder: Path, file: str) -> tuple[NDArray[np.float32], NDArray[np.uint16] | None]:
    """Metres, and the amplitude if the file holds it, too."""
    suffix, data = Path(file).suffix.lower(), _bytes(folder, file)
    if suffix in (".npy", ".npz"):
        found = arrays_of(data, file)
        ranges = found.get("range_m", next(iter(found.values())))
        if ranges.ndim != 2 or ranges.dtype.kind != "f" or not ranges.size:
            raise BadInput(
                "is no array (height, width) of distances, row by row",
                where=file,
                value=f"{ranges.dtype} {ranges.shape}",
            )
        amplitude = found.get("intensity")
        return ranges.astype(np.float32), None if amplitude is None else _levels(amplitude, file)
    metres = _metres(data) if suffix in _NUMBERS else None
    if metres is None:
        grey = grey_of(data, file)
        metres = np.where(grey == 0, np.float32(np.nan), grey.astype(np.float32) * np.float32(1e-3))
    return metres, None


def _metres(data: bytes) -> NDArray[np.float32] | None:
    """Of a picture of numbers; None if it is none. Zero is nothing."""
    import cv2

    try:
        pixels: Any = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_UNCHANGED)
    except cv2.error:
        return None
    if pixels is None or pixels.dtype.kind != "f" or pixels.ndim != 2:
        return None
    return np.where(pixels > 0.0, pixels, np.nan).astype(np.float32)


def _amplitude(folder: Path, file: str) -> NDArray[np.uint16] | None:
    """Of the picture beside it, if there is one."""
    stem = file.rpartition("_")[0] or file.rpartition(".")[0]
    for name in (f"{stem}_intensity.png", f"{stem}_intensity.pgm"):
        if (folder / name).is_file():
            return _grey(folder, name).astype(np.uint16)
    return None


def _levels(amplitude: NDArray[Any], file: str) -> NDArray[np.uint16]:
    if amplitude.dtype.kind not in "uif" or not np.isfinite(amplitude).all():
        raise BadInput("intensity is no array of numbers", where=file, value=f"{amplitude.dtype} {amplitude.shape}")
    return np.asarray(np.clip(amplitude, 0, 65535), np.uint16)


def _grey(folder: Path, file: str) -> Grey:
    return grey_of(_bytes(folder, file), file)


def _bytes(folder: Path, file: str) -> bytes:
    return read_bytes(folder / file, "an image", LARGEST_FILE)


def _fitting(pixels: _Pixels, file: str, size: tuple[int, int] | None) -> _Pixels:
    height, width = pixels.shape
    if size and (width, height) != size:
        raise BadInput(
            "does not fit the lens", where=file, value=f"{width} x {height}", bound=f"{size[0]} x {size[1]}"
        )  # fmt: skip
    return pixels

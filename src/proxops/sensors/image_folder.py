"""A folder of images or scans as a sensor: what another camera, or an earlier run, has seen, in the order of its times.

The list ``frames.csv`` (``core/image_listing.py``) names the files. Whatever is wrong with one of them is told once, and the rest
goes on: a file that is missing or cannot be decoded, a time that goes back or stands twice, a size that the lens does not have.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Final, TypeVar

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from proxops.core.errors import BadInput
from proxops.core.grey_picture import Grey, grey_of
from proxops.core.image_listing import LISTING, ListedImage, read_listing
from proxops.core.images import CameraImage, DepthImage, Image, PointScan
from proxops.core.point_file import points_of
from proxops.core.user_file import read_bytes

_Pixels = TypeVar("_Pixels", NDArray[np.uint8] | NDArray[np.uint16], NDArray[np.float32])
LARGEST_FILE: Final = 256 * 1024 * 1024
MOST_TOLD: Final = 200  # complaints that are kept; of more there is a count


@dataclass(frozen=True, eq=False)
class SeenImage:
    """``T_sensor_target``: packed, scalar first; None when nobody knows."""

    image: Image
    T_sensor_target: NDArray[np.float64] | None


class ImageFolder:
    """``sensor``: which of the list's, if it has several. ``size``: (width, height) that the lens says; None takes any."""

    def __init__(self, folder: Path | str, sensor: str = "", size: tuple[int, int] | None = None) -> None:
        self.folder, self._size = Path(folder), size
        self.complaints: list[str] = []
        self._left_out: set[str] = set()
        listed = read_listing(self.folder / LISTING, self._leave_out)
        known = sorted({one.sensor for one in listed})
        if not sensor and len(known) > 1:
            raise BadInput("has several sensors", where=str(self.folder), bound=", ".join(known), way_out="name one")
        self.listed = self._in_order([one for one in listed if not sensor or one.sensor == sensor])
        if not self.listed:
            raise BadInput(
                "no images to show",
                where=str(self.folder / LISTING),
                value=sensor or "an empty list",
                bound=", ".join(known),
            )

    def __iter__(self) -> Iterator[SeenImage]:
        """Each is read when it is asked for."""
        for one in self.listed:
            seen = self.read(one)
            if seen is not None:
                yield seen

    def read(self, one: ListedImage) -> SeenImage | None:
        """One of ``listed``; None, and a complaint, if it cannot be used."""
        try:
            image = self._read(one)
        except BadInput as reason:
            self._leave_out(str(reason))
            return None
        return SeenImage(image, np.array(one.T_sensor_target) if one.T_sensor_target else None)

    @property
    def left_out(self) -> int:
        """Images of the list that are not given, as far as it has been gone through."""
        return len(self._left_out)

    def _leave_out(self, text: str) -> None:
        self._left_out.add(text)
        self._tell(text)

    def _tell(self, text: str) -> None:
        if text not in self.complaints and len(self.complaints) < MOST_TOLD:
            self.complaints.append(text)

    def _in_order(self, listed: list[ListedImage]) -> list[ListedImage]:
        """By time; of two with one time the first."""
        if late := [two for one, two in pairwise(listed) if two.t < one.t]:
            self._tell(
                f"{LISTING}: {len(late)} times go back, the first at {late[0].file}: shown in the order of times"
            )
        kept: list[ListedImage] = []
        for one in sorted(listed, key=lambda one: one.t):
            if kept and one.t == kept[-1].t:
                self._leave_out(f"{LISTING}: {one.file} has the time of {kept[-1].file}, {one.t} s: left out")
            else:
                kept.append(one)
        return kept

    def _read(self, one: ListedImage) -> Image:
        if one.kind == "camera":
            pixels = self._fitting(self._grey(one.file), one.file)
            white = one.white or int(np.iinfo(pixels.dtype).max)
            return CameraImage(one.sensor, one.number, one.t, one.exposure_s, one.gain_db, white, pixels)
        if one.kind == "lidar":
            rows = points_of(self._bytes(one.file), one.file)
            points = np.stack([rows["x"], rows["y"], rows["z"]], axis=1)
            return PointScan(one.sensor, one.number, one.t, points, rows["intensity"].copy(), rows["t"].copy())
        return self._depth(one)

    def _depth(self, one: ListedImage) -> DepthImage:
        """Metres in .npy, or millimetres in a picture of 16 bits; the intensity beside it, if there is one."""
        if one.file.endswith(".npy"):
            ranges = self._fitting(_array(self._bytes(one.file), one.file), one.file)
        else:
            grey = self._fitting(self._grey(one.file), one.file)
            ranges = np.where(grey == 0, np.float32(np.nan), grey.astype(np.float32) * np.float32(1e-3))
        return DepthImage(one.sensor, one.number, one.t, ranges, self._intensity(one.file, ranges.shape))

    def _intensity(self, file: str, shape: tuple[int, ...]) -> NDArray[np.uint16]:
        stem = file.rpartition("_")[0] or file.rpartition(".")[0]
        for name in (f"{stem}_intensity.png", f"{stem}_intensity.pgm"):
            if (self.folder / name).is_file():
                grey = self._grey(name)
                if grey.shape != shape:
                    raise BadInput("intensity and range differ in size", where=name, value=grey.shape, bound=str(shape))
                return grey.astype(np.uint16)
        return np.zeros(shape, np.uint16)

    def _grey(self, file: str) -> Grey:
        return grey_of(self._bytes(file), file)

    def _bytes(self, file: str) -> bytes:
        return read_bytes(self.folder / file, "an image", LARGEST_FILE)

    def _fitting(self, pixels: _Pixels, file: str) -> _Pixels:
        height, width = pixels.shape
        if self._size and (width, height) != self._size:
            raise BadInput(
                "does not fit the lens", where=file, value=f"{width} x {height}", bound=f"{self._size[0]} x {self._size[1]}"
            )  # fmt: skip
        return pixels


def _array(data: bytes, file: str) -> NDArray[np.float32]:
    """(height, width) of a .npy; BadInput for any other array. What its header says is judged before memory is taken."""
    stream = io.BytesIO(data)
    try:
        version = npy.read_magic(stream)
        shape, by_columns, kind = (npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0)(
            stream
        )
    except (ValueError, EOFError) as reason:
        raise BadInput(f"is no array of distances: {reason}", where=file) from None
    pixels = data[stream.tell() :]
    if len(shape) != 2 or by_columns or kind.kind != "f" or not 0 < shape[0] * shape[1] * kind.itemsize == len(pixels):
        raise BadInput("is no array (height, width) of distances, row by row", where=file, value=f"{kind} {shape}")
    return np.frombuffer(pixels, kind).reshape(shape).astype(np.float32)

"""A folder of images or scans as a sensor: what another camera, or an earlier run, has seen, in the order of its times.

The list ``frames.csv`` (``core/image_listing.py``) names the files. Whatever is wrong with one of them is told once, and the rest
goes on: a file that is missing or cannot be decoded, a time that goes back or stands twice, a size that the lens does not have.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.errors import BadInput
from proxops.core.image_listing import LISTING, ListedImage, read_listing
from proxops.core.images import Image
from proxops.sensors.listed_image import read_listed

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
            image = read_listed(self.folder, one, self._size)
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

"""A folder of images as a sensor of a run: shown again at its own times, the same in every run.

Its first time is the run's 0. Begun again at its end, the pause is the one that its images mostly have.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Final

import numpy as np

from proxops.core.errors import BadInput
from proxops.core.own_sensor_table import FolderSensor
from proxops.sensors.image_folder import ImageFolder, SeenImage
from proxops.sensors.image_stream import ImageStream, StreamCondition
from proxops.sensors.own.renamed_image import misfits, renamed, shown, size_of

MOST_HZ: Final = 1000.0  # on the whole: times in another unit would be read for ever
GONE: Final = 10  # images in a row that cannot be read


def folder_of(spec: FolderSensor) -> ImageFolder:
    """BadInput if there is none, nothing in it, or times that cannot be seconds."""
    folder = ImageFolder(Path(spec.path), spec.sensor, None if spec.gives == "lidar" else spec.size)
    listed = folder.listed
    if (lasts_s := listed[-1].t - listed[0].t) * MOST_HZ < len(listed) - 1:
        raise BadInput(
            "images follow too fast: are their times in seconds?", where=spec.path, value=f"{len(listed)} in {lasts_s:g} s",
            bound=f"{MOST_HZ:g} a second",
        )  # fmt: skip
    return folder


class FolderSource:
    """``next_s``: when the next image of the list is there."""

    def __init__(self, spec: FolderSensor) -> None:
        self._spec, self._folder, self._stream = spec, folder_of(spec), ImageStream()
        times = np.array([one.t for one in self._folder.listed])
        self._times = times - times[0]
        pause = float(np.median(np.diff(times))) if len(times) > 1 else 1.0 / spec.rate_hz
        self._turn_s = float(self._times[-1]) + pause
        self._turn = self._place = self._number = self._unread = 0
        self._late_s = 1e-3 * spec.delay_ms

    @property
    def next_s(self) -> float:
        if self._place == len(self._times):
            return math.inf
        return self._exposed_s + self._late_s

    @property
    def conditions(self) -> dict[str, str]:
        found = {str(name): words for name, words in self._stream.conditions.items()}
        if said := self._folder.complaints:
            found[StreamCondition.LEFT_OUT] = (
                said[0] if len(said) == 1 else f"{said[0]}; and {len(said) - 1} more like it"
            )
        return found

    def take(self, now_s: float) -> list[SeenImage]:
        found: list[SeenImage] = []
        while self.next_s <= now_s + 1e-9:
            t = self._exposed_s
            seen = self._folder.read(self._folder.listed[self._place])
            self._count(seen)
            if seen is not None and self._fits(seen, t):
                image = renamed(seen.image, self._spec.name, self._number, t)
                found.append(SeenImage(image, seen.T_sensor_target))
            self._go_on()
        return found

    def close(self) -> None: ...

    @property
    def _exposed_s(self) -> float:
        return self._turn * self._turn_s + float(self._times[self._place])

    def _go_on(self) -> None:
        self._place, self._number = self._place + 1, self._number + 1
        if self._place < len(self._times):
            return
        if self._spec.loop:
            self._place, self._turn = 0, self._turn + 1
        else:
            self._stream.put(StreamCondition.STOPPED, f"the folder is at its end after {self._number} images")

    def _count(self, seen: SeenImage | None) -> None:
        """One that is missing is left out; when nothing comes any more, that is told by a name of its own."""
        self._unread = 0 if seen else self._unread + 1
        words = f"the last {self._unread} images of the list could not be read"
        self._stream.put(StreamCondition.STOPPED, words if self._unread >= GONE else "")

    def _fits(self, seen: SeenImage, now_s: float) -> bool:
        """What it gives is what the sensor is said to give; an image that stands still is told."""
        wrong = misfits(seen.image, self._spec)
        for condition, words in wrong.items():
            self._stream.put(condition, words)
        fits = self._stream.fits(now_s, self._number, size_of(seen.image), shown(seen.image))
        return fits and not any(wrong.values())

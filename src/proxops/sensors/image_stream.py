"""Is a stream of images what it should be? Named conditions of one that comes from outside: they stand until they are over.

The owner's clock is handed in. Nothing here knows whence the images come.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

FROZEN_FRAMES: Final = 10  # identical ones in a row: a real sensor has noise
STOPPED_S: Final = 2.0  # without any


class StreamCondition(StrEnum):
    """What can be wrong, as alarms are named."""

    NOT_CONNECTED = "images_not_connected"
    STOPPED = "images_stopped"
    WRONG_SIZE = "images_wrong_size"
    FROZEN = "images_frozen"
    DAMAGED = "images_damaged"
    WRONG_KIND = "images_wrong_kind"
    TIMES = "images_times_repeated"
    LEFT_OUT = "images_left_out"
    DEVICE = "images_device"


class ImageStream:
    """``size``: (width, height) that the lens says; None takes the first image's. ``conditions``: what is wrong now, in words."""

    def __init__(
        self, size: tuple[int, int] | None = None, *, frozen_frames: int = FROZEN_FRAMES, stopped_s: float = STOPPED_S
    ) -> None:
        self.conditions: dict[StreamCondition, str] = {}
        self.lost = 0  # images, by the gaps between their numbers
        self._size, self._frozen_frames, self._stopped_s = size, frozen_frames, stopped_s
        self._came_s: float | None = None
        self._last_shown = self._last_number = -1
        self._same = 1

    def fits(self, now_s: float, number: int, size: tuple[int, int] | None, shown: int) -> bool:
        """An image has come; whether it may be used. ``size``: None of a scan, which may have any. ``shown``: checksum of what it
        shows."""
        self._came_s = now_s
        self.conditions.pop(StreamCondition.STOPPED, None)
        if 0 <= self._last_number < number - 1:
            self.lost += number - 1 - self._last_number
        self._last_number = number
        self._same = self._same + 1 if shown == self._last_shown else 1
        self._last_shown = shown
        words = f"{self._same} images in a row are the same to the bit, up to number {number}"
        self.put(StreamCondition.FROZEN, words if self._same >= self._frozen_frames else "")
        return self._fits_lens(size)

    def _fits_lens(self, size: tuple[int, int] | None) -> bool:
        if size is None:
            return True
        self._size = self._size or size
        fits = size == self._size
        words = "" if fits else "{} x {} instead of {} x {}: not used".format(*size, *self._size)
        self.put(StreamCondition.WRONG_SIZE, words)
        return fits

    def look(self, now_s: float) -> None:
        """Now and then, also when nothing comes."""
        if self._came_s is None:
            self._came_s = now_s
        still_s = now_s - self._came_s
        self.put(StreamCondition.STOPPED, f"no image for {still_s:.1f} s" if still_s >= self._stopped_s else "")

    def put(self, condition: StreamCondition, words: str) -> None:
        """It stands with these words, or is over without any."""
        if words:
            self.conditions[condition] = words
        else:
            self.conditions.pop(condition, None)

"""Images of one sensor on their way through image processing: those that wait, and the one that is worked on."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass
from typing import Final

from proxops.applications.mission.vision.order import VisionOrders, VisionSetting
from proxops.core.images import Image
from proxops.onboard.vision.sight import EarthInView
from proxops.optics.scene.light import Light

CAUGHT_UP_S: Final = 0.5  # between two images on the way from the one in which the client was found
MOST_KEPT: Final = 512  # images of one sensor that wait: at 25 Hz twenty seconds
Lights = tuple[tuple[Light, ...], EarthInView | None]


@dataclass(frozen=True, eq=False)
class Job:
    """An image that is worked on."""

    image: Image
    due_s: float  # mission time at which its pose is there, in lockstep
    searched: bool
    designated: bool  # an operator has said where


class SensorWork:
    """Images of one sensor: those that wait, and the one that is worked on."""

    def __init__(self, setting: VisionSetting) -> None:
        self._setting = setting
        self.line = VisionOrders(setting)
        self.waiting: deque[tuple[Image, Lights]] = deque(maxlen=MOST_KEPT)
        self.job: Job | None = None
        self.begun_t = -math.inf  # time of the last image that was begun

    @property
    def name(self) -> str:
        return self._setting.sensor.name

    @property
    def search_s(self) -> float:
        return self._setting.vision.searched_s(self._setting.sensor)

    def begin_again(self) -> None:
        self.line.kill()
        self.line, self.job = VisionOrders(self._setting), None

    def next_image(self, followed_t: float | None) -> tuple[Image, Lights]:
        """The newest; while the client is followed from an earlier time, the newest that is not too far from then."""
        image = self.waiting.popleft()
        while self.waiting and (followed_t is None or self.waiting[0][0].t - followed_t <= CAUGHT_UP_S):
            image = self.waiting.popleft()
        return image

"""The imaging sensors of a mission: when they expose, and what is true then, in orbit and in the hall."""

from __future__ import annotations

import socket
from collections.abc import Callable
from typing import Final

from proxops.applications.mission.hall_view import HallView
from proxops.applications.mission.seen_by import log_of, seen_by
from proxops.applications.mission.transmitter import Transmitter
from proxops.applications.mission.true_moment import moment_of
from proxops.core.images import Image
from proxops.core.imaging_table import Rendered, own
from proxops.core.mission import MissionFile
from proxops.lab.cell import Cell
from proxops.runs.eyes import Eyes, EyeSetting, Tell
from proxops.runs.image_orders import DrawingFailed, Drawn, ImageSetting
from proxops.space.pair import SpacecraftPair

WHILE_WAITING: Final = 2  # processes that draw; live the other core is the tick's
LIVE_RESTARTS: Final = 3  # of a process that draws, or looks


class EyesFailed(Exception):
    """In lockstep: images cannot be drawn any more."""


class MissionEyes:
    """``tell``: what becomes of an image that has arrived; ``log``: of those that are recorded. ``cell``: of the hall, if they
    look at it. ``images``: listens for who wants every image. ``only_vision``: nobody does but image processing.
    Where a mission navigates by what they see, they see the orbit until the hall is ``handed_over``."""

    def __init__(
        self, file: MissionFile, seed: int, cell: Cell | None, *, waits: bool, images: socket.socket | None = None,
        only_vision: bool = False,
    ) -> None:  # fmt: skip
        self.log = log_of(file, cell is not None)
        seen = [(sensor, hall) for sensor, hall in seen_by(file, cell is not None) if isinstance(sensor, Rendered)]
        sensors, sees_hall = tuple(sensor for sensor, _ in seen), tuple(hall for _, hall in seen)
        exchanged = file.bridge.chaser_on == 2
        self._hall, waits_for_hall = any(sees_hall), any(sees_hall) and bool(file.vision.sensors)
        setting = ImageSetting(
            sensors, sees_hall, file.scenery, seed, cell, exchanged, waits_for_hall, encoded=not only_vision
        )
        self._orbit = waits_for_hall or not all(sees_hall)
        self.handed_over = not waits_for_hall
        self.tell: Callable[[Drawn, float], None] = lambda drawn, t: None  # with the mission time of its arrival
        unwanted = (
            number for number, spec in enumerate(sensors) if only_vision and spec.name not in file.vision.sensors
        )
        eyes = EyeSetting(
            setting if sensors else None, own(file.imaging), WHILE_WAITING if waits else 1, frozenset(unwanted)
        )
        self._eyes = Eyes(eyes, waits=waits, restarts=0 if waits else LIVE_RESTARTS, images=images)
        self.measure_by = self._eyes.measure_by

    @property
    def next_s(self) -> float:
        """Mission time before which nothing is to be done."""
        return self._eyes.next_s

    @property
    def left_out(self) -> int:
        return self._eyes.left_out

    def tell_conditions(self, tell: Tell) -> None:
        """Who is told by name what goes wrong with images."""
        self._eyes.tell = tell

    @property
    def pids(self) -> tuple[int, ...]:
        """Of the processes that draw."""
        return self._eyes.pids

    def look(self, pair: SpacecraftPair, line: Transmitter, hall: HallView | None) -> list[Image]:
        """Expose what is due now, tell of what has arrived; the images, without their truth."""
        try:
            found = self._eyes.look(
                pair.t,
                lambda: moment_of(pair, line.relative_pose if self._orbit else None, self._shown(hall)),
            )
        except DrawingFailed as failure:
            raise EyesFailed(str(failure)) from failure
        for drawn in found:
            self.tell(drawn, pair.t)
        return [drawn.image for drawn in found]

    def _shown(self, hall: HallView | None) -> HallView | None:
        return hall if self._hall and self.handed_over else None

    def poll(self) -> None:
        """Live, in every cycle."""
        self._eyes.poll()

    def close(self) -> None:
        self._eyes.close()

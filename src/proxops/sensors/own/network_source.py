"""Frames from the network as a sensor of a run; the times of their sender are put on the clock of the run."""

from __future__ import annotations

import math
from typing import Final

from proxops.core.control_sockets import address_of
from proxops.core.images import Image
from proxops.core.own_sensor_table import NetworkSensor
from proxops.sensors.image_client import ImageClient
from proxops.sensors.image_folder import SeenImage
from proxops.sensors.image_stream import ImageStream, StreamCondition
from proxops.sensors.own.renamed_image import misfits, renamed

OTHER_CLOCK_S: Final = 2.0  # an image that seems to be older than that comes from a sender that has begun again
LARGER: Final = 2  # than it should be, a frame is still read; to read any size would hold the run up
LEAST_BYTES: Final = 65_536


class NetworkSource:
    """We connect, and again when we must; nothing waits."""

    next_s = -math.inf  # it is listened to whenever there is time

    def __init__(self, spec: NetworkSensor) -> None:
        self._spec, self._stream = spec, ImageStream(None if spec.gives == "lidar" else spec.size)
        most = LARGER * max(spec.width * spec.height * spec.pixel_bytes, LEAST_BYTES)
        self._client = ImageClient(address_of(spec.at), self._stream, sensor=spec.sensor, most_bytes=most)
        self._offset_s, self._last_s, self._last_t = math.inf, -math.inf, -math.inf

    @property
    def conditions(self) -> dict[str, str]:
        found = {str(name): words for name, words in self._stream.conditions.items()}
        if StreamCondition.NOT_CONNECTED in found:  # which says why nothing comes
            found.pop(StreamCondition.STOPPED, None)
        return found

    def take(self, now_s: float) -> list[SeenImage]:
        return [seen for image in self._client.poll(now_s) if (seen := self._own(image, now_s))]

    def close(self) -> None:
        self._client.close()

    def _own(self, image: Image, now_s: float) -> SeenImage | None:
        wrong = misfits(image, self._spec)
        for condition, words in wrong.items():
            self._stream.put(condition, words)
        if any(wrong.values()):
            return None
        return SeenImage(renamed(image, self._spec.name, image.number, self._time_of(image, now_s)), None)

    def _time_of(self, image: Image, now_s: float) -> float:
        """On the run's clock; times that do not go on are told, and those of arrival stand in."""
        goes_on = image.t > self._last_s
        words = "" if goes_on else f"image {image.number} has the time {image.t:.6f} s, after {self._last_s:.6f} s"
        self._stream.put(StreamCondition.TIMES, words)
        self._last_s = image.t
        late_s = now_s - image.t
        if late_s > self._offset_s + OTHER_CLOCK_S:
            self._offset_s = math.inf
        self._offset_s = min(self._offset_s, late_s)
        t = image.t + self._offset_s if goes_on else now_s
        self._last_t = min(max(t, self._last_t + 1e-6), now_s)
        return self._last_t

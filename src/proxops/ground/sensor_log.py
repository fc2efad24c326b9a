"""A run's imaging sensors in its log: which channels they need, and the messages of each image.

Topics: ``/sensor/<name>/image`` of a camera, ``/depth`` and ``/intensity`` of a time-of-flight camera, ``/points`` of a LiDAR;
beside each ``/calibration`` (if it has a lens) and ``/truth`` (true pose, with number, times, exposure, gain); for all
``/sensor/tf``. Of a sensor whose images are looked through for the target's pose: ``/found`` with every answer, and ``/marks``
over the images that are recorded. A message is logged when the image arrives; its ``timestamp`` is the middle of the
exposure, of a scan its first point's, and so is the time of the true pose.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.imaging_table import ImagingSensor
from proxops.core.vision import Processed
from proxops.ground.foxglove import ANNOTATIONS, CALIBRATION, FACTS, FOUND, POINTS, TRANSFORMS
from proxops.ground.image_chunks import SENSOR_TOPICS
from proxops.ground.image_encoding import DEPTH_PART, IMAGE_PART, INTENSITY_PART, POINTS_PART, EncodedImage
from proxops.ground.sensor_messages import (
    PART_MESSAGES,
    facts_message,
    lens_message,
    part_message,
    sensor_frame,
    timed,
)
from proxops.ground.transform_rows import TransformRows
from proxops.ground.viewer_message import FIRST_SENSOR_CHANNEL, PIECE_BYTES, ViewerChannel, ViewerMessage
from proxops.ground.viewer_message import SLOTS as LEAST_SLOTS
from proxops.ground.vision_messages import found_message, marks_message, scan_marks_message, words_of
from proxops.maths.pose import pack_pose

SENSORS_TF: Final = f"{SENSOR_TOPICS}tf"
CRAFT_FRAMES: Final = {"chaser": "port1", "target": "port2"}
LENS_PART, FACTS_PART = "calibration", "truth"
FOUND_PART, MARKS_PART = "found", "marks"
BEHIND_S: Final = 4.0  # of images that the ring holds: in lockstep half of it is used
MOST_SLOTS: Final = 256 * 1024 * 1024 // PIECE_BYTES
SOON: Final = 1e-9  # s: times are sums of cycles
REMEMBERED: Final = 1024  # periods that have their image: more than a jitter of ten seconds can mix up


@dataclass(frozen=True)
class Arrival:
    """When an image came: the cycle, its UTC, and its time on the run's clock."""

    tick: int
    utc_ns: int
    t: float

    def utc_of(self, t: float) -> int:
        """Of an earlier time of the run."""
        return self.utc_ns - round((self.t - t) * 1e9)


class SensorLog:
    """``T_craft_sensor``: (4, 4) of each sensor by name; ``craft_frames``: what the log calls the craft; ``looked_through``:
    names of those whose images are searched for the target."""

    def __init__(
        self, sensors: Sequence[ImagingSensor], T_craft_sensor: Mapping[str, NDArray[np.float64]],
        craft_frames: Mapping[str, str] = CRAFT_FRAMES, looked_through: Collection[str] = (),
    ) -> None:  # fmt: skip
        recorded = [sensor for sensor in sensors if sensor.log_hz]
        topics = [(SENSORS_TF, TRANSFORMS)] if recorded else []
        topics += [(topic_of(one.name, part), kind) for one in recorded for part, kind in _parts(one).items()]
        scans = {one.name for one in sensors if one.gives == "lidar"}
        for name in looked_through:
            marks = POINTS if name in scans else ANNOTATIONS
            topics += [(topic_of(name, FOUND_PART), FOUND), (topic_of(name, MARKS_PART), marks)]
        self.channels = tuple(ViewerChannel(FIRST_SENSOR_CHANNEL + k, *topic) for k, topic in enumerate(topics))
        self.slots = ring_slots(recorded)
        self._numbers = {channel.topic: channel.number for channel in self.channels}
        self._every = {one.name: 1.0 / one.log_hz for one in recorded}
        self._taken = {name: deque[int](maxlen=REMEMBERED) for name in self._every}
        self._lenses: dict[str, Any] = {
            one.name: lens_message(one.name, one.lens) for one in recorded if one.lens and LENS_PART in _parts(one)
        }
        self._rows = {one.name: TransformRows([(craft_frames[one.on], sensor_frame(one.name))]) for one in recorded}
        self._places = {one.name: _packed(T_craft_sensor[one.name]) for one in recorded}

    def due(self, sensor: str, t: float) -> bool:
        """Whether the image that is exposed at ``t`` is to be recorded, by the sensor's ``log_hz``; asked once for each, also if
        they come in another order than they were exposed in."""
        if sensor not in self._every:
            return False
        period, taken = math.floor((t + SOON) / self._every[sensor]), self._taken[sensor]
        if period in taken:
            return False
        taken.append(period)
        return True

    def messages(
        self,
        image: EncodedImage,
        arrival: Arrival,
        T_sensor_target: NDArray[np.float64] | None = None,
        exposed_ns: int = 0,
    ) -> list[ViewerMessage]:
        """Of one image. ``T_sensor_target``: the truth at the image's time, (4, 4) or packed with the scalar first.
        ``exposed_ns``: UTC of that time; unless given it is reckoned back from the arrival."""
        name, exposed_ns = image.sensor, exposed_ns or arrival.utc_of(image.t)
        truth = None if T_sensor_target is None else _packed(T_sensor_target)
        bodies = {topic_of(name, part): part_message(image, part, exposed_ns) for part in image.parts}
        bodies[topic_of(name, FACTS_PART)] = facts_message(image, exposed_ns, truth)
        if name in self._lenses:  # beside each image: a viewer that jumps to a time has both
            bodies[topic_of(name, LENS_PART)] = timed(self._lenses[name], exposed_ns)
        place = self._places[name][None, None]
        bodies[SENSORS_TF] = self._rows[name].rows(np.array([exposed_ns]), place)[0].tobytes()
        return [
            ViewerMessage(self._numbers[topic], arrival.tick, arrival.utc_ns, body) for topic, body in bodies.items()
        ]

    def said(
        self, processed: Processed, arrival: Arrival, T_sensor_target: NDArray[np.float64] | None = None,
        exposed_ns: int = 0,
    ) -> list[ViewerMessage]:  # fmt: skip
        """What image processing says of an image. ``T_sensor_target``: the truth at the image's time, packed. ``exposed_ns``: as
        of ``messages``."""
        found = processed.found
        exposed_ns = exposed_ns or arrival.utc_of(found.t)
        bodies = {FOUND_PART: found_message(processed, exposed_ns, T_sensor_target)}
        if found.marks is not None and self._drawn(found.sensor, found.t):
            bodies[MARKS_PART] = (
                scan_marks_message(found.marks, sensor_frame(found.sensor), exposed_ns)
                if found.marks.points.shape[1:] == (3,)
                else marks_message(found.marks, exposed_ns, words_of(processed))
            )
        return [
            ViewerMessage(self._numbers[topic_of(found.sensor, part)], arrival.tick, arrival.utc_ns, body)
            for part, body in bodies.items()
        ]

    def _drawn(self, sensor: str, t: float) -> bool:
        """Whether the image of that time was recorded."""
        return sensor in self._every and math.floor((t + SOON) / self._every[sensor]) in self._taken[sensor]


def topic_of(sensor: str, part: str) -> str:
    return f"{SENSOR_TOPICS}{sensor}/{part}"


def ring_slots(sensors: Sequence[ImagingSensor]) -> int:
    """Pieces that a ring for these sensors holds: ``BEHIND_S`` of images that nothing makes smaller, and two of each."""
    wanted = sum((2.0 + BEHIND_S * one.log_hz) * image_bytes(one) for one in sensors)
    return min(max(LEAST_SLOTS, int(wanted / PIECE_BYTES) + 8 * len(sensors)), MOST_SLOTS)


def image_bytes(sensor: ImagingSensor) -> int:
    """Of one image in the log, at most, but for a few hundred."""
    width, height = sensor.size
    return width * height * sensor.pixel_bytes


def _parts(sensor: ImagingSensor) -> dict[str, str]:
    """Last word of a topic, and its kind of message."""
    if sensor.gives == "lidar":
        return {POINTS_PART: PART_MESSAGES[POINTS_PART], FACTS_PART: FACTS}
    seen = (DEPTH_PART, INTENSITY_PART) if sensor.gives == "tof" else (IMAGE_PART,)
    return {**{part: PART_MESSAGES[part] for part in seen}, LENS_PART: CALIBRATION, FACTS_PART: FACTS}


def _packed(T: NDArray[np.float64]) -> NDArray[np.float64]:
    if T.shape == (7,):
        return T
    out = np.empty(7)
    pack_pose(np.ascontiguousarray(T, np.float64), out)
    return out

"""What image processing said, out of a log: every answer with its pose, its worth and, where the log knows it, the truth."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from google.protobuf.message import DecodeError
from mcap.opcode import Opcode
from numpy.typing import NDArray

from proxops.core.vocabulary import Doubt, VisionState
from proxops.ground.foxglove import ANNOTATIONS, FOUND, foxglove_message
from proxops.ground.scan import Scan
from proxops.ground.sensor_log import FOUND_PART, MARKS_PART, topic_of
from proxops.ground.unpacking import MESSAGE, records

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class RecordedPose:
    """One answer. Poses packed, scalar first; ``truth``: at the image's time."""

    number: int
    t: float  # s, of the image
    arrived_ns: int
    state: VisionState
    doubt: Doubt
    trust: float
    searched: bool
    T_sensor_target: Floats | None
    covariance: Floats | None
    truth: Floats | None
    exposed_ns: int = 0  # UTC of ``t``, which marks of the same image have, too

    @property
    def trusted(self) -> bool:
        return self.doubt is Doubt.NONE and self.T_sensor_target is not None


def recorded_poses(path: Path, sensor: str) -> Iterator[RecordedPose]:
    """In the order in which they came."""
    for _, arrived_ns, message in _messages(path, [topic_of(sensor, FOUND_PART)], FOUND):
        yield _pose_of(message, arrived_ns)


def poses_of(path: Path, sensors: Sequence[str]) -> dict[str, list[RecordedPose]]:
    """Of several sensors at once: a log is long."""
    by_topic = {topic_of(sensor, FOUND_PART): sensor for sensor in sensors}
    found: dict[str, list[RecordedPose]] = {sensor: [] for sensor in sensors}
    for topic, arrived_ns, message in _messages(path, list(by_topic), FOUND):
        found[by_topic[topic]].append(_pose_of(message, arrived_ns))
    return found


def recorded_marks(path: Path, sensor: str) -> Iterator[tuple[int, Any]]:
    """UTC of the exposure, and the marks over that image as Foxglove has them."""
    for _, _, message in _messages(path, [topic_of(sensor, MARKS_PART)], ANNOTATIONS):
        times = [one.timestamp for one in (*message.texts, *message.points)]
        if times:
            yield _ns_of(times[0]), message


def _messages(path: Path, topics: Sequence[str], kind: str) -> Iterator[tuple[str, int, Any]]:
    """Topic, time of arrival, message."""
    scan = Scan(path)
    for part in scan.parts():
        numbers = {channel.id: channel.topic for channel in scan.channels.values() if channel.topic in topics}
        if not numbers:
            continue
        for opcode, start, end in records(part, 0, len(part)):
            if opcode != Opcode.MESSAGE:
                continue
            channel, _, arrived_ns, _ = MESSAGE.unpack_from(part, start)
            if channel in numbers:
                try:
                    yield (
                        numbers[channel],
                        arrived_ns,
                        foxglove_message(kind).FromString(part[start + MESSAGE.size : end]),
                    )
                except DecodeError:
                    continue  # damaged


def _pose_of(message: Any, arrived_ns: int) -> RecordedPose:
    covariance = np.array(message.covariance).reshape(6, 6) if len(message.covariance) == 36 else None
    return RecordedPose(
        message.number, message.t, arrived_ns, VisionState[message.state], Doubt[message.doubt], message.trust,
        message.searched, _packed(message, "T_sensor_target"), covariance, _packed(message, "T_sensor_target_true"),
        _ns_of(message.timestamp),
    )  # fmt: skip


def _ns_of(stamp: Any) -> int:
    return int(stamp.seconds * 10**9 + stamp.nanos)


def _packed(message: Any, field: str) -> Floats | None:
    if not message.HasField(field):
        return None
    p, q = getattr(message, field).position, getattr(message, field).orientation
    return np.array([p.x, p.y, p.z, q.w, q.x, q.y, q.z])

"""Which imaging sensors a running facility has and where their messages are, as it tells processes beside it: in its
``facility.json`` and, where they change, in its status.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from proxops.core.imaging_table import ImagingSensor
from proxops.ground.image_encoding import DEPTH_PART, IMAGE_PART, INTENSITY_PART, POINTS_PART
from proxops.ground.sensor_log import FACTS_PART, FOUND_PART, MARKS_PART, topic_of
from proxops.ground.viewer_message import ViewerChannel

KINDS: Final = ("camera", "tof", "lidar", "fiducial")
SEEN_PARTS: Final = (
    IMAGE_PART,
    DEPTH_PART,
    INTENSITY_PART,
    POINTS_PART,
)  # last word of a topic: what a viewer is shown
PARTS: Final = (*SEEN_PARTS, FACTS_PART, FOUND_PART, MARKS_PART)
MOST_SENSORS: Final = 32


@dataclass(frozen=True)
class EyeAbout:
    """One sensor. ``width``, ``height``: of its pictures (points of a line, and lines, of a scanner). ``rate_hz``: of the images
    that come through the ring. ``channels``: what comes in which of its channels."""

    name: str
    kind: str
    width: int
    height: int
    rate_hz: float
    channels: Mapping[int, str] = field(default_factory=dict)

    def plain(self) -> dict[str, Any]:
        return {
            "name": self.name, "kind": self.kind, "width": self.width, "height": self.height, "rate_hz": self.rate_hz,
            "channels": {str(number): what for number, what in self.channels.items()},
        }  # fmt: skip

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> EyeAbout:
        """From ``plain``. ValueError, KeyError or TypeError if it is not that."""
        kind, channels = str(told["kind"]), {int(number): str(what) for number, what in told["channels"].items()}
        if kind not in KINDS or not set(channels.values()) <= set(PARTS):
            raise ValueError(f"no such sensor: {kind} with {sorted(channels.values())}")
        name, rate_hz = str(told["name"]), float(told["rate_hz"])
        if not rate_hz > 0.0:
            raise ValueError(f"{name} at {rate_hz} Hz")
        return cls(name, kind, int(told["width"]), int(told["height"]), rate_hz, channels)


@dataclass(frozen=True)
class EyesAbout:
    """``ring``: of pieces of messages (``ground/viewer_message.py``)."""

    ring: Path
    sensors: tuple[EyeAbout, ...]

    def plain(self) -> dict[str, Any]:
        return {"ring": str(self.ring), "sensors": [each.plain() for each in self.sensors]}

    @classmethod
    def of(cls, told: Mapping[str, Any] | None) -> EyesAbout | None:
        """From ``plain``; None is none. ValueError, KeyError or TypeError if it is not that."""
        if told is None:
            return None
        sensors = tuple(EyeAbout.of(each) for each in told["sensors"])
        if len(sensors) > MOST_SENSORS or len({each.name for each in sensors}) < len(sensors):
            raise ValueError(f"more than {MOST_SENSORS} sensors, or two of one name")
        return cls(Path(told["ring"]), sensors)


def eyes_about(ring: Path, sensors: Iterable[ImagingSensor], channels: Iterable[ViewerChannel]) -> EyesAbout:
    """What is recorded of these sensors goes into this ring, in these channels."""
    channels = list(channels)
    recorded = [sensor for sensor in sensors if sensor.log_hz]
    return EyesAbout(ring, tuple(_eye(sensor, channels) for sensor in recorded))


def _eye(sensor: ImagingSensor, channels: Sequence[ViewerChannel]) -> EyeAbout:
    parts = {topic_of(sensor.name, part): part for part in PARTS}
    own = {channel.number: parts[channel.topic] for channel in channels if channel.topic in parts}
    kind = sensor.kind if sensor.kind in KINDS else sensor.gives  # an own one is shown as what it gives
    return EyeAbout(sensor.name, kind, *sensor.size, min(sensor.rate_hz, sensor.log_hz), own)

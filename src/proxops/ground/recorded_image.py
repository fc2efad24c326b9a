"""Images out of a log: everything that a sensor gave, with its times and, where the log knows it, the truth.

Chunk by chunk, so a log of any size takes little memory; a damaged one is left out. Logs from before there were several sensors
have one camera without facts: it is called ``camera``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from google.protobuf.message import DecodeError
from mcap.opcode import Opcode
from numpy.typing import NDArray

from proxops.core.errors import BadInput
from proxops.core.images import Image
from proxops.ground.foxglove import CALIBRATION, FACTS, IMAGE, POINTS, RAW_IMAGE, foxglove_message
from proxops.ground.image_chunks import SENSOR_TOPICS
from proxops.ground.image_encoding import EncodedImage, decode
from proxops.ground.scan import Scan
from proxops.ground.sensor_log import FACTS_PART, LENS_PART, MARKS_PART
from proxops.ground.unpacking import MESSAGE, records

OLD_CAMERA: Final = "camera"
_OLD_TOPICS: Final = {"/camera/image": "image", "/camera/calibration": LENS_PART}
_MESSAGES: Final = {IMAGE, RAW_IMAGE, POINTS, FACTS, CALIBRATION}
Topics = dict[int, tuple[str, str]]  # channel: last word of its topic, kind of message


@dataclass(frozen=True, eq=False)
class RecordedImage:
    """``exposed_ns`` UTC of the image's time (the middle of the exposure, or a scan's first point), ``arrived_ns`` when it came;
    ``T_sensor_target`` then, packed, scalar first."""

    encoded: EncodedImage
    exposed_ns: int
    arrived_ns: int
    T_sensor_target: NDArray[np.float64] | None
    lens: dict[str, Any] | None = None  # as ``core.lens.Lens`` has it

    @property
    def image(self) -> Image:
        return decode(self.encoded)


def image_sensors(path: Path) -> tuple[str, ...]:
    """Names of the sensors whose images a log may have."""
    scan = Scan(path, images=False)
    for _ in scan.parts():
        pass  # channels may stand anywhere
    return names_in(channel.topic for channel in scan.channels.values())


def names_in(topics: Any) -> tuple[str, ...]:
    """Sensors, in the order of their topics."""
    found: dict[str, None] = {}
    for topic in topics:
        name, _, part = topic.removeprefix(SENSOR_TOPICS).partition("/")
        if topic.startswith(SENSOR_TOPICS) and part:
            found[name] = None
        elif topic in _OLD_TOPICS:
            found[OLD_CAMERA] = None
    return tuple(found)


def recorded_images(path: Path, sensor: str) -> Iterator[RecordedImage]:
    """In the order in which they came."""
    scan = Scan(path)
    for part in scan.parts():
        topics = {c.id: t for c in scan.channels.values() if (t := _topic(scan, c, sensor))}
        if not topics:
            continue
        yield from _in_chunk(part, topics, sensor)


def _topic(scan: Scan, channel: Any, sensor: str) -> tuple[str, str] | None:
    schema = scan.schemas.get(channel.schema_id)
    name, _, part = channel.topic.removeprefix(SENSOR_TOPICS).partition("/")
    if channel.topic in _OLD_TOPICS:
        name, part = OLD_CAMERA, _OLD_TOPICS[channel.topic]
    elif not channel.topic.startswith(SENSOR_TOPICS) or part == MARKS_PART:  # those of a scan are points, too
        return None
    return (part, schema.name) if name == sensor and schema is not None and schema.name in _MESSAGES else None


def _in_chunk(part: bytes, topics: Topics, sensor: str) -> Iterator[RecordedImage]:
    """What belongs to one image has one time of exposure and one of arrival."""
    found: dict[tuple[int, int], dict[str, Any]] = {}
    for opcode, start, end in records(part, 0, len(part)):
        if opcode != Opcode.MESSAGE:
            continue
        channel, _, arrived_ns, _ = MESSAGE.unpack_from(part, start)
        if channel not in topics:
            continue
        word, kind = topics[channel]
        try:
            message = foxglove_message(kind).FromString(part[start + MESSAGE.size : end])
        except DecodeError:
            continue  # damaged: the image lacks it
        exposed_ns = message.timestamp.seconds * 10**9 + message.timestamp.nanos
        found.setdefault((arrived_ns, exposed_ns), {})[word] = message
    for (arrived_ns, exposed_ns), messages in sorted(found.items()):
        if one := _image(messages, exposed_ns, arrived_ns, sensor):
            yield one


def _image(messages: dict[str, Any], exposed_ns: int, arrived_ns: int, sensor: str) -> RecordedImage | None:
    facts, lens = messages.get(FACTS_PART), _lens(messages.get(LENS_PART))
    parts = {word: m.data for word, m in messages.items() if word not in (FACTS_PART, LENS_PART)}
    if not parts:
        return None
    seen = next(messages[word] for word in parts)
    size = getattr(seen, "width", 0), getattr(seen, "height", 0)
    if facts is None:
        return RecordedImage(
            EncodedImage(sensor, -1, exposed_ns * 1e-9, parts, *size), exposed_ns, arrived_ns, None, lens
        )
    encoded = EncodedImage(sensor, facts.number, facts.t, parts, *size, facts.exposure_s, facts.gain_db, facts.white)
    return RecordedImage(encoded, exposed_ns, arrived_ns, _truth(facts), lens)


def _lens(message: Any) -> dict[str, Any] | None:
    if message is None or len(message.K) != 9:
        return None
    K, distortion = list(message.K), [*message.D, 0.0, 0.0, 0.0, 0.0, 0.0][:5]
    return {
        "width": message.width, "height": message.height, "fx": K[0], "fy": K[4], "cx": K[2], "cy": K[5],
        "distortion": distortion,
    }  # fmt: skip


def _truth(facts: Any) -> NDArray[np.float64] | None:
    if not facts.HasField("T_sensor_target"):
        return None
    p, q = facts.T_sensor_target.position, facts.T_sensor_target.orientation
    return np.array([p.x, p.y, p.z, q.w, q.x, q.y, q.z])


def demand_sensor(name: str, known: tuple[str, ...], where: Path) -> None:
    if name not in known:
        raise BadInput(
            "no such sensor in the log", where=str(where), value=name, bound=", ".join(known) or "it has none"
        )

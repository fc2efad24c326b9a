"""What a sensor has seen, as a page takes it: a JSON head and the bytes. The other side is page/src/sensors/sight.ts.

Byte 3, three zero bytes, u32 length of the head, the head (padded to 8 bytes with blanks), the payload: a picture as PNG, as it
was recorded; ranges or levels as plain numbers, row by row; points as four float32 each (x y z in m in the sensor's frame,
intensity).
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from proxops.console.json_text import json_text
from proxops.ground.foxglove import FACTS, IMAGE, POINTS, RAW_IMAGE, foxglove_message

SIGHT: Final = 3
HEAD: Final = struct.Struct("<BxxxI")
MOST_POINTS: Final = 20_000  # more than a page can tell apart
MOST_PIXELS: Final = 24_000_000
PNG: Final = b"\x89PNG\r\n\x1a\n"
_RAW: Final = {"mono8": "u1", "mono16": "<u2", "32FC1": "<f4"}
_POINT: Final = {1: "u1", 2: "i1", 3: "<u2", 4: "<i2", 5: "<u4", 6: "<i4", 7: "<f4", 8: "<f8"}


@dataclass(frozen=True)
class HungSight:
    """Of one sensor, one kind of what it sees. ``facts``: for the head, beside what the bytes say of themselves."""

    sensor: str
    what: str
    utc_ns: int
    format: dict[str, Any]
    payload: bytes
    facts: dict[str, Any]

    @property
    def key(self) -> tuple[str, str]:
        return self.sensor, self.what

    @cached_property
    def data(self) -> bytes:
        """To be sent, the same bytes to every viewer."""
        text = json_text({"sensor": self.sensor, "what": self.what, **self.format, **self.facts}).encode()
        text += b" " * (-len(text) % 8)
        return HEAD.pack(SIGHT, len(text)) + text + self.payload

    def with_facts(self, **facts: Any) -> HungSight:
        return replace(self, facts={**self.facts, **facts})


def sight_of(sensor: str, what: str, body: bytes) -> HungSight:
    """From a message as it is recorded. ValueError if it is not what its channel promises."""
    try:
        return _points(sensor, body) if what == "points" else _picture(sensor, what, body)
    except ValueError:
        raise
    except Exception as error:  # a message of another's making: protobuf has errors of its own
        raise ValueError(f"{type(error).__name__} {error}"[:200]) from None


def facts_of(body: bytes) -> tuple[int, dict[str, Any]]:
    """Time of the exposure (UTC, ns) and what is told beside its image. ValueError if that cannot be read."""
    try:
        told = foxglove_message(FACTS).FromString(body)
    except Exception as error:  # protobuf has errors of its own
        raise ValueError(f"{type(error).__name__} {error}"[:200]) from None
    camera = {"exposure_s": told.exposure_s, "gain_db": told.gain_db, "white": told.white} if told.white else {}
    return utc_ns_of(told), {"number": told.number, **camera}


def utc_ns_of(message: Any) -> int:
    """Of the middle of its exposure."""
    return int(message.timestamp.seconds) * 10**9 + int(message.timestamp.nanos)


def _picture(sensor: str, what: str, body: bytes) -> HungSight:
    """A compressed image is handed on as it is; a plain one without what its rows are padded with."""
    if what != "image":
        raw = foxglove_message(RAW_IMAGE).FromString(body)
        return HungSight(sensor, what, utc_ns_of(raw), *_raw(raw), {})
    image = foxglove_message(IMAGE).FromString(body)
    width, height = _png_size(image.data)
    return HungSight(
        sensor, what, utc_ns_of(image), {"format": "png", "width": width, "height": height}, image.data, {}
    )


def _png_size(data: bytes) -> tuple[int, int]:
    if data[:8] != PNG or data[12:16] != b"IHDR":
        raise ValueError("no PNG")
    width, height = struct.unpack(">II", data[16:24])
    return _sized(width, height)


def _raw(image: Any) -> tuple[dict[str, Any], bytes]:
    """Metres where they are of 32 bits, levels where they are whole numbers."""
    if image.encoding not in _RAW:
        raise ValueError(f"no encoding of ours: {image.encoding[:20]!r}")
    kind = np.dtype(_RAW[image.encoding])
    width, height = _sized(image.width, image.height)
    row = width * kind.itemsize
    if image.step < row or len(image.data) != image.step * height:
        raise ValueError(f"{len(image.data)} bytes are no image of {width} x {height}")
    rows = np.frombuffer(image.data, np.uint8).reshape(height, image.step)[:, :row]
    return {"format": f"{kind.kind}{8 * kind.itemsize}", "width": width, "height": height}, rows.tobytes()


def _sized(width: int, height: int) -> tuple[int, int]:
    if not 0 < width * height <= MOST_PIXELS:
        raise ValueError(f"{width} x {height} is no size of a picture")
    return width, height


def _points(sensor: str, body: bytes) -> HungSight:
    """Evenly thinned out where there are too many."""
    cloud = foxglove_message(POINTS).FromString(body)
    found = {each.name: (int(each.offset), _POINT[int(each.type)]) for each in cloud.fields}
    names = [name for name in ("x", "y", "z", "intensity") if name in found]
    if names[:3] != ["x", "y", "z"]:
        raise ValueError("points without x, y and z")
    offsets, formats = zip(*(found[name] for name in names), strict=True)
    table = np.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": cloud.point_stride})
    rows = np.frombuffer(cloud.data, table)
    thinned = rows[:: max(1, -(-len(rows) // MOST_POINTS))]
    xyzi: NDArray[np.float32] = np.zeros((len(thinned), 4), "<f4")
    for k, name in enumerate(names):
        xyzi[:, k] = thinned[name]
    xyzi = xyzi[np.isfinite(xyzi[:, :3]).all(axis=1)]
    return HungSight(sensor, "points", utc_ns_of(cloud), {"format": "xyzi", "count": len(rows)}, xyzi.tobytes(), {})

"""What image processing has marked in an image, as a page draws it over it: layers of points or lines of one colour each."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from proxops.console.sight import HungSight, utc_ns_of
from proxops.ground.foxglove import ANNOTATIONS, foxglove_message
from proxops.ground.foxglove import POINTS as POINTS_MESSAGE
from proxops.ground.vision_messages import LINE_LIST, POINTS, colour_of

KINDS: Final = {POINTS: "points", LINE_LIST: "lines"}
MOST_LAYERS: Final = 32
MOST: Final = 20_000  # points of all layers together


def marks_of(sensor: str, body: bytes) -> HungSight:
    """From a message as it is recorded: pixels right and down, as float32, layer after layer; of lines both ends. ValueError if
    it is not what its channel promises."""
    try:
        told = foxglove_message(ANNOTATIONS).FromString(body)
    except Exception as error:  # protobuf has errors of its own
        raise ValueError(f"{type(error).__name__} {error}"[:200]) from None
    layers: list[dict[str, Any]] = []
    pixels = []
    for one in told.points[:MOST_LAYERS]:
        if one.type not in KINDS:
            continue
        xy = np.array([(p.x, p.y) for p in one.points[:MOST]], "<f4").reshape(-1, 2)
        c = one.outline_color
        layers.append({"kind": KINDS[one.type], "count": len(xy), "colour": [_byte(v) for v in (c.r, c.g, c.b)]})
        pixels.append(xy.tobytes())
    stamped = told.points or told.texts
    if not stamped:
        raise ValueError("marks without a time")
    return HungSight(
        sensor, "marks", utc_ns_of(stamped[0]), {"format": "marks", "layers": layers}, b"".join(pixels), {}
    )


def scan_marks_of(sensor: str, body: bytes) -> HungSight:
    """Of a scan: points in the sensor's frame, m, as float32, layer after layer."""
    try:
        message = foxglove_message(POINTS_MESSAGE).FromString(body)
    except Exception as error:  # protobuf has errors of its own
        raise ValueError(f"{type(error).__name__} {error}"[:200]) from None
    if [field.name for field in message.fields] != ["x", "y", "z", "group"] or len(message.data) % 16:
        raise ValueError("no marks of a scan")
    rows = np.frombuffer(message.data, "<f4").reshape(-1, 4)[:MOST]
    rows = rows[np.isfinite(rows).all(axis=1) & (rows[:, 3] >= 0) & (rows[:, 3] < 256)]
    layers, points = [], []
    for number in np.unique(rows[:, 3])[:MOST_LAYERS].tolist():
        xyz = rows[rows[:, 3] == number][:, :3]
        layers.append({"kind": "cloud", "count": len(xyz), "colour": [_byte(v) for v in colour_of(int(number))]})
        points.append(xyz.tobytes())
    return HungSight(sensor, "marks", utc_ns_of(message), {"format": "marks", "layers": layers}, b"".join(points), {})


def _byte(share: float) -> int:
    return round(255 * min(max(share, 0.0), 1.0)) if share == share else 0

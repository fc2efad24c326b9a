"""What image processing has marked in a picture, as a page draws it over it: layers of points or lines of one colour each."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from proxops.console.sight import HungSight, utc_ns_of
from proxops.ground.foxglove import ANNOTATIONS, foxglove_message
from proxops.ground.vision_messages import LINE_LIST, POINTS

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


def _byte(share: float) -> int:
    return round(255 * min(max(share, 0.0), 1.0)) if share == share else 0

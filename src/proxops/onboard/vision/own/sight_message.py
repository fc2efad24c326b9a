"""A sight and its answer as they go over TCP: JSON behind a head of 12 bytes, then the image; docs/images_interface.md.

Pure packing and checking; the socket is elsewhere.
"""

from __future__ import annotations

import json
import struct
from dataclasses import asdict
from typing import Any, Final

from proxops.core.image_frame import BadFrame, frame_of
from proxops.core.imaging_table import ImagingSensor
from proxops.core.vision import PoseFound
from proxops.core.vocabulary import Doubt
from proxops.onboard.vision.own.answer_check import NoAnswer, checked
from proxops.onboard.vision.sight import Sight
from proxops.optics.scene.light import DistantLight, Light, NearLight

ASKED, ANSWERED = b"PXPQ", b"PXPA"
VERSION: Final = 1
HEAD: Final = struct.Struct("<4sII")  # magic, version, bytes of JSON
MOST_BYTES: Final = 1 << 20  # of an answer


def question(sight: Sight, sensor: ImagingSensor, limit_s: float) -> bytes:
    """All that an estimator is told. NoAnswer for an image that cannot be sent."""
    prediction, image = sight.prediction, sight.image
    told = {
        "sensor": image.sensor, "gives": sensor.gives, "lens": asdict(sensor.lens) if sensor.lens else None,
        "number": image.number, "t_s": image.t, "limit_s": limit_s,
        "prediction": None if prediction is None else {
            "T_sensor_target": prediction.T_sensor_target.tolist(), "covariance": prediction.covariance.tolist(),
            "motion": prediction.motion.tolist(),
        },
        "lights": [_light(light) for light in sight.lights],
        "earth": None if sight.earth is None else {
            "direction": sight.earth.direction.tolist(), "radius_rad": sight.earth.radius_rad
        },
        "designated": sight.designated,
    }  # fmt: skip
    try:
        body, frame = json.dumps(told, allow_nan=False).encode(), frame_of(image)
    except (BadFrame, ValueError) as reason:
        raise NoAnswer(f"cannot be sent: {reason}") from None
    return HEAD.pack(ASKED, VERSION, len(body)) + body + frame


def body_size(head: bytes) -> int:
    """Of an answer, by its head."""
    magic, version, size = HEAD.unpack(head)
    if magic != ANSWERED or version != VERSION:
        raise NoAnswer(f"no head of an answer: {head!r}")
    if not 0 < size <= MOST_BYTES:
        raise NoAnswer(f"an answer of {size} bytes; at most {MOST_BYTES}")
    return int(size)


def answered(body: bytes, sight: Sight) -> PoseFound:
    """NoAnswer for what is none, or to another image."""
    told = _object(body)
    if told.get("number") != sight.image.number:
        raise NoAnswer(f"an answer to image {told.get('number')!r:.40}, not {sight.image.number}")
    doubt = told.get("doubt", "NONE")
    if not isinstance(doubt, str) or doubt not in Doubt.__members__:
        raise NoAnswer(f"no such doubt: {doubt!r:.40}; there is {', '.join(Doubt.__members__)}")
    covariance = told.get("covariance")
    if isinstance(covariance, list) and len(covariance) == 36:
        covariance = [covariance[k : k + 6] for k in range(0, 36, 6)]
    image = sight.image
    found = PoseFound(
        image.sensor,
        image.number,
        image.t,
        Doubt[doubt],
        told.get("trust", 0.0),
        told.get("T_sensor_target"),
        covariance,
    )
    return checked(found)


def _object(body: bytes) -> dict[str, Any]:
    def no_number(word: str) -> float:
        raise NoAnswer(f"{word} is no number")

    try:
        told = json.loads(body, parse_constant=no_number)
    except NoAnswer:
        raise
    except (ValueError, RecursionError) as reason:
        raise NoAnswer(f"no JSON: {reason}") from None
    if not isinstance(told, dict):
        raise NoAnswer("no JSON object")
    return told


def _light(light: Light) -> dict[str, Any]:
    kind = "distant" if isinstance(light, DistantLight) else "near" if isinstance(light, NearLight) else "surrounding"
    return {"kind": kind, **asdict(light)}

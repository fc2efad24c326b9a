"""What an imaging sensor gives as messages that Foxglove shows: pictures, distances, points, the lens, and facts of each.

``timestamp`` is the middle of the exposure. Distances are metres in 32-bit numbers, as the sensor gave them: a PNG of 16 bits in
millimetres would round them, and browsers show its upper 8 bits only. Frame of all: ``sensor/<name>``, as OpenCV has it.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.lens import Lens
from proxops.core.point_file import POINT
from proxops.ground.foxglove import CALIBRATION, FACTS, IMAGE, POINTS, RAW_IMAGE, foxglove_message
from proxops.ground.image_encoding import DEPTH_PART, IMAGE_PART, INTENSITY_PART, POINTS_PART, EncodedImage
from proxops.ground.transform_rows import SECOND_NS

PART_MESSAGES: Final = {IMAGE_PART: IMAGE, DEPTH_PART: RAW_IMAGE, INTENSITY_PART: RAW_IMAGE, POINTS_PART: POINTS}
"""What carries each part of an image."""
_RAW: Final = {DEPTH_PART: ("32FC1", 4), INTENSITY_PART: ("mono16", 2)}
FLOAT32: Final = 7  # of PackedElementField.NumericType


def sensor_frame(name: str) -> str:
    return f"sensor/{name}"


def part_message(encoded: EncodedImage, part: str, utc_ns: int) -> bytes:
    """One part of an image that was exposed at ``utc_ns``."""
    frame, data = sensor_frame(encoded.sensor), encoded.parts[part]
    if part == IMAGE_PART:
        return timed(foxglove_message(IMAGE)(data=data, format="png", frame_id=frame), utc_ns)
    if part == POINTS_PART:
        message = foxglove_message(POINTS)(frame_id=frame, point_stride=POINT.itemsize, data=data)
        message.pose.orientation.w = 1.0
        for k, name in enumerate(POINT.names or ()):
            message.fields.add(name=name, offset=4 * k, type=FLOAT32)
        return timed(message, utc_ns)
    kind, pixel_bytes = _RAW[part]
    return timed(
        foxglove_message(RAW_IMAGE)(
            width=encoded.width, height=encoded.height, encoding=kind, step=encoded.width * pixel_bytes, data=data,
            frame_id=frame,
        ),
        utc_ns,
    )  # fmt: skip


def lens_message(name: str, lens: Lens) -> Any:
    """Without a time: nothing is rectified, so P is K without distortion."""
    K = lens.intrinsics
    P = np.column_stack([K, np.zeros(3)])
    return foxglove_message(CALIBRATION)(
        frame_id=sensor_frame(name), width=lens.width, height=lens.height, distortion_model="plumb_bob",
        D=list(lens.distortion), K=K.ravel().tolist(), R=np.eye(3).ravel().tolist(), P=P.ravel().tolist(),
    )  # fmt: skip


def facts_message(encoded: EncodedImage, utc_ns: int, T_sensor_target: NDArray[np.float64] | None) -> bytes:
    """Number, times, exposure, gain, and where the target truly was: packed x y z qw qx qy qz, or unknown."""
    message = foxglove_message(FACTS)(
        frame_id=sensor_frame(encoded.sensor), number=encoded.number, t=encoded.t, exposure_s=encoded.exposure_s,
        gain_db=encoded.gain_db, white=encoded.white,
    )  # fmt: skip
    if T_sensor_target is not None:
        p, q = message.T_sensor_target.position, message.T_sensor_target.orientation
        p.x, p.y, p.z, q.w, q.x, q.y, q.z = T_sensor_target.tolist()
    return timed(message, utc_ns)


def timed(message: Any, utc_ns: int) -> bytes:
    """The message with its time, as bytes."""
    message.timestamp.seconds, message.timestamp.nanos = divmod(max(utc_ns, 0), SECOND_NS)
    body: bytes = message.SerializeToString(deterministic=True)
    return body

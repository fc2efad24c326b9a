"""A camera's images and calibration as Foxglove's Image panel shows them."""

from __future__ import annotations

from typing import Any

import numpy as np

from proxops.core.camera import CameraSpec
from proxops.ground.foxglove import CALIBRATION, IMAGE, foxglove_message
from proxops.ground.transform_rows import SECOND_NS


class CameraMessages:
    """Of one camera. ``frame``: x right and y down in the image, z into it."""

    def __init__(self, frame: str, camera: CameraSpec) -> None:
        self._frame, self._calibration = frame, _calibration(frame, camera)

    def image(self, utc_ns: int, png: bytes) -> bytes:
        return _timed(foxglove_message(IMAGE)(data=png, format="png", frame_id=self._frame), utc_ns)

    def calibration(self, utc_ns: int) -> bytes:
        """To stand beside each image: a viewer that jumps to a time has both."""
        return _timed(self._calibration, utc_ns)


def _calibration(frame: str, camera: CameraSpec) -> Any:
    """A pinhole: no distortion, nothing to rectify."""
    K = camera.intrinsics
    P = np.column_stack([K, np.zeros(3)])
    return foxglove_message(CALIBRATION)(
        frame_id=frame, width=camera.width, height=camera.height, distortion_model="plumb_bob", D=[0.0] * 5,
        K=K.ravel().tolist(), R=[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0], P=P.ravel().tolist(),
    )  # fmt: skip


def _timed(message: Any, utc_ns: int) -> bytes:
    message.timestamp.seconds, message.timestamp.nanos = divmod(utc_ns, SECOND_NS)
    body: bytes = message.SerializeToString(deterministic=True)
    return body

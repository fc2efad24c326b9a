"""A camera's images in the log of an experiment, with its calibration, as Foxglove's Image panel shows them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import numpy as np
from mcap.records import Channel, Schema
from numpy.typing import NDArray

from proxops.core.experiment_result import CameraView
from proxops.ground.blocks import HEAD_DTYPE, fill_head, index_table
from proxops.ground.foxglove import CALIBRATION, IMAGE, foxglove_message, foxglove_schema
from proxops.ground.mcap_file import ChunkData

IMAGE_CHANNEL, CALIBRATION_CHANNEL = 3, 4
CAMERA_SCHEMAS: Final = tuple(
    Schema(id=3 + i, name=name, encoding="protobuf", data=foxglove_schema(name))
    for i, name in enumerate((IMAGE, CALIBRATION))
)
CAMERA_CHANNELS: Final = tuple(
    Channel(id=channel, topic=topic, message_encoding="protobuf", metadata={}, schema_id=channel)
    for channel, topic in ((IMAGE_CHANNEL, "/camera/image"), (CALIBRATION_CHANNEL, "/camera/calibration"))
)


def with_images(chunk: ChunkData, clock: NDArray[np.void], until_ns: int, view: CameraView, epoch_ns: int) -> ChunkData:
    """The chunk with what the camera saw from its first record on, before ``until_ns``; a calibration beside each image."""
    data = bytearray(chunk.data)
    rows: dict[int, list[tuple[int, int]]] = {IMAGE_CHANNEL: [], CALIBRATION_CHANNEL: []}
    for seconds, png in view.images:
        utc_ns = epoch_ns + round(seconds * 1e9)
        if clock["utc_ns"][0] <= utc_ns < until_ns:
            tick = int(clock["tick"][np.searchsorted(clock["utc_ns"], utc_ns, side="right") - 1])
            image = foxglove_message(IMAGE)(data=png, format="png", frame_id=view.frame)
            for channel, message in ((IMAGE_CHANNEL, image), (CALIBRATION_CHANNEL, _calibration(view))):
                rows[channel].append((utc_ns, len(data)))
                data += _record(channel, message, tick, utc_ns)
    tables = {channel: index_table(*np.array(own, np.int64).T) for channel, own in rows.items() if own}
    return replace(chunk, data=bytes(data), index={**chunk.index, **tables})


def _calibration(view: CameraView) -> Any:
    """A pinhole: no distortion, nothing to rectify."""
    fx, fy, cx, cy = view.intrinsics
    width, height = view.size_px
    return foxglove_message(CALIBRATION)(
        frame_id=view.frame, width=width, height=height, distortion_model="plumb_bob", D=[0.0] * 5,
        K=[fx, 0.0, cx, 0.0, fy, cy, 0.0, 0.0, 1.0], R=[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
        P=[fx, 0.0, cx, 0.0, 0.0, fy, cy, 0.0, 0.0, 0.0, 1.0, 0.0],
    )  # fmt: skip


def _record(channel: int, message: Any, tick: int, utc_ns: int) -> bytes:
    message.timestamp.seconds, message.timestamp.nanos = divmod(utc_ns, 1_000_000_000)
    body: bytes = message.SerializeToString(deterministic=True)
    head = np.zeros(1, HEAD_DTYPE)
    fill_head(head, len(body), channel, np.array([tick]), np.array([utc_ns]))
    return head.tobytes() + body

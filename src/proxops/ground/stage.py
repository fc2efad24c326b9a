"""The hall on its stage: what a viewer of logs needs beside our own messages, made by the recorder from what it records anyway.

Once, with the first record: frames that never move and the solids, each in the frame of its link. Then, 25 times a second of the
run, where every joint stands and, in a mission 5 times, the two spacecraft in LVLH. A killed run has them up to its last chunk.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from mcap.records import Channel, Schema
from numpy.typing import NDArray

from proxops.ground.blocks import CHANNELS, Beside, Block, byte_rows
from proxops.ground.due_rows import Due, DueRows, bytes_at
from proxops.ground.foxglove import SCENE, TRANSFORMS, foxglove_message, foxglove_schema
from proxops.ground.hall_joints import Joint, Joints
from proxops.ground.message_rows import HEAD_BYTES, numbers_in, put_heads
from proxops.ground.orbit_frames import ORBIT_FRAMES, in_orbit, orbit_places, orbit_poses
from proxops.ground.transform_rows import SECOND_NS, TransformRows

EVERY_NS: Final = 40_000_000  # from one set of transforms to the next: 25 Hz
ORBIT_EVERY: Final = 50  # cycles of a hall, 5 Hz: a viewer interpolates, and nothing in orbit is quick
JOINT_CHANNEL, FIXED_CHANNEL, VISUALS_CHANNEL, SOLIDS_CHANNEL, ORBIT_CHANNEL = range(3, 8)
STAGE_SCHEMAS: Final = tuple(
    Schema(id=3 + i, name=name, encoding="protobuf", data=foxglove_schema(name))
    for i, name in enumerate((TRANSFORMS, SCENE))
)
"""Beside those of the log's own table and events."""
TOPICS: Final = {
    JOINT_CHANNEL: ("/tf", 3),
    FIXED_CHANNEL: ("/tf_static", 3),
    VISUALS_CHANNEL: ("/hall/visuals", 4),
    SOLIDS_CHANNEL: ("/hall/solids", 4),
    ORBIT_CHANNEL: ("/orbit/tf", 3),
}
"""Topic and schema of each channel."""
STAGE_CHANNELS: Final = (
    *CHANNELS,
    *(
        Channel(id=channel, topic=topic, message_encoding="protobuf", metadata={}, schema_id=schema)
        for channel, (topic, schema) in TOPICS.items()
    ),
)


@dataclass(frozen=True)
class Stage:
    """A hall for viewers: its moving joints, and messages without their times (frames that stay, looks, collision solids)."""

    joints: tuple[Joint, ...]
    fixed: bytes
    visuals: bytes
    solids: bytes
    every: int  # cycles from one set of transforms to the next

    def plain(self) -> dict[str, Any]:
        """For JSON; ``Stage.of`` gives it back."""
        messages = {name: base64.b64encode(getattr(self, name)).decode() for name in ("fixed", "visuals", "solids")}
        return {"joints": [joint.plain() for joint in self.joints], "every": self.every, **messages}

    @classmethod
    def of(cls, plain: dict[str, Any]) -> Stage:
        fixed, visuals, solids = (base64.b64decode(plain[name]) for name in ("fixed", "visuals", "solids"))
        return cls(tuple(Joint(**joint) for joint in plain["joints"]), fixed, visuals, solids, int(plain["every"]))


class StageMessages:
    """A stage's messages, block by block; the same block gives the same bytes."""

    def __init__(self, stage: Stage) -> None:
        self._stage, self._joints = stage, Joints(stage.joints)
        self._joint_rows, self._orbit_rows = TransformRows(self._joints.frames), TransformRows(ORBIT_FRAMES)
        self._dtype: np.dtype[np.void] | None = None

    def beside(self, block: Block) -> list[Beside]:
        """What is to stand beside a block's own messages."""
        found = list(self._opening(block.pool["clock"][:1])) if block.opening else []
        if block.pool.dtype is not self._dtype:  # the same object, mostly
            self._look_up(block.pool.dtype)
        rows = byte_rows(block.pool)
        axes = self._axes_due.of(rows)
        known = axes.where(np.logical_and.reduce(np.isfinite(axes.values), axis=1))
        if known.ticks.size:
            found.append(_frames(JOINT_CHANNEL, known, self._joint_rows, self._joints.poses(known.values)))
        if self._orbit_due:
            orbit = self._orbit_due.of(rows)
            flying = orbit.where(in_orbit(orbit.values))
            if flying.ticks.size:
                found.append(_frames(ORBIT_CHANNEL, flying, self._orbit_rows, orbit_poses(flying.values)))
        return found

    def _look_up(self, dtype: np.dtype[np.void]) -> None:
        """Where records have what is shown. Cells of arms have no mission."""
        self._dtype = dtype
        self._axes_due = DueRows(dtype, self._stage.every, np.array(bytes_at(dtype, "actual"), np.int64))
        flies = "mission" in (dtype.names or ())
        self._orbit_due = DueRows(dtype, ORBIT_EVERY, orbit_places(dtype)) if flies else None

    def _opening(self, clock: NDArray[np.void]) -> Iterator[Beside]:
        """Messages that hold for the whole log, with the time of its first record."""
        tick, utc_ns = clock["tick"], clock["utc_ns"]
        fixed = foxglove_message(TRANSFORMS).FromString(self._stage.fixed)
        yield _beside(FIXED_CHANNEL, tick, utc_ns, _timed(fixed, fixed.transforms, int(utc_ns[0])))
        for channel, message in ((VISUALS_CHANNEL, self._stage.visuals), (SOLIDS_CHANNEL, self._stage.solids)):
            scene = foxglove_message(SCENE).FromString(message)
            yield _beside(channel, tick, utc_ns, _timed(scene, scene.entities, int(utc_ns[0])))


def warm_up_stage(records: NDArray[np.void]) -> None:
    """Load the kernels, by the frames of some records of a hall."""
    joint = Joint("lab", "link", 0, (0.0,) * 3, (0.0,) * 3, (1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0))
    due = DueRows(records.dtype, 1, orbit_places(records.dtype)).of(byte_rows(records))
    _frames(ORBIT_CHANNEL, due, TransformRows(ORBIT_FRAMES), orbit_poses(due.values))
    Joints((joint,)).poses(due.values)


def _timed(message: Any, parts: Any, utc_ns: int) -> NDArray[np.uint8]:
    """The message with the same time in all its parts, as one row of bytes behind room for its head."""
    for part in parts:
        part.timestamp.seconds, part.timestamp.nanos = divmod(max(utc_ns, 0), SECOND_NS)
    return np.frombuffer(bytearray(HEAD_BYTES) + message.SerializeToString(deterministic=True), np.uint8)[None]


def _frames(channel: int, due: Due, kind: TransformRows, poses: NDArray[np.float64]) -> Beside:
    return _beside(channel, due.ticks, due.utc_ns, kind.rows(due.utc_ns, poses, HEAD_BYTES))


def _beside(
    channel: int, ticks: NDArray[np.int64], utc_ns: NDArray[np.int64], messages: NDArray[np.uint8]
) -> Beside:  # fmt: skip
    """Messages, one row each behind room for its head, with these ticks and times."""
    put_heads(messages, numbers_in(messages)[1], channel, np.ascontiguousarray(ticks), np.ascontiguousarray(utc_ns))
    return Beside(channel, utc_ns, messages.reshape(-1).data)

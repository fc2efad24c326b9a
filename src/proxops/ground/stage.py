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

from proxops.ground.blocks import CHANNELS, HEAD_DTYPE, Beside, Block, fill_head
from proxops.ground.foxglove import SCENE, TRANSFORMS, foxglove_message, foxglove_schema
from proxops.ground.hall_joints import Joint, Joints
from proxops.ground.orbit_frames import ORBIT_FRAMES, in_orbit, orbit_poses
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

    def beside(self, block: Block) -> list[Beside]:
        """What is to stand beside a block's own messages."""
        clock = block.pool["clock"]
        found = list(self._opening(clock[:1])) if block.opening else []
        chosen = np.flatnonzero(clock["tick"] % self._stage.every == 0)
        actual = np.ascontiguousarray(block.pool["actual"][chosen])
        q = actual.view("<f8").reshape(-1, len(actual.dtype.names or ()))
        known = np.isfinite(q).all(axis=1)
        if known.any():
            bodies = self._joint_rows.rows(clock["utc_ns"][chosen[known]], self._joints.poses(q[known]))
            found.append(_beside(JOINT_CHANNEL, clock[chosen[known]], bodies))
        flying = (
            in_orbit(block.pool, np.flatnonzero(clock["tick"] % ORBIT_EVERY == 0))
            if self._orbits(block)
            else chosen[:0]
        )
        if flying.size:
            bodies = self._orbit_rows.rows(clock["utc_ns"][flying], orbit_poses(block.pool, flying))
            found.append(_beside(ORBIT_CHANNEL, clock[flying], bodies))
        return found

    @staticmethod
    def _orbits(block: Block) -> bool:
        """Cells of arms have no mission."""
        return "mission" in (block.pool.dtype.names or ())

    def _opening(self, clock: NDArray[np.void]) -> Iterator[Beside]:
        """Messages that hold for the whole log, with the time of its first record."""
        fixed = foxglove_message(TRANSFORMS).FromString(self._stage.fixed)
        yield _beside(FIXED_CHANNEL, clock, _timed(fixed, fixed.transforms, int(clock["utc_ns"][0])))
        for channel, message in ((VISUALS_CHANNEL, self._stage.visuals), (SOLIDS_CHANNEL, self._stage.solids)):
            scene = foxglove_message(SCENE).FromString(message)
            yield _beside(channel, clock, _timed(scene, scene.entities, int(clock["utc_ns"][0])))


def _timed(message: Any, parts: Any, utc_ns: int) -> NDArray[np.uint8]:
    """The message with the same time in all its parts, as one row of bytes."""
    for part in parts:
        part.timestamp.seconds, part.timestamp.nanos = divmod(max(utc_ns, 0), SECOND_NS)
    return np.frombuffer(message.SerializeToString(deterministic=True), np.uint8)[None]


def _beside(channel: int, clock: NDArray[np.void], bodies: NDArray[np.uint8]) -> Beside:
    """Messages, one row each, with the ticks and times of ``clock``."""
    head = np.empty(clock.size, HEAD_DTYPE)
    fill_head(head, bodies.shape[1], channel, clock["tick"], clock["utc_ns"])
    heads = head.view(np.uint8).reshape(clock.size, HEAD_DTYPE.itemsize)
    return Beside(channel, clock["utc_ns"], np.concatenate([heads, bodies], axis=1).tobytes())

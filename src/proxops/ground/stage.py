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

from proxops.core.messages import N_AXES
from proxops.ground.blocks import CHANNELS, HEAD_DTYPE, SCHEMAS, Block, Piece, fill_head
from proxops.ground.foxglove import SCENE, TRANSFORMS, foxglove_message, foxglove_schema
from proxops.ground.hall_joints import Joint, Joints
from proxops.ground.orbit_frames import ORBIT_FRAMES, in_orbit, orbit_poses
from proxops.ground.transform_rows import SECOND_NS, TransformRows

EVERY: Final = 10  # cycles from one set of transforms to the next: 25 Hz
ORBIT_EVERY: Final = 50  # 5 Hz: a viewer interpolates, and nothing in orbit is quick
JOINT_CHANNEL, FIXED_CHANNEL, VISUALS_CHANNEL, SOLIDS_CHANNEL, ORBIT_CHANNEL = range(3, 8)
STAGE_SCHEMAS: Final = (
    *SCHEMAS,
    *(
        Schema(id=3 + i, name=name, encoding="protobuf", data=foxglove_schema(name))
        for i, name in enumerate((TRANSFORMS, SCENE))
    ),
)
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

    def plain(self) -> dict[str, Any]:
        """For JSON; ``Stage.of`` gives it back."""
        messages = {name: base64.b64encode(getattr(self, name)).decode() for name in ("fixed", "visuals", "solids")}
        return {"joints": [joint.plain() for joint in self.joints], **messages}

    @classmethod
    def of(cls, plain: dict[str, Any]) -> Stage:
        fixed, visuals, solids = (base64.b64decode(plain[name]) for name in ("fixed", "visuals", "solids"))
        return cls(tuple(Joint(**joint) for joint in plain["joints"]), fixed, visuals, solids)


class StageMessages:
    """A stage's messages, block by block; the same block gives the same bytes."""

    def __init__(self, stage: Stage) -> None:
        self._stage, self._joints = stage, Joints(stage.joints)
        self._joint_rows, self._orbit_rows = TransformRows(self._joints.frames), TransformRows(ORBIT_FRAMES)

    def pieces(self, block: Block) -> list[Piece]:
        """What is to be woven into a block."""
        clock = block.pool["clock"]
        found = list(self._opening(clock[0])) if block.opening else []
        chosen = np.flatnonzero(clock["tick"] % EVERY == 0)
        q = np.ascontiguousarray(block.pool["actual"][chosen]).view("<f8").reshape(-1, N_AXES)
        known = np.isfinite(q).all(axis=1)
        if known.any():
            found += _behind(clock, chosen[known], JOINT_CHANNEL, self._joint_rows, self._joints.poses(q[known]))
        flying = in_orbit(block.pool, np.flatnonzero(clock["tick"] % ORBIT_EVERY == 0))
        if flying.size:
            found += _behind(clock, flying, ORBIT_CHANNEL, self._orbit_rows, orbit_poses(block.pool, flying))
        return found

    def _opening(self, clock: np.void) -> Iterator[Piece]:
        """Messages that hold for the whole log, with the time of its first record."""
        fixed = foxglove_message(TRANSFORMS).FromString(self._stage.fixed)
        yield _piece(FIXED_CHANNEL, clock, _timed(fixed, fixed.transforms, int(clock["utc_ns"])))
        for channel, message in ((VISUALS_CHANNEL, self._stage.visuals), (SOLIDS_CHANNEL, self._stage.solids)):
            scene = foxglove_message(SCENE).FromString(message)
            yield _piece(channel, clock, _timed(scene, scene.entities, int(clock["utc_ns"])))


def _timed(message: Any, parts: Any, utc_ns: int) -> bytes:
    """The message with the same time in all its parts."""
    for part in parts:
        part.timestamp.seconds, part.timestamp.nanos = divmod(max(utc_ns, 0), SECOND_NS)
    data: bytes = message.SerializeToString(deterministic=True)
    return data


def _piece(channel: int, clock: np.void, body: bytes) -> Piece:
    head = np.zeros(1, HEAD_DTYPE)
    fill_head(head, len(body), channel, np.array([clock["tick"]]), np.array([clock["utc_ns"]]))
    return Piece(0, channel, int(clock["utc_ns"]), head.tobytes() + body)


def _behind(
    clock: NDArray[np.void], rows: NDArray[np.intp], channel: int, encoder: TransformRows, poses: NDArray[np.float64]
) -> Iterator[Piece]:
    """A message for each of the records ``rows``, behind it."""
    utc_ns = clock["utc_ns"][rows]
    head = np.empty(rows.size, HEAD_DTYPE)
    fill_head(head, encoder.size, channel, clock["tick"][rows], utc_ns)
    bodies = encoder.rows(utc_ns, poses)
    for row, time, first, body in zip(rows.tolist(), utc_ns.tolist(), head, bodies, strict=True):
        yield Piece(row + 1, channel, time, first.tobytes() + body.tobytes())

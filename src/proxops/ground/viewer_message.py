"""Messages for viewers that an experiment hands to the recorder, ready-made: through a ring, in pieces of one size.

An image is larger than any record, and no two are of one size. The writer cuts messages into pieces, the reader joins them; a
message of which a piece was overwritten is left out. They become part of the chunk in whose time they fall.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from mcap.records import Channel, Schema

from proxops.core.ring import Ring, bytes_of
from proxops.ground.blocks import Beside, message_head
from proxops.ground.foxglove import CALIBRATION, IMAGE, TRANSFORMS, foxglove_schema

IMAGE_CHANNEL, CALIBRATION_CHANNEL, FRAMES_CHANNEL = range(8, 11)  # behind those of a stage
TOPICS: Final = {
    IMAGE_CHANNEL: ("/camera/image", IMAGE),
    CALIBRATION_CHANNEL: ("/camera/calibration", CALIBRATION),
    FRAMES_CHANNEL: ("/tf", TRANSFORMS),
}
"""Topic and message of each channel."""
PIECE_BYTES: Final = 16_384
SLOTS: Final = 256  # 4 MB: twenty images of 640 x 480
PIECE: Final[np.dtype[np.void]] = np.dtype(
    [
        ("utc_ns", "<i8"), ("tick", "<i8"), ("channel", "<i4"), ("size", "<i4"), ("offset", "<i4"), ("spare", "<i4"),
        ("data", f"V{PIECE_BYTES}"),
    ]
)  # fmt: skip
"""``size``: of the whole message; ``offset``: where in it this piece belongs."""


@dataclass(frozen=True)
class ViewerMessage:
    """One message with its time and the tick that it belongs to."""

    channel: int
    tick: int
    utc_ns: int
    body: bytes

    @property
    def record(self) -> bytes:
        """As MCAP has it."""
        return message_head(len(self.body), self.channel, self.tick, self.utc_ns) + self.body


def viewer_schemas(channels: Sequence[int]) -> tuple[Schema, ...]:
    """For a log with these channels."""
    return tuple(
        Schema(id=number, name=TOPICS[number][1], encoding="protobuf", data=foxglove_schema(TOPICS[number][1]))
        for number in channels
    )


def viewer_channels(channels: Sequence[int]) -> tuple[Channel, ...]:
    return tuple(
        Channel(id=number, topic=TOPICS[number][0], message_encoding="protobuf", metadata={}, schema_id=number)
        for number in channels
    )


def pieces(message: ViewerMessage) -> Iterator[memoryview]:
    """To be pushed one after the other; each is good until the next."""
    piece = np.zeros(1, PIECE)
    piece["utc_ns"], piece["tick"], piece["channel"] = message.utc_ns, message.tick, message.channel
    piece["size"] = len(message.body)
    for offset in range(0, len(message.body), PIECE_BYTES):
        piece["offset"] = offset
        piece["data"] = message.body[offset : offset + PIECE_BYTES]
        yield bytes_of(piece)


class ViewerMessages:
    """The recorder's end of the ring."""

    def __init__(self, ring: Ring) -> None:
        self._ring, self._cursor = ring, 0
        self._begun = bytearray()
        self._whole: list[ViewerMessage] = []

    @property
    def drained(self) -> bool:
        return self._ring.head == self._cursor

    def read(self) -> int:
        """All that has come by now; how many pieces were overwritten before."""
        overtaken = 0
        while not self.drained:
            found, self._cursor, lost = self._ring.read(self._cursor, SLOTS // 4)
            overtaken += lost
            for piece in found:
                self._put(piece)
            self._ring.tail = self._cursor
        self._ring.lost += overtaken
        return overtaken

    def _put(self, piece: np.void) -> None:
        offset, size = int(piece["offset"]), int(piece["size"])
        if offset == 0:
            self._begun = bytearray()
        if offset != len(self._begun):  # what came before it is lost
            return
        self._begun += bytes(piece["data"])[: size - offset]
        if len(self._begun) == size:
            self._whole.append(
                ViewerMessage(int(piece["channel"]), int(piece["tick"]), int(piece["utc_ns"]), bytes(self._begun))
            )

    def until(self, tick: int | None) -> list[Beside]:
        """What has been read up to that tick, or all of it, is handed out: to stand in one chunk."""
        due = [one for one in self._whole if tick is None or one.tick <= tick]
        self._whole = self._whole[len(due) :]
        channels = sorted({one.channel for one in due})
        return [_beside(channel, [one for one in due if one.channel == channel]) for channel in channels]


def _beside(channel: int, messages: list[ViewerMessage]) -> Beside:
    records = [one.record for one in messages]
    starts = np.cumsum([0, *map(len, records[:-1])])
    return Beside(channel, np.array([one.utc_ns for one in messages], np.int64), b"".join(records), starts)

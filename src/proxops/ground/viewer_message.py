"""Messages for viewers that an experiment hands to the recorder, ready-made: through a ring, in pieces of one size.

An image is larger than any record, and no two are of one size. The writer cuts messages into pieces, the reader joins them; a
message of which a piece was overwritten is left out. They become part of the chunk in whose time they fall.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from mcap.records import Channel, Schema
from numpy.typing import NDArray

from proxops.core.ring import Ring, bytes_of
from proxops.ground.blocks import Beside, index_table, message_head
from proxops.ground.foxglove import CALIBRATION, IMAGE, TRANSFORMS, foxglove_schema
from proxops.ground.mcap_file import ChunkData

IMAGE_CHANNEL, CALIBRATION_CHANNEL, FRAMES_CHANNEL = range(8, 11)  # behind those of a stage
FIRST_SENSOR_CHANNEL: Final = 12  # those of imaging sensors: behind all others


@dataclass(frozen=True)
class ViewerChannel:
    """Number, topic and kind of message."""

    number: int
    topic: str
    message: str

    @property
    def plain(self) -> list[int | str]:
        """For JSON; to be given back in this order."""
        return [self.number, self.topic, self.message]

    @property
    def packed(self) -> bool:
        """Its messages are as small as they can be."""
        return self.message == IMAGE


VIEWER_CHANNELS: Final = {
    IMAGE_CHANNEL: ViewerChannel(IMAGE_CHANNEL, "/camera/image", IMAGE),
    CALIBRATION_CHANNEL: ViewerChannel(CALIBRATION_CHANNEL, "/camera/calibration", CALIBRATION),
    FRAMES_CHANNEL: ViewerChannel(FRAMES_CHANNEL, "/tf", TRANSFORMS),
}
"""Of an experiment."""
PIECE_BYTES: Final = 16_384
SLOTS: Final = 256  # 4 MB: twenty images of 640 x 480
READ_PIECES: Final = 64  # at once
MOST_BYTES: Final = 64 * 1024 * 1024  # of one message: seven of the largest 16-bit pictures of a sensor
CHUNK_BYTES: Final = 16 * 1024 * 1024  # after which a chunk of images is closed; readers take up to 64 MB
PIECE: Final[np.dtype[np.void]] = np.dtype(
    [
        ("utc_ns", "<i8"), ("tick", "<i8"), ("channel", "<i4"), ("size", "<i4"), ("offset", "<i4"), ("spare", "<i4"),
        ("data", f"V{PIECE_BYTES}"),
    ]
)  # fmt: skip
"""``size``: of the whole message; ``offset``: where in it this piece belongs."""
_HEAD: Final = ("channel", "tick", "utc_ns", "size", "offset")


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


def viewer_schemas(channels: Sequence[ViewerChannel]) -> tuple[Schema, ...]:
    """For a log with these channels: one for each kind of message, with the number of the first channel that has it."""
    return tuple(
        Schema(id=number, name=message, encoding="protobuf", data=foxglove_schema(message))
        for message, number in _schema_numbers(channels).items()
    )


def viewer_channels(channels: Sequence[ViewerChannel]) -> tuple[Channel, ...]:
    numbers = _schema_numbers(channels)
    return tuple(
        Channel(id=c.number, topic=c.topic, message_encoding="protobuf", metadata={}, schema_id=numbers[c.message])
        for c in channels
    )


def _schema_numbers(channels: Sequence[ViewerChannel]) -> dict[str, int]:
    return {channel.message: channel.number for channel in reversed(channels)}


def pieces(message: ViewerMessage) -> Iterator[memoryview]:
    """To be pushed one after the other; each is good until the next."""
    piece = np.zeros(1, PIECE)
    piece["utc_ns"], piece["tick"], piece["channel"] = message.utc_ns, message.tick, message.channel
    piece["size"] = len(message.body)
    for offset in range(0, len(message.body), PIECE_BYTES):
        piece["offset"] = offset
        piece["data"] = message.body[offset : offset + PIECE_BYTES]
        yield bytes_of(piece)


class PieceJoiner:
    """Pieces as they come out of a ring become messages. What does not fit together is left out, whatever it says of itself."""

    def __init__(self) -> None:
        self._begun = bytearray()
        self._head = (0, 0, 0, 0)  # of the message that was begun

    def join(self, found: NDArray[np.void]) -> Iterator[ViewerMessage]:
        """Messages that are whole with these pieces."""
        for piece in found:
            if (message := self._put(piece)) is not None:
                yield message

    def _put(self, piece: np.void) -> ViewerMessage | None:
        channel, tick, utc_ns, size, offset = (int(piece[name]) for name in _HEAD)
        head = channel, tick, utc_ns, size
        if offset == 0:
            self._begun, self._head = bytearray(), head
        if (
            offset != len(self._begun) or head != self._head or not 0 < size <= MOST_BYTES
        ):  # what came before it is lost
            return None
        self._begun += bytes(piece["data"])[: size - offset]
        if len(self._begun) < size:
            return None
        whole, self._begun = ViewerMessage(channel, tick, utc_ns, bytes(self._begun)), bytearray()
        return whole


class ViewerMessages:
    """The recorder's end of the ring. ``packed``: channels whose messages nothing makes smaller."""

    def __init__(self, ring: Ring, packed: Collection[int] = ()) -> None:
        self._ring, self._cursor, self._packed = ring, 0, packed
        self._joiner = PieceJoiner()
        self._whole: list[ViewerMessage] = []

    @property
    def drained(self) -> bool:
        return self._ring.head == self._cursor

    def read(self) -> int:
        """All that has come by now; how many pieces were overwritten before."""
        overtaken = 0
        while not self.drained:
            found, self._cursor, lost = self._ring.read(self._cursor, READ_PIECES)
            overtaken += lost
            self._whole += self._joiner.join(found)
            self._ring.tail = self._cursor
        self._ring.lost += overtaken
        return overtaken

    def until(self, tick: int | None) -> tuple[list[Beside], list[ChunkData]]:
        """What has been read up to that tick, or all of it, is handed out: to stand in one chunk, and in chunks of their own,
        which who wants no images need not unpack."""
        due = [one for one in self._whole if tick is None or one.tick <= tick]
        self._whole = [one for one in self._whole if tick is not None and one.tick > tick]
        small = [one for one in due if one.channel < FIRST_SENSOR_CHANNEL]
        channels = sorted({one.channel for one in small})
        beside = [_beside(channel, [one for one in small if one.channel == channel]) for channel in channels]
        return beside, list(_chunks([one for one in due if one.channel >= FIRST_SENSOR_CHANNEL], self._packed))


def _beside(channel: int, messages: list[ViewerMessage]) -> Beside:
    records = [one.record for one in messages]
    starts = np.cumsum([0, *map(len, records[:-1])])
    return Beside(channel, np.array([one.utc_ns for one in messages], np.int64), b"".join(records), starts)


def _chunks(messages: list[ViewerMessage], packed: Collection[int]) -> Iterator[ChunkData]:
    """All of a tick stay together: what belongs to an image is found beside it."""
    begin = size = 0
    for at, one in enumerate(messages):
        if size > CHUNK_BYTES and one.tick != messages[at - 1].tick:
            yield _chunk(messages[begin:at], packed)
            begin, size = at, 0
        size += len(one.body)
    if messages:
        yield _chunk(messages[begin:], packed)


def _chunk(messages: list[ViewerMessage], packed: Collection[int]) -> ChunkData:
    """What can be made smaller first."""
    messages = sorted(messages, key=lambda one: one.channel in packed)
    records = [one.record for one in messages]
    starts = np.cumsum([0, *map(len, records)])
    first_packed = sum(one.channel not in packed for one in messages)
    index = {}
    for channel in sorted({one.channel for one in messages}):
        own = np.array([k for k, one in enumerate(messages) if one.channel == channel])
        index[channel] = index_table(np.array([messages[k].utc_ns for k in own], np.int64), starts[own])
    pieces = [b"".join(part) for part in (records[:first_packed], records[first_packed:]) if part]
    return ChunkData(tuple(pieces), index, noise=len(pieces) > 1)

"""Two streams become one: pool records and events, in an order that does not depend on when they were read.

A block is a fixed number of pool records (or fewer, where those are more than a second) with the events between them and becomes
one chunk of the log: all its records as one message of columns, and beside it, for viewers, some of them as protobuf. An event
stands before the first protobuf record of its own or a later tick. A block is closed only when the next pool record is there: by
then all its events are (the facility pushes the events of a tick before the pool record of the next one).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from mcap.opcode import Opcode
from mcap.records import Channel, Schema
from numpy.typing import NDArray

from proxops.core.messages import EVENT_DTYPE
from proxops.ground.column_block import ENCODING, FORMAT, ColumnPlan, block_pieces
from proxops.ground.column_rows import column_rows
from proxops.ground.mcap_file import ChunkData
from proxops.ground.schema import (
    CYCLES_NAME,
    CYCLES_TOPIC,
    EVENT_TOPIC,
    LOG_NAME,
    POOL_NAME,
    POOL_TOPIC,
    log_schema,
    message_class,
    pool_schema,
)
from proxops.ground.wire import Layout, pool_layout

BLOCK_RECORDS: Final = 250
BLOCK_NS: Final = 1_000_000_000  # what a kill may cost
VIEWED_HZ: Final = 5.0  # records for viewers; at 10 Hz a mission's log is a twelfth larger
VIEWED_NS: Final = round(1e9 / VIEWED_HZ)
PLAN_CYCLES: Final = 16 * BLOCK_RECORDS  # for which it is not asked anew how each column is best foretold
POOL_CHANNEL: Final = 1
EVENT_CHANNEL: Final = 2
CYCLES_CHANNEL: Final = 11  # behind those of a stage and of a camera


def schemas_of(pool: bytes) -> tuple[Schema, ...]:
    """Of a log with this table of variables."""
    return (
        Schema(id=1, name=POOL_NAME, encoding="protobuf", data=pool),
        Schema(id=2, name=LOG_NAME, encoding="protobuf", data=log_schema()),
        Schema(id=CYCLES_CHANNEL, name=CYCLES_NAME, encoding=ENCODING, data=FORMAT.encode()),
    )


SCHEMAS: Final = schemas_of(pool_schema())
CHANNELS: Final = (
    Channel(id=POOL_CHANNEL, topic=POOL_TOPIC, message_encoding="protobuf", metadata={}, schema_id=1),
    Channel(id=EVENT_CHANNEL, topic=EVENT_TOPIC, message_encoding="protobuf", metadata={}, schema_id=2),
    Channel(id=CYCLES_CHANNEL, topic=CYCLES_TOPIC, message_encoding=ENCODING, metadata={}, schema_id=CYCLES_CHANNEL),
)
_HEAD: Final = [
    ("opcode", "u1"),
    ("length", "<u8"),
    ("channel", "<u2"),
    ("sequence", "<u4"),
    ("log_time", "<u8"),
    ("publish_time", "<u8"),
]
HEAD_DTYPE: Final[np.dtype[np.void]] = np.dtype(_HEAD)
"""What MCAP puts before the bytes of a message."""


@dataclass(frozen=True)
class Beside:
    """Messages of another channel, to stand behind our own in a chunk: MCAP's records of them. ``starts``: where each begins;
    None if all are of one length."""

    channel: int
    utc_ns: NDArray[np.int64]
    records: bytes
    starts: NDArray[np.int64] | None = None

    @property
    def offsets(self) -> NDArray[np.int64]:
        """Where each begins, from the first on."""
        count = self.utc_ns.size
        return np.arange(count) * (len(self.records) // count) if self.starts is None else self.starts


@dataclass(frozen=True)
class Block:
    """Pool records and events of one chunk; event i stands before pool record ``places[i]``."""

    pool: NDArray[np.void]
    events: NDArray[np.void]
    places: NDArray[np.int64]
    opening: bool = False  # the log's first pool record is in it
    table: Layout = field(default_factory=pool_layout)

    def encode(
        self, beside: Sequence[Beside] = (), plan: ColumnPlan | None = None, viewed_ns: int = VIEWED_NS
    ) -> ChunkData:
        """The chunk's bytes and its index; ``beside`` stands behind, whatever its times: readers go by the index.
        ``plan``: of the recording. ``viewed_ns``: from one record for viewers to the next."""
        chunk = self.messages(_viewed(self.pool["clock"]["utc_ns"], viewed_ns), beside)
        if not self.pool.size:
            return chunk
        rows = column_rows(self.table)
        if plan:
            plan.renew(int(self.pool["clock"]["tick"][0]) // PLAN_CYCLES)
        pieces = block_pieces(rows.columns(self.pool), rows.floats, plan)
        head, last = np.zeros(1, HEAD_DTYPE), self.pool["clock"][-1:]
        fill_head(head, sum(map(len, pieces)), CYCLES_CHANNEL, last["tick"], last["utc_ns"])
        index = {**chunk.index, CYCLES_CHANNEL: index_table(last["utc_ns"], np.array([len(chunk.data)]))}
        whole = [chunk.data, head.tobytes() + pieces[0], *pieces[1:]]
        return ChunkData(b"".join(whole), index, tuple(np.cumsum([len(piece) for piece in whole[:-1]]).tolist()))

    def messages(self, rows: NDArray[np.intp] | slice = slice(None), beside: Sequence[Beside] = ()) -> ChunkData:
        """The same without the columns: these records (all by default) as protobuf, every event, ``beside``."""
        pool = plain_records(self.pool)[rows].view(self.pool.dtype)
        places = np.searchsorted(np.arange(self.pool.size)[rows], self.places)
        messages = pool_messages(pool, self.table)
        texts = [event_message(event) for event in self.events]
        ends = np.concatenate([[0], np.cumsum([len(t) for t in texts])]).astype(np.int64)
        stride, numbers = messages.shape[1], np.arange(len(messages))
        offsets = numbers * stride + ends[np.searchsorted(places, numbers, side="right")]
        index = {
            POOL_CHANNEL: index_table(pool["clock"]["utc_ns"], offsets),
            EVENT_CHANNEL: index_table(self.events["utc_ns"], places * stride + ends[:-1]),
        }
        data = _woven(messages.tobytes(), texts, (places * stride).tolist())
        for other in beside:
            index[other.channel] = index_table(other.utc_ns, len(data) + other.offsets)
            data += other.records
        return ChunkData(data, {channel: table for channel, table in index.items() if len(table)})


def _viewed(utc_ns: NDArray[np.int64], every_ns: int) -> NDArray[np.intp]:
    """Records for viewers: the first of the block, and of each stretch of time since."""
    slots = (utc_ns - utc_ns[:1]) // every_ns
    return np.flatnonzero(np.concatenate([[True], slots[1:] != slots[:-1]])[: slots.size])


class Interleaver:
    """Takes what the rings gave and hands out blocks."""

    def __init__(self, table: Layout | None = None, most: int = BLOCK_RECORDS) -> None:
        """``most``: records of a block."""
        self._table, self._most = table or pool_layout(), most
        self._pool: NDArray[np.void] = np.empty(0, self._table.dtype)
        self._events: NDArray[np.void] = np.empty(0, EVENT_DTYPE)
        self._opened = False  # the first pool record has been handed out

    def add(self, pool: NDArray[np.void], events: NDArray[np.void]) -> None:
        """Records in the order of their rings; ``events`` read after ``pool``."""
        if pool.size:
            self._pool = joined(self._pool, pool)
        if events.size:
            self._events = joined(self._events, events)

    def blocks(self, *, last: bool = False) -> Iterator[Block]:
        """Closed blocks; with ``last`` also what remains."""
        while self._pool.size > (count := self._closed()):
            yield self._cut(count, all_events=False)
        if last and (self._pool.size or self._events.size):
            yield self._cut(self._pool.size, all_events=True)

    def _closed(self) -> int:
        """Records of the next block, if one more has come."""
        stamps = self._pool["clock"]["utc_ns"][: self._most]
        late = np.flatnonzero(np.abs(stamps - stamps[:1]) >= BLOCK_NS)
        return int(late[0]) if late.size else self._most

    def _cut(self, count: int, *, all_events: bool) -> Block:
        pool, self._pool = self._pool[:count], self._pool[count:]
        # Running maxima: an event that comes late or a tick that goes back must not upset the search.
        ticks = np.maximum.accumulate(pool["clock"]["tick"])
        keys = np.maximum.accumulate(self._events["tick"])
        ready = keys.size if all_events else int(np.searchsorted(keys, ticks[-1], side="right"))
        events, self._events = self._events[:ready], self._events[ready:]
        opening, self._opened = bool(pool.size) and not self._opened, self._opened or bool(pool.size)
        places = np.searchsorted(ticks, keys[:ready], side="left").astype(np.int64)
        return Block(pool, events, places, opening, self._table)


def joined(first: NDArray[np.void], second: NDArray[np.void]) -> NDArray[np.void]:
    """Both, one after the other."""
    return np.concatenate([plain_records(first), plain_records(second)]).view(first.dtype)


def plain_records(records: NDArray[np.void]) -> NDArray[np.void]:
    """Records as plain bytes, to be copied: numpy would go through hundreds of fields (0.2 to 0.7 ms a call)."""
    return records.view(np.dtype((np.void, records.dtype.itemsize)))


def event_message(event: np.void) -> bytes:
    """MCAP message record with an event as ``foxglove.Log``; the tick travels as the sequence number."""
    seconds, nanos = divmod(int(event["utc_ns"]), 1_000_000_000)
    log = message_class(log_schema(), LOG_NAME)(
        level=int(event["severity"]),
        message=bytes(event["text"]).decode("utf-8", "ignore"),
        name=bytes(event["name"]).decode("utf-8", "ignore"),
    )
    log.timestamp.seconds, log.timestamp.nanos = seconds, nanos
    body: bytes = log.SerializeToString(deterministic=True)
    head = np.zeros(1, HEAD_DTYPE)
    fill_head(head, len(body), EVENT_CHANNEL, np.array([event["tick"]]), np.array([event["utc_ns"]]))
    return head.tobytes() + body


def pool_messages(pool: NDArray[np.void], table: Layout, channel: int = POOL_CHANNEL) -> NDArray[np.uint8]:
    """MCAP message records of pool records as protobuf, one row each."""
    out = np.empty((pool.size, HEAD_DTYPE.itemsize + table.size), np.uint8)
    head = out[:, : HEAD_DTYPE.itemsize].view(HEAD_DTYPE)[:, 0]
    fill_head(head, table.size, channel, pool["clock"]["tick"], pool["clock"]["utc_ns"])
    table.fill(out, pool, HEAD_DTYPE.itemsize)
    return out


def fill_head(
    view: NDArray[np.void], size: int, channel: int, ticks: NDArray[np.int64], utc_ns: NDArray[np.int64]
) -> None:
    view["opcode"] = Opcode.MESSAGE
    view["length"] = HEAD_DTYPE.itemsize - 9 + size
    view["channel"] = channel
    view["sequence"] = ticks & 0xFFFF_FFFF
    view["log_time"] = view["publish_time"] = np.maximum(utc_ns, 0)


def index_table(utc_ns: NDArray[np.int64], offsets: NDArray[np.int64]) -> NDArray[np.uint64]:
    return np.stack([np.maximum(utc_ns, 0), offsets], axis=1).astype(np.uint64)


def _woven(pool: bytes, texts: list[bytes], places: list[int]) -> bytes:
    """Pool messages with every event's message put in at its byte place."""
    pieces, start = [], 0
    for text, place in zip(texts, places, strict=True):
        pieces += [pool[start:place], text]
        start = place
    return b"".join([*pieces, pool[start:]])

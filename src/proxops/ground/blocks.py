"""Two streams become one: pool records and events, in an order that does not depend on when they were read.

A block is a fixed number of pool records (or fewer, where those are more than a second) with the events between them and becomes
one chunk of the log: all its records as one message of columns, and beside it, for viewers, some of them as protobuf. An event
stands before the first protobuf record of its own or a later tick. A block is closed only when the next pool record is there: by
then all its events are (the facility pushes the events of a tick before the pool record of the next one).
"""

from __future__ import annotations

import struct
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from mcap.opcode import Opcode
from mcap.records import Channel, Schema
from numpy.typing import NDArray

from proxops.core.messages import EVENT_DTYPE
from proxops.ground.column_block import ENCODING, FORMAT, PackedColumns
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
_HEAD: Final = struct.Struct("<BQHIQQ")  # before a message: opcode, length, channel, sequence, log time, publish time
_COUNTED: Final = _HEAD.size - 9  # bytes of it that its length counts


@dataclass(frozen=True)
class Beside:
    """Messages of another channel, to stand behind our own in a chunk: MCAP's records of them. ``starts``: where each begins;
    None if all are of one length."""

    channel: int
    utc_ns: NDArray[np.int64]
    records: bytes | memoryview
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
        self, columns: PackedColumns | None, beside: Sequence[Beside] = (), viewed_ns: int = VIEWED_NS
    ) -> ChunkData:
        """The chunk's bytes and its index; ``beside`` stands behind, whatever its times: readers go by the index.
        ``columns``: of its records, None only if it has none. ``viewed_ns``: from one record for viewers to the next."""
        return self.with_columns(self.shown(beside, viewed_ns), columns)

    def shown(self, beside: Sequence[Beside], viewed_ns: int = VIEWED_NS) -> ChunkData:
        """What of it is for viewers."""
        return self.messages(_viewed(self.pool["clock"]["utc_ns"], viewed_ns), beside)

    def with_columns(self, shown: ChunkData, columns: PackedColumns | None) -> ChunkData:
        """All of it."""
        if columns is None:
            return shown
        last, (front, *others) = self.pool["clock"][-1:], columns.pieces
        head = message_head(sum(map(len, columns.pieces)), CYCLES_CHANNEL, int(last["tick"][0]), int(last["utc_ns"][0]))
        messages = shown.pieces[0]
        index = {**shown.index, CYCLES_CHANNEL: index_table(last["utc_ns"], np.array([len(messages)]))}
        return ChunkData((b"".join([messages, head, front]), *others), index, noise=True)

    def messages(self, rows: NDArray[np.intp] | slice = slice(None), beside: Sequence[Beside] = ()) -> ChunkData:
        """The same without the columns: these records (all by default) as protobuf, every event, ``beside``."""
        chosen = np.arange(self.pool.size)[rows]
        messages, utc_ns = pool_messages(self.pool, self.table, chosen)
        offsets, index = np.arange(len(messages)) * messages.shape[1], {}
        parts: list[bytes | memoryview] = [messages.reshape(-1).data]
        if self.events.size:
            places = np.searchsorted(chosen, self.places) * messages.shape[1]
            texts = [event_message(event) for event in self.events]
            ends = np.cumsum([0, *map(len, texts)])
            index[EVENT_CHANNEL] = index_table(self.events["utc_ns"], places + ends[:-1])
            offsets += ends[np.searchsorted(places, offsets, side="right")]
            parts = _woven(parts[0], texts, places.tolist())
        if chosen.size:
            index = {POOL_CHANNEL: index_table(utc_ns, offsets), **index}
        size = sum(map(len, parts))
        for other in beside:
            index[other.channel] = index_table(other.utc_ns, size + other.offsets)
            parts.append(other.records)
            size += len(other.records)
        return ChunkData((b"".join(parts),), index)


def _viewed(utc_ns: NDArray[np.int64], every_ns: int) -> NDArray[np.intp]:
    """Records for viewers: the first of the block, and of each stretch of time since."""
    slots = (utc_ns - utc_ns[:1]) // every_ns
    return np.flatnonzero(np.concatenate([[True], slots[1:] != slots[:-1]])[: slots.size])


class Interleaver:
    """Takes what the rings gave and hands out blocks."""

    def __init__(self, table: Layout | None = None, most: int = BLOCK_RECORDS) -> None:
        """``most``: records of a block."""
        self._table, self._most = table or pool_layout(), most
        self._parts: deque[NDArray[np.void]] = deque()
        self.waiting = 0  # records in them
        self._events: NDArray[np.void] = np.empty(0, EVENT_DTYPE)
        self._opened = False  # the first pool record has been handed out

    def add(self, pool: NDArray[np.void], events: NDArray[np.void]) -> None:
        """Records in the order of their rings, the caller's no longer; ``events`` read after ``pool``."""
        if pool.size:
            self._parts.append(pool)
            self.waiting += pool.size
        if events.size:
            self._events = joined(self._events, events)

    def lend(self, pool: NDArray[np.void]) -> None:
        """Records that begin with those which wait already, in memory that is another's until ``own``."""
        self._parts, self.waiting = deque([pool] if pool.size else []), pool.size

    def own(self) -> None:
        """Copy what is lent."""
        self._parts = deque(part.copy() for part in self._parts)

    def blocks(self, *, last: bool = False) -> Iterator[Block]:
        """Closed blocks; with ``last`` also what remains."""
        while self.waiting > (count := self._closed()):
            yield self._cut(count, all_events=False)
        if last and (self.waiting or self._events.size):
            yield self._cut(self.waiting, all_events=True)

    def _closed(self) -> int:
        """Records of the next block, if one more has come."""
        stamps = self._first(self._most)["clock"]["utc_ns"][: self._most]
        late = np.flatnonzero(np.abs(stamps - stamps[:1]) >= BLOCK_NS)
        return int(late[0]) if late.size else self._most

    def _first(self, count: int) -> NDArray[np.void]:
        """At least ``count`` records, if there are so many, where they lie: only a block that came in parts is copied."""
        if not self._parts:
            return np.empty(0, self._table.dtype)
        while len(self._parts) > 1 and (missing := count - self._parts[0].size) > 0:
            first, second = self._parts.popleft(), self._parts.popleft()
            if second.size > missing:
                self._parts.appendleft(second[missing:])
            self._parts.appendleft(joined(first, second[:missing]))
        return self._parts[0]

    def _cut(self, count: int, *, all_events: bool) -> Block:
        found = self._first(count)
        pool, rest = found[:count], found[count:]
        if self._parts:
            self._parts.popleft()
        if rest.size:
            self._parts.appendleft(rest)
        self.waiting -= pool.size
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


def byte_rows(records: NDArray[np.void]) -> NDArray[np.uint8]:
    """Plain bytes, one record a row."""
    plain = np.ascontiguousarray(plain_records(records))
    return plain.view(np.uint8).reshape(records.size, records.dtype.itemsize)


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
    return message_head(len(body), EVENT_CHANNEL, int(event["tick"]), int(event["utc_ns"])) + body


def pool_messages(
    pool: NDArray[np.void], table: Layout, chosen: NDArray[np.int64], channel: int = POOL_CHANNEL
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """MCAP message records of the ``chosen`` pool records as protobuf, one row each, and their times."""
    from proxops.ground.message_rows import HEAD_BYTES, numbers_in, put_heads  # the compiler is loaded by who writes

    clock, messages = pool["clock"], table.messages(byte_rows(pool), chosen, HEAD_BYTES)
    utc_ns = clock["utc_ns"][chosen]
    put_heads(messages, numbers_in(messages)[1], channel, clock["tick"][chosen], utc_ns)
    return messages, utc_ns


def message_head(size: int, channel: int, tick: int, utc_ns: int) -> bytes:
    """What MCAP puts before the ``size`` bytes of a message (of many at once: ``message_rows.put_heads``)."""
    time = max(utc_ns, 0)
    return _HEAD.pack(Opcode.MESSAGE, _COUNTED + size, channel, tick & 0xFFFF_FFFF, time, time)


def index_table(utc_ns: NDArray[np.int64], offsets: NDArray[np.int64]) -> NDArray[np.uint64]:
    table = np.empty((utc_ns.size, 2), np.uint64)
    table[:, 0], table[:, 1] = np.maximum(utc_ns, 0), offsets
    return table


def _woven(pool: bytes | memoryview, texts: list[bytes], places: list[int]) -> list[bytes | memoryview]:
    """Pool messages with every event's message put in at its byte place."""
    pieces: list[bytes | memoryview] = []
    start = 0
    for text, place in zip(texts, places, strict=True):
        pieces += [pool[start:place], text]
        start = place
    return [*pieces, pool[start:]]

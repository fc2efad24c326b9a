"""What is inside a chunk of a log: messages of the pool by their places, events, and the layout that the log's schema gives."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
from google.protobuf.message import DecodeError
from mcap.opcode import Opcode
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from proxops.core.errors import BadInput
from proxops.core.messages import EVENT_DTYPE
from proxops.ground.column_block import ENCODING, Buffer, rows_in
from proxops.ground.column_rows import column_rows
from proxops.ground.prediction import Whole
from proxops.ground.scan import Scan
from proxops.ground.schema import CYCLES_TOPIC, EVENT_TOPIC, LOG_NAME, POOL_NAME, POOL_TOPIC, message_class
from proxops.ground.unpacking import MESSAGE, records
from proxops.ground.wire import Layout, layout

MOST_EVENTS = 16_384  # in a chunk: sixteen full rings of them
MOST_BLOCKS = 2  # in a chunk; ours have one
STAMP = np.dtype("<i8")
Spot = tuple[int, int]  # first byte of a message in its chunk, and the one after its last
EventBody = tuple[int, int, bytes]  # channel, sequence, message


def in_columns(scan: Scan) -> bool:
    """Whether a log has its records as blocks of columns; protobuf ones are then for viewers. Older logs have only those."""
    return any(c.topic == CYCLES_TOPIC and c.message_encoding == ENCODING for c in scan.channels.values())


def sorted_messages(part: bytes, scan: Scan) -> tuple[Counter[int], list[Spot], list[EventBody]]:
    """Messages per channel in the records of a chunk, where those with the pool's records are, and the events."""
    topics = {channel.id: channel.topic for channel in scan.channels.values()}
    packed = in_columns(scan)
    wanted = CYCLES_TOPIC if packed else POOL_TOPIC
    counts: Counter[int] = Counter()
    spots: list[Spot] = []
    bodies: list[EventBody] = []
    for opcode, start, end in records(part, 0, len(part)):
        if opcode != Opcode.MESSAGE:
            continue
        channel, sequence, _, _ = MESSAGE.unpack_from(part, start)
        counts[channel] += 1
        topic = topics.get(channel)
        if topic == wanted:
            spots.append((start + MESSAGE.size, end))
            if packed and len(spots) > MOST_BLOCKS:
                raise ValueError(f"more than {MOST_BLOCKS} blocks of records in a chunk")
        elif topic == EVENT_TOPIC:
            bodies.append((channel, sequence, part[start + MESSAGE.size : end]))
            if len(bodies) > MOST_EVENTS:
                raise ValueError(f"more than {MOST_EVENTS} events in a chunk")
    return counts, spots, bodies


def message_rows(part: bytes, spots: list[Spot], size: int) -> NDArray[np.uint8]:
    """Messages of equal ``size`` as rows."""
    rows: NDArray[np.uint8] = sliding_window_view(np.frombuffer(part, np.uint8), size)[[start for start, _ in spots]]
    return rows


def block_rows(part: bytes, spots: list[Spot]) -> int:
    """Records in the blocks at ``spots``."""
    view = memoryview(part)
    return sum(rows_in(view[start:end]) for start, end in spots)


def block_columns(block: Buffer, table: Layout) -> Whole:
    """Of a message of columns; ValueError when it is none."""
    from proxops.ground.column_decoder import decode_block  # the compiler is loaded when there is something to decode

    return decode_block(block, column_rows(table).floats)


def pool_records(part: bytes, spots: list[Spot], table: Layout, *, packed: bool) -> NDArray[np.void]:
    """The pool's records of a chunk, out of columns if ``packed``."""
    if packed:
        blocks = [block_columns(part[start:end], table) for start, end in spots]
        none = np.empty((len(table.columns), 0), np.int64)
        return column_rows(table).records(blocks[0] if len(blocks) == 1 else np.concatenate([none, *blocks], axis=1))
    return _protobuf_records(part, spots, table)


def _protobuf_records(part: bytes, spots: list[Spot], table: Layout) -> NDArray[np.void]:
    """Where they lie, with groups and names; decoded one by one when another wrote them."""
    if any(end - start != table.size for start, end in spots):
        return table.decode_each([part[start:end] for start, end in spots])
    return table.seen(message_rows(part, spots, table.size))


def layout_in(scan: Scan) -> Layout:
    """Layout of the pool's messages, from the schema that a walk has met; BadInput when there is none of ours."""
    where = str(scan.path)
    channel = next((c for c in scan.channels.values() if c.topic == POOL_TOPIC), None)
    if channel is None:
        found = ", ".join(sorted(c.topic for c in scan.channels.values())) or "none"
        raise BadInput(
            f"no topic {POOL_TOPIC}", where=where, value=f"topics: {found}",
            way_out="" if scan.channels else "the log was cut off before its first second, or is none of ours",
        )  # fmt: skip
    schema = scan.schemas.get(channel.schema_id)
    if schema is None or schema.name != POOL_NAME or schema.encoding != "protobuf":
        raise BadInput(f"{POOL_TOPIC} is not {POOL_NAME} in protobuf", where=where)
    try:
        table = layout(schema.data)
        if not table.dtype["clock"]["utc_ns"] == table.dtype["clock"]["tick"] == STAMP:
            raise ValueError("utc_ns and tick of its clock are no sfixed64")
        return table
    except (KeyError, ValueError, IndexError, DecodeError) as reason:
        raise BadInput(f"the schema of {POOL_TOPIC} is not of our kind: {reason}", where=where) from reason


def events_in(bodies: list[EventBody], scan: Scan) -> NDArray[np.void]:
    """Events from ``foxglove.Log``; the tick is the message's sequence number."""
    out = np.zeros(len(bodies), EVENT_DTYPE)
    for row, (channel, sequence, body) in zip(out, bodies, strict=True):
        row["tick"] = sequence
        try:
            _fill_event(row, _log_class(scan, channel).FromString(body))
        except (AttributeError, TypeError) as reason:  # fields that its schema calls or types otherwise
            raise ValueError(f"{LOG_NAME} is not what it should be: {reason}") from None
    return out


def _fill_event(row: np.void, log: Any) -> None:
    utc_ns = log.timestamp.seconds * 1_000_000_000 + log.timestamp.nanos
    if not (-(2**63) <= utc_ns < 2**63 and 0 <= log.level < 256):
        raise ValueError(f"an event of {utc_ns} ns and severity {log.level}")
    row["utc_ns"], row["severity"] = utc_ns, log.level
    row["name"], row["text"] = log.name.encode(), log.message.encode()


def _log_class(scan: Scan, channel: int) -> Any:
    """Message class of an event channel; BadInput when it is not ``foxglove.Log``."""
    schema = scan.schemas.get(scan.channels[channel].schema_id)
    if schema is None or schema.name != LOG_NAME or schema.encoding != "protobuf":
        raise BadInput(f"{EVENT_TOPIC} is not {LOG_NAME} in protobuf", where=str(scan.path))
    return message_class(schema.data, LOG_NAME)

"""Every cycle of a log as a standard message: a file for tools that know protobuf and not our columns. What else is in the log
stays as it is. Our own reader reads it too, as it does logs from before there were columns."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from mcap.opcode import Opcode
from mcap.records import Channel

from proxops.core.errors import BadInput
from proxops.ground.blocks import index_table, pool_messages
from proxops.ground.chunk import in_columns, layout_in, pool_records, sorted_messages
from proxops.ground.mcap_file import ChunkData, McapFile, Preamble
from proxops.ground.scan import Scan
from proxops.ground.schema import CYCLES_TOPIC, POOL_TOPIC
from proxops.ground.unpacking import DAMAGE, MESSAGE, RECORD, records
from proxops.ground.wire import Layout


def export_messages(path: Path | str, out: Path | str) -> int:
    """Rewrite the log ``path`` as ``out``, every cycle on ``/pool``; how many there are. A cut log is read as far as it goes."""
    path, out = Path(path), Path(out)
    if out.exists():  # it may be a log, even one that is being recorded
        raise BadInput("exists already", where=str(out), way_out="choose another name")
    try:
        found = Scan(path)
        for _ in found.parts():
            pass  # only to know all schemas and channels before the new file begins
        table, pool = layout_in(found), next(c for c in found.channels.values() if c.topic == POOL_TOPIC)
        target = McapFile(out)
    except OSError as reason:
        raise BadInput(f"cannot be opened: {reason.strerror}", where=str(reason.filename or path)) from reason
    try:
        return _rewrite(found, target, table, pool)
    except DAMAGE as reason:
        out.unlink(missing_ok=True)
        raise BadInput(f"cannot be read: {reason}", where=str(path)) from reason
    except OSError as reason:
        out.unlink(missing_ok=True)
        raise BadInput(f"cannot be written: {reason.strerror}", where=str(out)) from reason
    finally:
        target.close()


def _rewrite(found: Scan, target: McapFile, table: Layout, pool: Channel) -> int:
    ours = [c for c in found.channels.values() if c.topic == CYCLES_TOPIC]
    schemas = {i: s for i, s in found.schemas.items() if i not in {c.schema_id for c in ours}}
    kept = {i: c for i, c in found.channels.items() if c not in ours}
    target.begin(
        Preamble(tuple(schemas.values()), tuple(kept.values()), tuple(found.metadata), tuple(found.attachments))
    )
    count = 0
    for chunk in _chunks(found, table, pool, set(kept) - {pool.id}):
        target.add(chunk)
        count += len(chunk.index.get(pool.id, ()))
    target.finish()
    return count


def _chunks(found: Scan, table: Layout, pool: Channel, others: set[int]) -> Iterator[ChunkData]:
    packed = in_columns(found)
    for part in Scan(found.path).parts():
        _, spots, _ = sorted_messages(part, found)
        rows = pool_records(part, spots, table, packed=packed)
        messages, utc_ns = pool_messages(rows.astype(table.dtype, copy=False), table, np.arange(rows.size), pool.id)
        data, starts = [messages.tobytes()], np.arange(len(messages)) * messages.shape[1]
        index = {pool.id: index_table(utc_ns, starts)}
        index |= _beside(part, others, data)
        chunk = ChunkData((b"".join(data),), {channel: rows for channel, rows in index.items() if len(rows)})
        if chunk.index:
            yield chunk


def _beside(
    part: bytes, channels: set[int], data: list[bytes]
) -> dict[int, np.ndarray[tuple[int, ...], np.dtype[np.uint64]]]:
    """All messages of these channels onto the end of ``data``, and their index."""
    at, found = len(data[0]), defaultdict[int, list[tuple[int, int]]](list)
    for opcode, start, end in records(part, 0, len(part)):
        if opcode != Opcode.MESSAGE:
            continue
        channel, _, log_time, _ = MESSAGE.unpack_from(part, start)
        if channel in channels:
            found[channel].append((log_time, at))
            data.append(part[start - RECORD.size : end])
            at += len(data[-1])
    return {channel: np.array(rows, np.uint64) for channel, rows in sorted(found.items())}

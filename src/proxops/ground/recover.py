"""A log that was cut off becomes a whole one: every readable message, with indexes and summary again."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from mcap.opcode import Opcode

from proxops.core.errors import BadInput
from proxops.ground.mcap_file import ChunkData, McapFile, Preamble
from proxops.ground.scan import Scan
from proxops.ground.unpacking import MESSAGE, records


@dataclass(frozen=True)
class Recovered:
    """What was saved: messages per topic, chunks, and what the damage was."""

    messages: dict[str, int]
    chunks: int
    notes: tuple[str, ...]


def recover(path: Path | str, out: Path | str) -> Recovered:
    """Rewrite the log ``path`` as ``out``, which must not exist. The old file is not touched."""
    path, out = Path(path), Path(out)
    try:
        found = Scan(path)
        for _ in found.parts():
            pass  # only to know all schemas and channels before the new file begins
        target = McapFile(out)
    except FileExistsError:
        raise BadInput("exists already", where=str(out), way_out="choose another name") from None
    except OSError as reason:
        raise BadInput(f"cannot be opened: {reason.strerror}", where=str(reason.filename or path)) from reason
    try:
        return _rewrite(found, target)
    except OSError as reason:
        out.unlink(missing_ok=True)
        raise BadInput(f"cannot be written: {reason.strerror}", where=str(out)) from reason
    finally:
        target.close()


def _rewrite(found: Scan, target: McapFile) -> Recovered:
    target.begin(
        Preamble(
            tuple(found.schemas.values()),
            tuple(found.channels.values()),
            tuple(found.metadata),
            tuple(found.attachments),
        )
    )
    counts = dict.fromkeys(found.channels, 0)
    chunks = 0
    for part in Scan(found.path).parts():
        chunk = _indexed(part, set(found.channels))
        if chunk.index:
            target.add(chunk)
            chunks += 1
        for channel, table in chunk.index.items():
            counts[channel] += len(table)
    target.finish()
    target.sync()
    names = {c.id: c.topic for c in found.channels.values()}
    return Recovered({names[c]: n for c, n in counts.items()}, chunks, tuple(found.notes))


def _indexed(part: bytes, channels: set[int]) -> ChunkData:
    """The records of a chunk with their index."""
    rows: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    for opcode, start, _ in records(part, 0, len(part)):
        if opcode == Opcode.MESSAGE:
            channel, _, log_time, _ = MESSAGE.unpack_from(part, start)
            if channel in channels:
                rows[channel].append((log_time, start - 9))  # the record begins with opcode and length
    return ChunkData((part,), {c: np.array(table, np.uint64) for c, table in sorted(rows.items())})

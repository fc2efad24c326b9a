"""Exact records of a log by their time: only the chunks that hold them are unpacked, only the variables asked for are taken.

Times are seconds since the first record of the log, by the UTC stamps (lockstep runs carry made-up ones, at 4 ms).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.errors import BadInput
from proxops.ground.block_bounds import Floats
from proxops.ground.log_file import LogFile
from proxops.ground.mcap_file import ChunkPlace
from proxops.ground.unpacking import DAMAGE
from proxops.ground.wire import Column

FAR_S: Final = 1e9  # 30 years: beyond the ends of any log


@dataclass(frozen=True)
class RecordTable:
    """Records row by row: time, UTC, cycle and the values of each variable, in its own type."""

    t: Floats
    utc_ns: NDArray[np.int64]
    tick: NDArray[np.int64]
    values: dict[str, NDArray[Any]]
    decoded: int  # chunks that had to be unpacked


def window(
    path: Path | str, t0: float, t1: float, names: Sequence[str], step: int = 1, index: NDArray[np.void] | None = None
) -> RecordTable:
    """Every ``step``-th record from ``t0`` to ``t1``, both included. ``index``: where the chunks lie, if that is known."""
    if step < 1:
        raise BadInput("step", value=step, bound="1 or more")
    with LogFile(path) as log:
        columns, seen, rows = log.columns(list(names)), 0, []
        for records in records_between(log, t0, t1, index):
            rows.append(_picked(records, slice(-seen % step, None, step), columns))
            seen += len(records)
        return _table(log, columns, rows)


def records_between(
    log: LogFile, t0: float, t1: float, index: NDArray[np.void] | None = None
) -> Iterator[NDArray[np.void]]:
    """The records of a span, chunk by chunk; a damaged chunk is left out."""
    first, last = _ns(log, t0), _ns(log, t1)
    index = log.index() if index is None else index
    touched = index[(index["utc_first"] <= last) & (index["utc_last"] >= first)]
    for place in touched:
        records = _records(log, place)
        stamps = records["clock"]["utc_ns"]
        yield records[(stamps >= first) & (stamps <= last)]


def samples_at(
    path: Path | str, times: Sequence[float] | Floats, names: Sequence[str], index: NDArray[np.void] | None = None
) -> RecordTable:
    """For each time the newest record at or before it, the first record for times before that. ``t`` says whose they are."""
    with LogFile(path) as log:
        columns = log.columns(list(names))
        stamps = np.array([_ns(log, t) for t in np.asarray(times, float).tolist()], np.int64)
        index = log.index() if index is None else index
        rows = [_picked(record, slice(None), columns) for record in _newest_before(log, stamps, index)]
        return _table(log, columns, rows)


def _newest_before(log: LogFile, stamps: NDArray[np.int64], index: NDArray[np.void]) -> Iterator[NDArray[np.void]]:
    """One record for each stamp. Stamps in rising order unpack a chunk once; so do all that fall into the same one in a row."""
    begins = np.maximum.accumulate(index["utc_first"]) if index.size else index["utc_first"]
    at, records = -1, np.empty(0, log.table.dtype)
    for stamp in stamps.tolist():
        chunk = int(np.searchsorted(begins, stamp, side="right")) - 1
        for number in (*range(chunk, -1, -1), *range(max(chunk, -1) + 1, len(index))):
            if number != at:
                at, records = number, _records(log, index[number])
            row = int(np.searchsorted(records["clock"]["utc_ns"], stamp, side="right")) - 1
            # A chunk may begin with an event before its first record, or hold no records at all.
            if row >= 0 or (number > chunk and records.size):
                yield records[max(row, 0) : max(row, 0) + 1]
                break


def _records(log: LogFile, where: np.void) -> NDArray[np.void]:
    """Pool records of one chunk, none when it is damaged."""
    try:
        return log.chunk(ChunkPlace(int(where["offset"]), int(where["length"]), 0)).records
    except DAMAGE:
        return np.empty(0, log.table.dtype)


def _ns(log: LogFile, t: float) -> int:
    """UTC of a time, ns; to the nearest, so that a time that was read from a log finds its record again."""
    if t != t:
        raise BadInput("not a time", value=t, where=str(log.path))
    return (log.begin_ns or 0) + round(min(max(t, -FAR_S), FAR_S) * 1e9)


Picked = tuple[NDArray[np.int64], NDArray[np.int64], list[NDArray[Any]]]


def _picked(records: NDArray[np.void], rows: slice, columns: list[Column]) -> Picked:
    """Stamps, cycles and values of some records of a chunk; copies, so that the chunk can be given up."""
    clock = records["clock"][rows]
    return clock["utc_ns"].copy(), clock["tick"].copy(), [records[c.group][c.name][rows].copy() for c in columns]


def _table(log: LogFile, columns: list[Column], rows: list[Picked]) -> RecordTable:
    utc, tick = (np.concatenate([np.empty(0, np.int64), *(row[i] for row in rows)]) for i in (0, 1))
    values = {
        c.path: np.concatenate([np.empty(0, c.type), *(row[2][k] for row in rows)]) for k, c in enumerate(columns)
    }
    return RecordTable((utc - (log.begin_ns or 0)) * 1e-9, utc, tick, values, log.decoded)

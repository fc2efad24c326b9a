"""Reading a log: the whole pool as one array of records, the events, and what was written about the run.

Logs that were cut off read up to their last whole chunk; ``complete`` and ``notes`` say so.
"""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.ending import ENDED, NO_END, NOT_TOLD, Ending
from proxops.core.errors import BadInput
from proxops.ground.chunk import EventBody, Spot, events_in, layout_in, message_rows, sorted_messages
from proxops.ground.scan import Scan
from proxops.ground.unpacking import DAMAGE
from proxops.ground.wire import Column, Layout

BATCH: Final = 4096  # records decoded at once
MOST_EVENTS: Final = 250_000  # in a log: one every 14 ms for an hour


@dataclass(frozen=True)
class Log:
    """A recorded run. ``pool`` has the groups and variables of the table it was recorded with."""

    path: Path
    pool: NDArray[np.void]
    events: NDArray[np.void]
    columns: tuple[Column, ...]
    metadata: dict[str, str]
    attachments: dict[str, bytes]
    topics: dict[str, int]
    complete: bool
    notes: tuple[str, ...]

    @classmethod
    def open(cls, path: Path | str) -> Log:
        """Read a log. BadInput when there is none, or when it is not one of ours."""
        path = Path(path)
        try:
            return _read(path)
        except (OSError, *DAMAGE) as reason:
            raise BadInput(f"cannot be read: {reason}", where=str(path)) from reason

    @property
    def ended(self) -> Ending | None:
        """How the recording ended; None when nobody could say so (``ended_words``)."""
        return ended_in(self.events)

    @property
    def ended_words(self) -> str:
        """The same for people."""
        return str(self.ended or (NOT_TOLD if self.complete else NO_END))

    def column(self, name: str) -> Column:
        """The variable ``group.variable``; BadInput with near names when there is none."""
        for column in self.columns:
            if column.path == name:
                return column
        raise unknown_name(name, self.columns, str(self.path))

    def values(self, name: str) -> NDArray[Any]:
        """All values of ``group.variable``."""
        column = self.column(name)
        values: NDArray[Any] = self.pool[column.group][column.name]
        return values


def ended_in(events: NDArray[np.void]) -> Ending | None:
    """The last event that says how it ended; a watchdog's may stand behind it."""
    said = np.flatnonzero(events["name"] == ENDED.encode())
    return Ending.parse(events["text"][said[-1]].decode(errors="replace")) if said.size else None


def unknown_name(name: str, columns: tuple[Column, ...], where: str) -> BadInput:
    """What to say when a variable does not exist."""
    group = name.partition(".")[0]
    near = [c.path for c in columns if c.group == group] or sorted({c.group for c in columns})
    return BadInput("no such variable in the log", where=where, value=repr(name), bound=", ".join(near))


def _memory() -> int:
    """Of this machine, bytes."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _read(path: Path) -> Log:
    scan = Scan(path)
    reader = _Messages(scan)
    for part in scan.parts():
        reader.take(part)
    table = reader.table()
    return Log(
        path=path,
        pool=reader.pool(),
        events=events_in(reader.event_bodies, scan),
        columns=table.columns,
        metadata={key: value for record in scan.metadata for key, value in record.metadata.items()},
        attachments={record.name: record.data for record in scan.attachments},
        topics={c.topic: reader.counts[c.id] for c in scan.channels.values()},
        complete=scan.complete,
        notes=tuple(scan.notes),
    )


class _Messages:
    """Sorts messages by channel and decodes the pool in batches."""

    def __init__(self, scan: Scan) -> None:
        self._scan = scan
        self.counts: Counter[int] = Counter()
        self.event_bodies: list[EventBody] = []
        self._rows: list[NDArray[np.uint8]] = []
        self._waiting = 0
        self._decoded: list[NDArray[np.void]] = []
        self._table: Layout | None = None
        self._count, self._most = 0, _memory() // 2

    def table(self) -> Layout:
        """Layout of the pool's messages, from the schema in the log."""
        if self._table is None:
            self._table = layout_in(self._scan)
        return self._table

    def take(self, part: bytes) -> None:
        """Messages of one chunk."""
        counts, spots, bodies = sorted_messages(part, self._scan)
        self.counts += counts
        self.event_bodies += bodies
        if len(self.event_bodies) > MOST_EVENTS:
            raise BadInput("too many events", where=str(self._scan.path), bound=f"{MOST_EVENTS} in a log")
        if spots:
            self._take_pool(part, spots)

    def _take_pool(self, part: bytes, spots: list[Spot]) -> None:
        table = self.table()
        self._count += len(spots)
        if self._count * table.dtype.itemsize > self._most:
            raise BadInput(
                "the log does not fit into memory", where=str(self._scan.path), value=f"{self._count} records and more",
                bound=f"{self._most // 10**6} MB, half of this machine's", way_out="proxops.ground.log_window reads a span",
            )  # fmt: skip
        if any(end - start != table.size for start, end in spots):
            self._decode()
            self._decoded.append(table.decode_each([part[start:end] for start, end in spots]))
            return
        self._rows.append(message_rows(part, spots, table.size))
        self._waiting += len(spots)
        if self._waiting >= BATCH:
            self._decode()

    def _decode(self) -> None:
        if self._rows:
            self._decoded.append(self.table().decode(np.concatenate(self._rows)))
        self._rows, self._waiting = [], 0

    def pool(self) -> NDArray[np.void]:
        """All records. Blocks are given up while they are copied, so a long log is in memory only once."""
        self._decode()
        out = np.empty(sum(block.size for block in self._decoded), self.table().dtype)
        at = out.size
        while self._decoded:
            block = self._decoded.pop()
            out[at - block.size : at] = block
            at -= block.size
        return out

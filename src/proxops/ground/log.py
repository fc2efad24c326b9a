"""Reading a log: every variable as one array, the events, and what was written about the run.

Logs that were cut off read up to their last whole chunk; ``complete`` and ``notes`` say so.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.ending import ENDED, NO_END, NOT_TOLD, Ending
from proxops.core.errors import BadInput
from proxops.ground.chunk import (
    EventBody,
    Spot,
    block_columns,
    block_rows,
    events_in,
    in_columns,
    layout_in,
    message_rows,
    sorted_messages,
)
from proxops.ground.column_rows import column_rows
from proxops.ground.pool_columns import PlainColumns, PoolColumns
from proxops.ground.prediction import Whole
from proxops.ground.scan import Scan
from proxops.ground.unpacking import DAMAGE
from proxops.ground.wire import Column, Layout

if TYPE_CHECKING:
    from proxops.core.images import Image
    from proxops.ground.recorded_image import RecordedImage

BATCH: Final = 4096  # records decoded at once
MOST_EVENTS: Final = 250_000  # in a log: one every 14 ms for an hour


@dataclass(frozen=True)
class Log:
    """A recorded run. ``cycles`` has the groups and variables of the table it was recorded with."""

    path: Path
    cycles: PoolColumns
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
        """All values of ``group.variable``, one after the other in memory."""
        if name not in self.cycles:
            raise unknown_name(name, self.columns, str(self.path))
        return self.cycles.column(name)

    @property
    def count(self) -> int:
        """How many cycles are recorded."""
        return self.cycles.count

    @property
    def dtype(self) -> np.dtype[np.void]:
        """Groups and variables of a record."""
        return self.cycles.table.dtype

    def names(self, group: str) -> tuple[str, ...]:
        """Variables of a group; none if there is no such group."""
        return tuple(self.dtype[group].names or ()) if group in (self.dtype.names or ()) else ()

    def table(self, group: str, names: Sequence[str] | None = None) -> NDArray[np.float64]:
        """Variables of one group side by side (records, names), all of them by default: made once, to be read only."""
        names = self.names(group) if names is None else tuple(names)
        if (group, names) not in self._tables:
            out = np.empty((self.count, len(names)))
            for i, name in enumerate(names):
                out[:, i] = self.values(f"{group}.{name}")
            self._tables[group, names] = out
        return self._tables[group, names]

    @property
    def sensors(self) -> tuple[str, ...]:
        """Names of the imaging sensors that it has topics of."""
        from proxops.ground.recorded_image import names_in

        return names_in(self.topics)

    def images(self, sensor: str) -> Iterator[Image]:
        """What a sensor has seen, in the order in which it came, read from the file again; BadInput when there is none such."""
        return (recorded.image for recorded in self.recorded_images(sensor))

    def recorded_images(self, sensor: str) -> Iterator[RecordedImage]:
        """The same with the times on record and the truth, if it is known; still encoded."""
        from proxops.ground.recorded_image import demand_sensor, recorded_images

        demand_sensor(sensor, self.sensors, self.path)
        return recorded_images(self.path, sensor)

    @cached_property
    def _tables(self) -> dict[tuple[str, tuple[str, ...]], NDArray[np.float64]]:
        return {}

    @cached_property
    def pool(self) -> NDArray[np.void]:
        """All records, one after the other: a copy of everything, to be read only. Who wants variables asks for ``values``."""
        records = self.cycles.records()
        records.flags.writeable = False
        return records


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
    scan = Scan(path, images=False)
    reader = _Messages(scan)
    for part in scan.parts():
        reader.take(part)
    table = reader.table()
    return Log(
        path=path,
        cycles=reader.cycles(),
        events=events_in(reader.event_bodies, scan),
        columns=table.columns,
        metadata={key: value for record in scan.metadata for key, value in record.metadata.items()},
        attachments={record.name: record.data for record in scan.attachments},
        topics={c.topic: reader.counts[c.id] + scan.left_out[c.id] for c in scan.channels.values()},
        complete=scan.complete,
        notes=tuple(scan.notes),
    )


class _Messages:
    """Sorts messages by channel; blocks of columns wait as they are, protobuf is decoded in batches."""

    def __init__(self, scan: Scan) -> None:
        self._scan = scan
        self.counts: Counter[int] = Counter()
        self.event_bodies: list[EventBody] = []
        self._rows: list[NDArray[np.uint8]] = []
        self._waiting = 0
        self._pieces: list[memoryview | NDArray[np.void]] = []
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
        table, packed = self.table(), in_columns(self._scan)
        self._count += block_rows(part, spots) if packed else len(spots)
        if self._count * table.dtype.itemsize > self._most:
            raise BadInput(
                "the log does not fit into memory", where=str(self._scan.path), value=f"{self._count} records and more",
                bound=f"{self._most // 10**6} MB, half of this machine's", way_out="proxops.ground.log_window reads a span",
            )  # fmt: skip
        if packed:
            self._pieces += [memoryview(part)[start:end] for start, end in spots]
            return
        if any(end - start != table.size for start, end in spots):
            self._decode()
            self._pieces.append(table.decode_each([part[start:end] for start, end in spots]))
            return
        self._rows.append(message_rows(part, spots, table.size))
        self._waiting += len(spots)
        if self._waiting >= BATCH:
            self._decode()

    def _decode(self) -> None:
        if self._rows:
            self._pieces.append(self.table().decode(np.concatenate(self._rows)))
        self._rows, self._waiting = [], 0

    def cycles(self) -> PoolColumns:
        """All records; blocks stay packed until somebody asks for what is in them."""
        self._decode()
        table, pieces = self.table(), self._pieces
        packed = [piece for piece in pieces if isinstance(piece, memoryview)]
        if packed and len(packed) == len(pieces):
            from proxops.ground.column_decoder import PackedBlocks  # loads the compiler, which older logs do not need

            return PoolColumns(table, PackedBlocks(packed, column_rows(table).floats))
        return PoolColumns(table, PlainColumns(self._decoded()))

    def _decoded(self) -> Whole:
        """Columns of all records. Pieces are given up while they are copied, so a long log is in memory only once."""
        table, at = self.table(), self._count
        out = np.empty((len(table.columns), self._count), np.int64)
        while self._pieces:
            piece = self._pieces.pop()
            columns = (
                block_columns(piece, table) if isinstance(piece, memoryview) else column_rows(table).columns(piece)
            )
            at -= columns.shape[1]
            out[:, at : at + columns.shape[1]] = columns
        return out

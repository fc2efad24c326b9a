"""Making an overview block by block: by the recorder while it records, or later from the log."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.messages import EVENT_DTYPE
from proxops.ground.block_bounds import BlockBounds, Floats
from proxops.ground.column_block import PackedColumns
from proxops.ground.mcap_file import ChunkPlace
from proxops.ground.overview_file import BLOCK_DTYPE, DAMAGED, TILE_BLOCKS, TILE_EVENTS, head_bytes, tile_bytes
from proxops.ground.wire import Layout, pool_layout

SUFFIX: Final = ".overview"


def overview_path(log: Path) -> Path:
    """Where the overview of a log lies: beside it."""
    return log.with_suffix(SUFFIX)


class OverviewWriter:
    """Gathers blocks and hands whole tiles to ``append``."""

    def __init__(self, append: Callable[[bytes], object], dtype: np.dtype[np.void]) -> None:
        self._append = append
        self._bounds = BlockBounds(dtype)
        self._low, self._high = (np.empty((TILE_BLOCKS, self._bounds.count)) for _ in range(2))
        self._blocks: list[tuple[float, ...]] = []  # rows of BLOCK_DTYPE
        self._events: list[NDArray[np.void]] = []
        self._filled = self._events_waiting = 0

    def add(
        self, place: ChunkPlace, records: NDArray[np.void], events: NDArray[np.void], bounds: tuple[Floats, Floats] | None = None
    ) -> None:  # fmt: skip
        """One block: the records and events of the chunk at ``place``. ``bounds``: of each variable, if they are known."""
        row = self._filled
        self._low[row], self._high[row] = bounds or self._bounds_of(records)
        self._blocks.append(_block(place, records))
        if events.size:
            self._events.append(events)
            self._events_waiting += len(events)
        self._next()

    def _bounds_of(self, records: NDArray[np.void]) -> tuple[Floats, Floats]:
        if records.dtype is not self._bounds.dtype:  # the same object, mostly: comparing hundreds of names takes 0.2 ms
            self._bounds = BlockBounds(records.dtype)
        return self._bounds.of(records)

    def add_damaged(self, place: ChunkPlace) -> None:
        """A chunk that cannot be read: it has a place, but nothing is known of it."""
        row = self._filled
        self._low[row] = self._high[row] = np.nan
        self._blocks.append((place.offset, place.length, 0, 0, 0, 0, np.nan, np.nan, DAMAGED, place.crc))
        self._next()

    def _next(self) -> None:
        self._filled += 1
        if self._filled == TILE_BLOCKS or self._events_waiting >= TILE_EVENTS:
            self.flush()

    def flush(self) -> None:
        """Write what has gathered, as a shorter tile."""
        n = self._filled
        if n:
            events = np.concatenate(self._events) if self._events else np.empty(0, EVENT_DTYPE)
            blocks = np.array(self._blocks, BLOCK_DTYPE)
            self._filled, self._blocks, self._events, self._events_waiting = 0, [], [], 0
            self._append(tile_bytes(blocks, events, self._low[:n], self._high[:n]))


def _block(place: ChunkPlace, records: NDArray[np.void]) -> tuple[float, ...]:
    """Row of BLOCK_DTYPE."""
    if not records.size:
        return place.offset, place.length, 0, 0, 0, 0, np.nan, np.nan, 0, place.crc
    clock = records["clock"]
    first, last = clock[0], clock[-1]
    times = (np.nan, np.nan) if "t_sim" not in (clock.dtype.names or ()) else (first["t_sim"], last["t_sim"])
    stamps = clock["utc_ns"]
    return (
        place.offset, place.length, stamps.min(), stamps.max(), first["tick"], last["tick"], *times, records.size, place.crc,
    )  # fmt: skip


class RecordersOverview:
    """The recorder's: beside the log. Trouble with it ends it and never touches the log; what is missing is made later."""

    def __init__(self, log: Path, table: Layout | None = None) -> None:
        table = table or pool_layout()
        self._writer = OverviewWriter(self._write, table.dtype)
        self._size = 0
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
        self._fd: int | None = None
        with contextlib.suppress(OSError):
            self._fd = os.open(overview_path(log), flags, 0o644)
        self._write(head_bytes([column.path for column in table.columns]))

    def add(
        self, place: ChunkPlace, records: NDArray[np.void], events: NDArray[np.void], columns: PackedColumns | None
    ) -> None:  # fmt: skip
        """The block that has just become the chunk at ``place``."""
        if self._fd is not None:
            bounds = (columns.low, columns.high) if columns else None
            self._writer.add(place, records, _as_logged(events) if events.size else events, bounds)

    def finish(self) -> None:
        """Nothing more comes."""
        if self._fd is not None:
            self._writer.flush()
        self._close()

    def _write(self, data: bytes) -> None:
        if self._fd is None:
            return
        try:
            written = os.pwrite(self._fd, data, self._size)
        except OSError:
            written = 0
        if written == len(data):
            self._size += written
        else:
            with contextlib.suppress(OSError):
                os.ftruncate(self._fd, self._size)
            self._close()

    def _close(self) -> None:
        if self._fd is not None:
            os.close(self._fd)
        self._fd = None


def _as_logged(events: NDArray[np.void]) -> NDArray[np.void]:
    """Events as the log gives them back: texts cut in the middle of a character lose it, ticks have 32 bits."""
    out = events.copy()
    for row in out:
        for name in ("name", "text"):
            row[name] = bytes(row[name]).decode("utf-8", "ignore").encode()
        row["tick"] &= 0xFFFF_FFFF
    return out

"""The hall as the console sees it: the newest cycle from the pool's ring, events as they come. Reads shared memory, asks nobody.

A frame for the page: kind (1), three zero bytes, u32 number, f64 time of the cycle and f64 time of sending (ms of this process's
monotonic clock), set-point and actual axes in four coordinate systems (2 x 4 x 22 doubles, of a hall only), the record as it lies
in the ring.
"""

from __future__ import annotations

import struct
import time
from collections import deque
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.messages import EVENT_DTYPE, Group, pool_dtype
from proxops.core.ring import Ring
from proxops.core.vocabulary import System
from proxops.lab.any_cell import AnyCell, pool_of
from proxops.lab.cell import Cell
from proxops.lab.coordinates import POV, POV_AT_LAB, values_from_axes

CYCLE: Final = 1
HEAD: Final = struct.Struct("<BxxxIdd")
EVENTS_KEPT: Final = 1000


def now_ms() -> float:
    """This process's clock, which pages are told."""
    return time.monotonic_ns() * 1e-6


@dataclass(frozen=True)
class Frame:
    """One look at the hall, the same bytes for every viewer."""

    number: int
    record: NDArray[np.void]
    data: bytes


class LiveFeed:
    """Looks at the rings. ``look`` gives a frame when a new cycle is there; ``events`` are the newest so far."""

    def __init__(self, cell: AnyCell, pool: Path, events: Path, groups: tuple[Group, ...] = ()) -> None:
        """``groups``: that an application has added to the cell's own."""
        self._hall, self._dtype = cell.hall if isinstance(cell, Cell) else None, pool_dtype((*pool_of(cell), *groups))
        self.pool, self._events = Ring.attach(pool, self._dtype), Ring.attach(events, EVENT_DTYPE)
        self._cursor = self._head = self._number = 0
        self._clock_ns: int | None = None  # monotonic minus UTC of the cycles, the smallest that was seen
        self._pov = POV_AT_LAB.copy()
        self._values = np.zeros((2, 4, 22))
        self.record: NDArray[np.void] | None = None
        self.events: deque[dict[str, Any]] = deque(maxlen=EVENTS_KEPT)
        self.overtaken = 0  # events that were overwritten before they could be read

    @property
    def closed(self) -> bool:
        """The facility has ended."""
        return self.pool.closed

    def look(self) -> Frame | None:
        """A frame of the newest cycle; None when there is none that is new."""
        head = self.pool.head
        if head == self._head:
            return None
        self._head = head
        raw = bytes(self.pool.newest_bytes(head))
        record = np.frombuffer(raw, self._dtype)[0]
        self.record = record
        self._number += 1
        parts = (
            HEAD.pack(CYCLE, self._number & 0xFFFF_FFFF, self._cycle_ms(record), now_ms()),
            self._systems(record),
            raw,
        )
        return Frame(self._number, record, b"".join(parts))

    def _cycle_ms(self, record: np.void) -> float:
        """When the cycle was, by our clock. Its UTC keeps the pace of the same monotonic clock, so the smallest difference
        ever seen is the true one but for the time a look takes."""
        utc_ns = int(record["clock"]["utc_ns"])
        difference = time.monotonic_ns() - utc_ns
        if self._clock_ns is None or difference < self._clock_ns:
            self._clock_ns = difference
        return (utc_ns + self._clock_ns) * 1e-6

    def moment_ms(self, utc_ns: int) -> float:
        """A moment of the facility's clock by ours: now, as long as no cycle was seen, and where it has yet to come."""
        now = now_ms()
        return now if self._clock_ns is None else min((utc_ns + self._clock_ns) * 1e-6, now)

    def _systems(self, record: np.void) -> bytes:
        """Set-point and actual axes in all coordinate systems, with the client's point of view where it gave one. A cell of arms
        has its axes alone, which are in the record."""
        if self._hall is None:
            return b""
        command = record["command"]
        if command["system"] == System.CLW:
            self._pov[:] = [command[f"c{POV + 1 + i}"] for i in range(7)]
        for row, group in enumerate(("setpoint", "actual")):
            q = np.array(record[group].tolist())
            for system in System:
                values_from_axes(self._hall, int(system), q, self._pov, self._values[row, int(system) - 1])
        return self._values.tobytes()

    def news(self) -> list[dict[str, Any]]:
        """Events since the last call, also kept in ``events``."""
        records, self._cursor, lost = self._events.read(self._cursor)
        self.overtaken += lost
        items = [event_item(record) for record in records]
        self.events.extend(items)
        return items


def event_item(record: np.void) -> dict[str, Any]:
    """An event as the page takes it."""
    return {
        "utc_ms": int(record["utc_ns"]) / 1e6,
        "tick": int(record["tick"]),
        "severity": int(record["severity"]),
        "name": record["name"].decode("utf-8", "replace"),
        "text": record["text"].decode("utf-8", "replace"),
    }

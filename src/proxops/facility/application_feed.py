"""The live facility's end of a mission: a ring into which the application's process puts its part of the pool."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from proxops.core.messages import MISSION_DTYPE, PERIOD_S, mission_bytes
from proxops.core.pool import Pool
from proxops.core.ring import Ring
from proxops.lab.cell import Cell

SLOTS: Final = 64
GONE_NS: Final = 500_000_000  # without a new record: nobody flies any more


def hall_latency_s(cell: Cell) -> float:
    """How old the shown pose is: what the rail's servo lags behind, and one cycle from command to set-point. (The arms are
    quicker by 28 ms: 1 mm at 5 cm/s if it were theirs; approaches are the rail's.)"""
    servo = cell.file.rail.servo
    return (servo.dead_time_ms + servo.time_constant_ms) * 1e-3 + PERIOD_S


class MissionFeed:
    """Newest record of the ring into the pool, every cycle; all zero once the application is gone. Never waits. Applications
    may come and go: each goes on in the ring where the one before ended."""

    def __init__(self, pool: Pool, now_ns: Callable[[], int]) -> None:
        self.ring = Ring.create("mission", MISSION_DTYPE, SLOTS)
        self._bytes, self._span = pool.bytes, mission_bytes()
        self._nothing = bytes(MISSION_DTYPE.itemsize)
        self._seen, self._now_ns = 0, now_ns
        self._heard_ns: int | None = None  # None: nobody flies

    def publish(self) -> None:
        head = self.ring.head
        if head != self._seen:
            self._seen, self._heard_ns = head, self._now_ns()
            self._bytes[self._span] = self.ring.newest_bytes(head)
        elif self._heard_ns is not None and self._now_ns() - self._heard_ns >= GONE_NS:
            self._heard_ns = None
            self._bytes[self._span] = self._nothing

    def close(self) -> None:
        self.ring.close()

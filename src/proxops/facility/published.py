"""What is told of every cycle in any cell: groups of the pool, which go to the ring for recorder, console and answers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Protocol

from proxops.core.clock import GPS_MINUS_UNIX_NS, Clock
from proxops.core.pool import Pool
from proxops.core.vocabulary import Hardware, Mode, Source
from proxops.facility.events import EventLog
from proxops.facility.sources import CommandSource
from proxops.lab.any_cell import AnyCell
from proxops.lab.links.link import Link
from proxops.safety.guard import Guard
from proxops.safety.interlocks import Interlocks
from proxops.safety.rules import Stop

NO_STOP = (0, 0, 0.0, 0.0)


class Published(Protocol):
    """The state of the facility, as far as it is told."""

    cell: AnyCell
    clock: Clock
    link: Link
    guard: Guard
    interlocks: Interlocks
    events: EventLog
    mode: Mode
    source: Source
    hardware: Hardware
    stop: Stop | None
    commands: CommandSource | None
    lateness: float
    work: float
    missed: int


class Publication(ABC):
    """What is told of any cell. ``actual`` and ``actual_rate`` are what the robots report (m, rad), in the pool."""

    def __init__(self, facility: Published, pool: Pool) -> None:
        self._f, self.pool, self._cycle_s = facility, pool, facility.clock.period_ns * 1e-9
        self._write_clock, self._write_state = pool.writer("clock"), pool.writer("state")
        self._write_timing = pool.writer("timing")
        self.guarded = pool.run("wish", count=3 * facility.cell.n_axes)  # wish, set-point and its rate
        self.actual, self.actual_rate = pool.run("actual"), pool.run("actual_rate")

    def fill(self) -> None:
        """All but what ports and applications fill themselves."""
        clock = self._f.clock
        tick, utc_ns = clock.tick, clock.utc_ns()
        self._write_clock(tick, tick * self._cycle_s, utc_ns, utc_ns + GPS_MINUS_UNIX_NS)
        self.fill_state()
        self._fill_kind()

    def fill_state(self) -> None:
        """What stays while nothing happens but motion."""
        f, stop = self._f, self._f.stop
        self._write_state(
            f.mode, f.source, f.hardware, f.link.all_on,
            *((stop.rule, stop.axis, stop.value, stop.bound) if stop else NO_STOP), f.interlocks.mask, f.events.alarms,
        )  # fmt: skip
        self._write_timing(f.lateness, f.work, f.missed)

    @abstractmethod
    def _fill_kind(self) -> None:
        """What the guard tells, and what only this kind of cell has."""

    @abstractmethod
    def forget_command(self) -> None:
        """Nobody commands any more."""

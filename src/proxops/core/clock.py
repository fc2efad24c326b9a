"""Time of the facility: cycle number, UTC and GPS time. Lockstep never sleeps; the live clock keeps absolute deadlines."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final, Protocol

from proxops.core.errors import BadInput
from proxops.core.messages import PERIOD_NS

GPS_EPOCH_UNIX_S: Final = 315_964_800  # 1980-01-06T00:00:00Z
GPS_MINUS_UTC_S: Final = 18  # since 2017-01-01; no leap second has been announced since (IERS Bulletin C)
GPS_MINUS_UNIX_NS: Final = (GPS_MINUS_UTC_S - GPS_EPOCH_UNIX_S) * 1_000_000_000  # their counts (valid from 2017 on)
ISO_TIME: Final = re.compile(
    r"(?P<moment>\d{4}-?\d\d-?\d\d(?:[T ]\d\d:?\d\d(?P<seconds>:?\d\d)?)?)"
    r"(?:[.,](?P<fraction>\d+))?(?P<zone>Z|[+-]\d\d:?\d\d)?\Z",
    re.ASCII,
)
# Lateness for which motion may go unwatched, unless a cell says otherwise; beyond it whatever moves stops.
STALL_S: Final = 0.040
STALL_NS: Final = round(STALL_S * 1e9)
WAIT_EVERY: Final = 32  # cycles of lockstep between two looks at whoever is waited for
LOCKSTEP_EPOCH: Final = "2026-01-01T00:00:00Z"  # lockstep runs carry this time unless told otherwise


def gps_from_utc_ns(utc_ns: int) -> int:
    """GPS time in ns since its epoch, from Unix UTC in ns (valid from 2017 on)."""
    return utc_ns + GPS_MINUS_UNIX_NS


def utc_from_gps_ns(gps_ns: int) -> int:
    """Unix UTC in ns, from GPS time in ns since its epoch (valid from 2017 on)."""
    return gps_ns - GPS_MINUS_UNIX_NS


def parse_utc_ns(text: str) -> int:
    """Unix ns from ISO 8601 (``2026-01-01T12:00:00.123456789Z``; no zone means UTC), nanoseconds kept."""
    found = ISO_TIME.match(text.strip())
    try:
        moment = datetime.fromisoformat(found["moment"] + (found["zone"] or "")) if found else None
    except ValueError:
        moment = None
    if found is None or moment is None or (found["fraction"] and not found["seconds"]):
        raise BadInput("not a UTC time", value=repr(text), bound="ISO 8601, 2026-01-01T12:00:00.5Z")
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    whole = moment - datetime(1970, 1, 1, tzinfo=UTC)
    fraction = int(((found["fraction"] or "") + "000000000")[:9])
    return (whole.days * 86400 + whole.seconds) * 1_000_000_000 + fraction


class Clock(Protocol):
    """Hands out the time of the present cycle."""

    tick: int
    missed: int  # cycles that were lost
    period_ns: int  # of a cycle

    def start(self) -> None:
        """The first cycle begins now."""
        ...

    def utc_ns(self) -> int:
        """Unix UTC of the present cycle."""
        ...

    def now_ns(self) -> int:
        """Time that only grows, by which everything ages: it goes on while the process or the machine stands still."""
        ...

    def advance(self) -> float:
        """Go to the next cycle; returns the lateness in seconds (0 in lockstep)."""
        ...

    def spent_s(self) -> float:
        """Since this cycle began (0 in lockstep)."""
        ...


def seconds_of(clock: Clock) -> Callable[[], float]:
    """Asked for the time of the present cycle, s from now on."""
    began_ns = clock.now_ns()
    return lambda: (clock.now_ns() - began_ns) * 1e-9


class LockstepClock:
    """Time that passes only when told: the same run has the same time stamps, bit for bit. ``wait``, if there is one, is called
    now and then before time passes: whoever keeps the records may take its time."""

    def __init__(self, epoch: str = LOCKSTEP_EPOCH, period_ns: int = PERIOD_NS) -> None:
        self.tick = self.missed = 0
        self.period_ns = period_ns
        self._start_ns = parse_utc_ns(epoch)
        self.wait: Callable[[], None] | None = None

    def start(self) -> None:
        pass

    def utc_ns(self) -> int:
        return self._start_ns + self.tick * self.period_ns

    def now_ns(self) -> int:
        return self.tick * self.period_ns

    def advance(self) -> float:
        if self.wait is not None and self.tick % WAIT_EVERY == 0:
            self.wait()
        self.tick += 1
        return 0.0

    def skip(self, cycles: int) -> None:
        """So many have passed in one go."""
        if self.wait is not None and (-self.tick) % WAIT_EVERY < cycles:  # one of them would have waited
            self.wait()
        self.tick += cycles

    def spent_s(self) -> float:
        return 0.0


def monotonic_ns() -> int:
    """The machine's monotonic clock; it counts the time in which the machine sleeps where the system can tell (Linux)."""
    return time.clock_gettime_ns(_EVER)


_EVER: Final = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


class LiveClock:
    """By the monotonic clock with absolute deadlines; UTC is tied to it once, so steps of the wall clock cannot jump."""

    def __init__(self, period_ns: int = PERIOD_NS) -> None:
        self.tick = self.missed = 0
        self.period_ns = period_ns
        self.start()

    def start(self) -> None:
        """The first cycle begins now."""
        self._utc_at_start = time.time_ns()
        self._deadline = self._start = self._began = monotonic_ns()

    def utc_ns(self) -> int:
        return self._utc_at_start + (self._deadline - self._start)

    def now_ns(self) -> int:
        return self._deadline

    def advance(self) -> float:
        """Sleep to the next deadline. When whole cycles were lost they are counted, not made up for in a burst."""
        self.tick += 1
        self._deadline += self.period_ns
        wait = self._deadline - monotonic_ns()
        if wait > 0:
            time.sleep(wait * 1e-9)
        self._began = monotonic_ns()
        late = self._began - self._deadline
        if late >= self.period_ns:
            lost = late // self.period_ns
            self.missed += lost
            self._deadline += lost * self.period_ns
        return max(late, 0) * 1e-9

    def spent_s(self) -> float:
        return (monotonic_ns() - self._began) * 1e-9

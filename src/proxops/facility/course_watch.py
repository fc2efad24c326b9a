"""Whether the robots obey: are they where their set-points have led, while they brake or stand too, clear of each other on the
way, and do they come to rest in time? A set-point cannot stop a robot that does not follow it: its drives are cut."""

from __future__ import annotations

from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from proxops.core.clock import Clock
from proxops.core.vocabulary import Mode
from proxops.lab.links.fault import LinkFault
from proxops.lab.links.link import Link
from proxops.safety.guard import Guard
from proxops.safety.modes import BRAKING, Event
from proxops.safety.rules import Rule, Stop

REST_NS: Final = 3_000_000_000  # for robots to stand behind a set-point that stands: twice what the slowest drives need
# Times what an axis may be off: a sluggish one comes nearer while it brakes, a runaway gets here.
DISOBEYED: Final = 2.0
POWERLESS: Final = frozenset({Mode.STANDBY, Mode.RELEASING})


class Obeyed(Protocol):
    """The facility, as far as it can be disobeyed."""

    clock: Clock
    link: Link
    guard: Guard
    mode: Mode
    fault: LinkFault | None  # then the robots say themselves that they do not follow
    actual: NDArray[np.float64]

    def trip(self, stop: Stop) -> None: ...
    def go(self, event: Event) -> None: ...


class CourseWatch:
    """``look`` after the robots were read, in every cycle in which the guard has not compared them itself."""

    def __init__(self, facility: Obeyed) -> None:
        self._f, self._due_ns, self._astray = facility, 0, False

    def forget(self) -> None:
        """What was wrong is acknowledged."""
        self._astray = False

    def expect_rest(self) -> None:
        """A brake begins: the robots shall stand in time after their set-point does."""
        self._due_ns = self._f.clock.now_ns() + REST_NS

    def look(self) -> None:
        f = self._f
        if f.mode not in BRAKING or f.guard.moving:
            self.expect_rest()
        elif f.clock.now_ns() > self._due_ns:
            self._cut()
        if f.mode not in POWERLESS and f.fault is None and f.link.all_on:
            self._compare()

    def watch_way(self, *, by_hand: bool) -> None:
        """The way of a brake was free when it began. Robots that are red on it all the same are not where they should be: their
        own brakes are harder than the set-point's. ``by_hand``: what is braked may have been on its way out of red."""
        f = self._f
        red = f.guard.zones.astray(f.actual) if by_hand else f.guard.red(f.actual)
        if red:
            f.trip(red)
            f.link.drives_off()

    def _compare(self) -> None:
        f = self._f
        stop = f.guard.off_course(f.actual)
        if stop and not self._astray:  # told once
            self._astray = True
            f.trip(stop)
        elif stop and f.guard.off_course(f.actual, DISOBEYED):
            f.link.drives_off()

    def _cut(self) -> None:
        """The set-point has stood for long, and the robots report that they move, or nothing that is a number."""
        self._f.trip(Stop(Rule.FOLLOWING, detail=f"no rest for {REST_NS * 1e-9:g} s behind a set-point that stands"))
        self._f.link.drives_off()
        self._f.go(Event.STANDSTILL)

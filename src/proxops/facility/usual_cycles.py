"""Cycles in which nothing happens but motion, several in one call: the tick's own stages (``safety.guarded_cycle``), in lockstep.

A motion says for how long it can go on so, and stops before the first cycle that is not usual; that one is the tick's. How many
cycles pass at once changes nothing that is recorded, to the bit.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from proxops.core.clock import LockstepClock
from proxops.core.pool import Pool
from proxops.core.vocabulary import Mode
from proxops.facility.publication import HallPublication
from proxops.facility.supervisor import Supervisor
from proxops.facility.surroundings import look_every
from proxops.lab.links.virtual import VirtualHall
from proxops.safety.guarded_cycle import MOST, GuardedCycle, Passing

MOVING: Final = frozenset({Mode.BRIDGED, Mode.RUNNING})
TRY_AGAIN: Final = 8  # cycles after an attempt that came to nothing


class UsualCycles:
    """Of a hall of virtual robots that are stepped by the tick, and whose time passes when told: others have none."""

    def __init__(self, supervisor: Supervisor, told: object, pool: Pool) -> None:
        self._f, self._told, self._wait = supervisor, told, 0
        self._look_every = look_every(supervisor.clock.period_ns)
        self._cycle: GuardedCycle | None = None
        link = supervisor.link
        if isinstance(told, HallPublication) and isinstance(link, VirtualHall):
            self._cycle = guarded_cycle(supervisor, link, told, pool)

    @property
    def rows(self) -> np.ndarray:
        """What was told of the cycles that have passed."""
        assert self._cycle is not None
        return self._cycle.rows

    def possible(self, most: int) -> int:
        """How many of the next cycles may pass at once, as far as the facility itself is concerned."""
        f, link = self._f, self._f.link
        if self._cycle is None or f.mode not in MOVING or f.fault:
            return 0
        if self._wait > 0:
            self._wait -= 1
            return 0
        if not isinstance(f.clock, LockstepClock) or not isinstance(link, VirtualHall):
            return 0
        until_look = self._look_every - f.clock.tick % self._look_every  # which is the last one's
        return min(most, MOST, until_look, len(link.noise) - link.next_noise)

    def move(self, most: int) -> int:
        """Let the motion go through them; how many have passed."""
        f, link, told = self._f, self._f.link, self._told
        assert isinstance(told, HallPublication) and isinstance(link, VirtualHall) and self._cycle and f.motion
        assert isinstance(f.clock, LockstepClock)
        told.fill_state()
        period_ns = f.clock.period_ns
        p = Passing(f.clock.tick + 1, f.clock.utc_ns() + period_ns, period_ns, link.next_noise, told.system)
        passed = f.motion.usual_cycles(self._cycle, p, most)
        if passed:
            f.clock.skip(passed)
            f.fault = link.stepped(passed)
        else:
            self._wait = TRY_AGAIN
        return passed


def guarded_cycle(f: Supervisor, link: VirtualHall, told: HallPublication, pool: Pool) -> GuardedCycle:
    """Views of all parts."""
    hall, record = f.cell.hall, np.frombuffer(pool.bytes, np.uint8)
    assert hall is not None
    return GuardedCycle(
        hall, *f.guard.parts, link.controllers, link.noise, link.actual, link.rate, link.positioning_error, f.actual,
        f.actual_rate, told.guarded, f.guard.told, told.pov, told.ports, told.answer, told.truth,
        pool.integers("i8", "clock", "tick"), pool.run("clock", "t_sim", 1), pool.integers("i8", "clock", "utc_ns", 2),
        record, np.zeros((MOST, record.size), np.uint8),
    )  # fmt: skip

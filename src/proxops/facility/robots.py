"""The robots of a cell behind their guard: where they are, where they are sent, and what forbids to move them."""

from __future__ import annotations

from typing import Final

import numpy as np

from proxops.core.pool import Pool
from proxops.lab.any_cell import AnyCell
from proxops.lab.links.link import Link
from proxops.safety.guard import Guard
from proxops.safety.interlocks import Interlocks
from proxops.safety.zone_watch import ZoneWatch

AT_REST: Final = 1e-4  # m/s or rad/s of a servo that has come to rest


class GuardedRobots:
    """``actual`` and ``actual_rate`` are what the axes report (m, rad), in the pool: told without a copy."""

    def __init__(self, cell: AnyCell, link: Link, pool: Pool) -> None:
        self.cell, self.link = cell, link
        self.actual, self.actual_rate = pool.run("actual"), pool.run("actual_rate")
        self.zones = ZoneWatch(cell)
        # The six margins of a hall lie in the pool, too; of those of arms two are told.
        self.guard = Guard(cell, np.zeros(6) if cell.hall is None else pool.run("margin"), self.zones)
        self.interlocks = Interlocks(cell.file.interlock)
        self.guard.stand(link.standing)

    def read(self) -> None:
        """What the robots reported at the beginning of this cycle."""
        self.actual[:], self.actual_rate[:] = self.link.read(), self.link.rate
        if self.link.drift is not None:
            self.guard.carry(self.link.drift)

    @property
    def at_rest(self) -> bool:
        """Set-point and robots."""
        return not self.guard.moving and bool((np.abs(self.actual_rate) < AT_REST).all())

    def stand(self) -> bool:
        """Without drives the set-point is where the robots are. True once all drives are on and it is."""
        guard, link = self.guard, self.link
        if not np.array_equal(guard.setpoint, link.standing):
            guard.stand(link.standing)
        return link.all_on and np.array_equal(guard.setpoint, link.standing)

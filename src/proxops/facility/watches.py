"""Whatever ends motion by itself, whatever the motion says: a clock that stalls, inputs, controllers, robots that disobey."""

from __future__ import annotations

from typing import Final

import numpy as np

from proxops.core.vocabulary import Mode
from proxops.facility.course_watch import POWERLESS
from proxops.facility.supervisor import Supervisor
from proxops.facility.surroundings import Surroundings, look_every
from proxops.lab.links.fault import LinkFault, Trouble
from proxops.safety.limits import FENCE_SPEED_M_S
from proxops.safety.modes import Event
from proxops.safety.rules import Rule, Stop

GOES_ON: Final = frozenset({Mode.MOVING_TO_START, Mode.RUNNING, Mode.SINE})
"""Modes whose motion goes on by itself, also from a moment at which it stands."""
LINK_RULE: Final = {
    Trouble.CONTROLLER: Rule.CONTROLLER_FAULT, Trouble.WATCHDOG: Rule.WATCHDOG, Trouble.LOST: Rule.LINK_LOST,
}  # fmt: skip


class Watches:
    """``look`` in every cycle after the robots were read. What is wrong trips the supervisor; processes round the tick are looked
    after now and then, and raise alarms."""

    def __init__(self, supervisor: Supervisor, surroundings: Surroundings) -> None:
        self._f, self._surroundings = supervisor, surroundings
        self._stall_s = supervisor.cell.file.link.stall_ms * 1e-3
        self._inputs = 0  # their mask, in the cycle before
        self._look_every = look_every(supervisor.clock.period_ns)

    @property
    def quiet(self) -> bool:
        """No interlock is open, or was in the cycle before."""
        return not self._inputs and not self._f.interlocks.mask

    def look(self, lateness: float, judged: bool) -> None:
        """``lateness`` of this cycle (s); ``judged``: in the one before the guard has compared robots and set-points itself."""
        f = self._f
        if lateness > self._stall_s and (f.guard.moving or f.mode in GOES_ON):
            f.trip(Stop(Rule.STALL, value=lateness, bound=self._stall_s))
        if self._inputs or f.interlocks.mask:
            self._look_at_inputs()
        if f.fault and f.mode is not Mode.STANDBY:
            f.trip(_stop_of(f.fault))
        if f.mode in POWERLESS and f.robots.stand() and f.mode is Mode.RELEASING:
            f.go(Event.RELEASED)
        if not judged:
            f.course.look()
        self.look_round()

    def look_round(self) -> None:
        """At the processes round the tick, if that is due in this cycle."""
        if self._f.clock.tick % self._look_every == 0:
            self._surroundings.look(self._f.clock.missed)

    def _look_at_inputs(self) -> None:
        """Some interlock is open, or was in the cycle before."""
        f = self._f
        if f.interlocks.mask != self._inputs:
            self._inputs = f.interlocks.mask
            f.guard.limit_points(FENCE_SPEED_M_S if f.interlocks.fence_open else np.inf)
        forbidden = f.interlocks.forbids(f.mode)
        if forbidden:
            f.trip(forbidden)


def _stop_of(fault: LinkFault) -> Stop:
    return Stop(LINK_RULE[fault.trouble], fault.number, fault.value, fault.bound, str(fault))

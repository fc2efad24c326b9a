"""The facility: robots, supervisor and publication, and the tick that joins them in every cycle. Operators use ``desk.Desk``.

``tick`` is the one loop's body, whatever moves the robots and whoever's time passes: clock, ports polled, motion asked, guard,
link, publication, answers. What ports and applications have to do in a cycle is attached, so that nobody has to remember it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from proxops.core.clock import Clock
from proxops.core.vocabulary import Mode
from proxops.facility.duties import Duties
from proxops.facility.events import EventLog
from proxops.facility.failure import failure
from proxops.facility.publication import Publication, publication
from proxops.facility.records import Records
from proxops.facility.robots import GuardedRobots
from proxops.facility.supervisor import Supervisor
from proxops.facility.surroundings import Surroundings
from proxops.facility.usual_cycles import UsualCycles
from proxops.facility.watches import Watches
from proxops.safety.modes import BRAKING
from proxops.safety.motion import Rest, Wish


class Facility(Supervisor):
    """A supervised hall and its one ``tick``. Everything that moves goes: wish → guard → robots."""

    def __init__(self, robots: GuardedRobots, clock: Clock, records: Records) -> None:
        self.pool, (self.ring, events) = records.pool, records.rings
        super().__init__(robots, clock, EventLog(events, clock))
        self.told: Publication = publication(self, self.pool, self.cell)
        self.duties = Duties(self.fail)
        self.surroundings = Surroundings(self.events, self.fail)
        self.lateness = self.work = 0.0
        self.missed = 0
        self._usual = UsualCycles(self, self.told, self.pool)
        self._watches = Watches(self, self.surroundings)
        self._judged = False  # by the guard, in the cycle before, which compares robots and set-points itself

    def tick(self, most: int = 1) -> int:
        """One cycle, or up to ``most`` in which nothing happens but motion; how many have passed. Nothing in here waits, and no
        failure of a part ends it."""
        if most > 1 and (passed := self._pass_usual(most)):
            return passed
        self.lateness, self.missed = self.clock.advance(), self.clock.missed
        self.duties.poll()
        self.robots.read()
        self._watches.look(self.lateness, self._judged)
        setpoint = self._judge(self._asked())
        self.fault = self.link.write(setpoint)
        self.publish()
        self.duties.answer()
        self.work = self.clock.spent_s()
        return 1

    def _pass_usual(self, most: int) -> int:
        """Usual cycles in one call, and the last of them told as any other; 0 where the next one has to be taken by itself."""
        try:
            count = self.duties.ahead(self._usual.possible(most)) if self._watches.quiet else 0
            passed = self._usual.move(count) if count > 1 else 0
        except Exception as error:  # as in ``_asked``: whatever it is, the robots have to brake
            self.fail("usual cycles", error)
            error.__traceback__ = None
            return 0
        if passed:
            self._judged, mode = True, self.mode
            self.duties.passed(passed)
            self._watches.look_round()
            self.ring.push_all(self._usual.rows[: passed - 1])
            if self.commands is None and self.mode is mode:
                self._tell_state()
            else:
                self.publish()
        return passed

    def _tell_state(self) -> None:
        """After usual cycles: the rest of the last one is told already, by the motion and by whoever was ahead."""
        self.told.fill_state()
        self.ring.push(self.pool.bytes)

    def publish(self) -> None:
        """Fill the pool and hand it to the ring."""
        self.told.fill()
        self.duties.publish()
        self.ring.push(self.pool.bytes)

    def _asked(self) -> Wish:
        """What the motion wants."""
        try:
            wish = self.motion.step() if self.motion else Rest.HOLD
            return self.guard.understood(wish) if isinstance(wish, np.ndarray) else wish
        except Exception as error:  # whatever it is, the robots have to brake
            stop = failure(type(self.motion).__name__, error)
            error.__traceback__ = None  # as in ``Duties``
            return stop

    def _judge(self, wish: Wish) -> NDArray[np.float64]:
        """The set-point of this cycle: the wish if the guard allows it, else braking, else standing still."""
        asked: NDArray[np.float64] | None = None
        if isinstance(wish, np.ndarray):
            asked = wish
        else:
            self.heed(wish)
        self._judged = False
        if self.mode in BRAKING:
            self.brake()
        elif asked is not None or self.guard.moving:
            self._judged = True
            stop = self.guard.judge(
                self.guard.wish if asked is None else asked, self.actual, leaving=self.mode is Mode.MANUAL
            )
            if stop:
                self.refuse(stop)
                self.guard.brake()
        return self.guard.setpoint

    def deselect(self) -> None:
        """Nor does anybody command any more."""
        super().deselect()
        self.told.forget_command()

    @property
    def not_recorded(self) -> str:
        """Why no motion may begin now: the evidence would be missing. Empty when it may; what moves goes on either way."""
        return self.surroundings.not_recorded

"""The facility: mode, motion, guard and robots, and the tick that joins them in every cycle. Operators use ``desk.Desk``.

``tick`` is the one loop's body, whatever moves the robots and whoever's time passes: clock, ports polled, motion asked, guard,
link, publication, answers. What ports and applications have to do in a cycle is attached, so that nobody has to remember it.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.clock import Clock
from proxops.core.errors import Refused
from proxops.core.messages import Group
from proxops.core.pool import Pool
from proxops.core.ring import Ring
from proxops.core.vocabulary import Hardware, Mode, Severity, Source
from proxops.facility.course_watch import POWERLESS, CourseWatch
from proxops.facility.duties import Duties
from proxops.facility.events import EventLog
from proxops.facility.failure import failure
from proxops.facility.possible import refusal
from proxops.facility.publication import Publication, publication
from proxops.facility.sources import CommandSource
from proxops.facility.surroundings import Surroundings, look_every
from proxops.lab.any_cell import AnyCell, pool_of
from proxops.lab.links.fault import LinkFault, Trouble
from proxops.lab.links.link import Link
from proxops.safety.guard import Guard
from proxops.safety.interlocks import Interlocks
from proxops.safety.limits import FENCE_SPEED_M_S
from proxops.safety.modes import BRAKING, STILL, Event, next_mode
from proxops.safety.motion import Motion, Rest, Wish
from proxops.safety.rules import RULES, Category, Rule, Stop
from proxops.safety.zone_watch import ZoneWatch

AT_REST: Final = 1e-4  # m/s or rad/s of a servo that has come to rest
GOES_ON: Final = frozenset({Mode.MOVING_TO_START, Mode.RUNNING, Mode.SINE})
"""Modes whose motion goes on by itself, also from a moment at which it stands."""
LINK_RULE: Final = {
    Trouble.CONTROLLER: Rule.CONTROLLER_FAULT, Trouble.WATCHDOG: Rule.WATCHDOG, Trouble.LOST: Rule.LINK_LOST,
}  # fmt: skip


class Facility:
    """State of the hall and one ``tick``. Everything that moves goes: wish → guard → robots."""

    def __init__(
        self, cell: AnyCell, link: Link, clock: Clock, pool_ring: Ring, event_ring: Ring, groups: tuple[Group, ...] = ()
    ) -> None:  # fmt: skip
        self.cell, self.link, self.clock = cell, link, clock
        self.ring = pool_ring
        self.events = EventLog(event_ring, clock)
        self.pool = Pool((*pool_of(cell), *groups))  # what an application tells besides comes last
        self.told: Publication = publication(self, self.pool, cell)
        self.duties = Duties(self.fail)
        self.surroundings, self._look_every = Surroundings(self.events, self.fail), look_every(clock.period_ns)
        self.actual, self.actual_rate = self.told.actual, self.told.actual_rate
        self.zones = ZoneWatch(cell)
        self.guard = Guard(cell, self.told.margins, self.zones)
        self.interlocks = Interlocks(cell.file.interlock)
        self._stall_s = cell.file.link.stall_ms * 1e-3
        self._inputs = 0  # their mask, in the cycle before
        self.mode, self.source, self.hardware = Mode.STANDBY, Source.NONE, Hardware.SIMULATION
        self.commands: CommandSource | None = None  # of the selected source, for answers and the log
        self.motion: Motion | None = None  # what moves the robots in the present mode
        self.stop: Stop | None = None  # the first cause, until reset
        self._causes: set[Stop] = set()  # all that were told since
        self._drop_drives = False  # one of them takes the drives' power
        self._by_hand = False  # what is braked was manual control, which may have been on its way out of red
        self.lateness = self.work = 0.0
        self.missed = 0
        self.fault: LinkFault | None = None  # of the link, in the cycle before
        self._course = CourseWatch(self)
        self._judged = False  # by the guard, in the cycle before, which compares robots and set-points itself
        self.guard.stand(link.standing)

    # ------------------------------------------------------------------ the tick
    def tick(self) -> None:
        """One cycle. Nothing in here waits, and no failure of a part ends it."""
        self.lateness, self.missed = self.clock.advance(), self.clock.missed
        self.duties.poll()
        self.read()
        self._watch()
        setpoint = self._judge(self._asked())
        self.fault = self.link.write(setpoint)
        self.publish()
        self.duties.answer()
        self.work = self.clock.spent_s()

    def publish(self) -> None:
        """Fill the pool and hand it to the ring."""
        self.told.fill()
        self.duties.publish()
        self.ring.push(self.pool.bytes)

    def read(self) -> None:
        """What the robots reported at the beginning of this cycle."""
        self.actual[:], self.actual_rate[:] = self.link.read(), self.link.rate
        if self.link.drift is not None:
            self.guard.carry(self.link.drift)

    def _asked(self) -> Wish:
        """What the motion wants."""
        try:
            wish = self.motion.step() if self.motion else Rest.HOLD
            return self.guard.understood(wish) if isinstance(wish, np.ndarray) else wish
        except Exception as error:  # whatever it is, the robots have to brake
            stop = failure(type(self.motion).__name__, error)
            error.__traceback__ = None  # as in ``Duties``
            return stop

    def _watch(self) -> None:
        """Inputs, controllers, clock and recorder: anything that ends motion whatever the motion says."""
        if self.lateness > self._stall_s and (self.guard.moving or self.mode in GOES_ON):
            self.trip(Stop(Rule.STALL, value=self.lateness, bound=self._stall_s))
        if self._inputs or self.interlocks.mask:
            self._watch_inputs()
        if self.fault and self.mode is not Mode.STANDBY:
            fault = self.fault
            self.trip(Stop(LINK_RULE[fault.trouble], fault.number, fault.value, fault.bound, str(fault)))
        if self.mode in POWERLESS:
            self._watch_drives()
        if not self._judged:
            self._course.look()
        if self.clock.tick % self._look_every == 0:
            self.surroundings.look(self.missed)

    def _watch_inputs(self) -> None:
        """Some interlock is open, or was in the cycle before."""
        if self.interlocks.mask != self._inputs:
            self._inputs = self.interlocks.mask
            self.guard.limit_points(FENCE_SPEED_M_S if self.interlocks.fence_open else np.inf)
        forbidden = self.interlocks.forbids(self.mode)
        if forbidden:
            self.trip(forbidden)

    def _watch_drives(self) -> None:
        """Without drives the set-point is where the robots are."""
        if not np.array_equal(self.guard.setpoint, self.link.standing):
            self.guard.stand(self.link.standing)
        if self.mode is Mode.RELEASING and self.link.all_on and np.array_equal(self.guard.setpoint, self.link.standing):
            self.go(Event.RELEASED)

    @property
    def not_recorded(self) -> str:
        """Why no motion may begin now: the evidence would be missing. Empty when it may; what moves goes on either way."""
        return self.surroundings.not_recorded

    def _judge(self, wish: Wish) -> NDArray[np.float64]:
        """The set-point of this cycle: the wish if the guard allows it, else braking, else standing still."""
        asked: NDArray[np.float64] | None = None
        if isinstance(wish, np.ndarray):
            asked = wish
        else:
            self._heed(wish)
        self._judged = False
        if self.mode in BRAKING:
            self._brake()
        elif asked is not None or self.guard.moving:
            self._judged = True
            stop = self.guard.judge(
                self.guard.wish if asked is None else asked, self.actual, leaving=self.mode is Mode.MANUAL
            )
            if stop:
                self._refuse(stop)
                self.guard.brake()
        return self.guard.setpoint

    def _heed(self, word: Rest | Stop) -> None:
        """What a motion says instead of a wish."""
        if isinstance(word, Stop):
            self.trip(word)
        elif word is Rest.DONE and next_mode(self.mode, Event.FINISHED):
            self.finish(Event.FINISHED)
        elif word is Rest.DONE and self.mode is Mode.MOVING_TO_START:
            if self.at_rest:
                self.motion = None
                self.go(Event.ARRIVED)
        elif word is Rest.DONE:
            self.trip(Stop(Rule.BAD_COMMAND, detail=f"a motion is done, which none can be in {self.mode.name}"))
        elif word is Rest.HALT:
            self._halt(Stop(Rule.BAD_COMMAND, detail=f"a motion halts, which none can in {self.mode.name}"))
        elif word is not Rest.HOLD:
            self.trip(Stop(Rule.BAD_COMMAND, detail=f"a motion answers {type(word).__name__}, which is no wish"))

    def _refuse(self, stop: Stop) -> None:
        """The wish is not taken; its motion may do with a halt."""
        try:
            answer = self.motion.refused(stop) if self.motion else stop
        except Exception as error:  # as above
            answer = failure(type(self.motion).__name__, error)
        if isinstance(answer, Stop):
            self.trip(answer)
        else:
            self._halt(stop)

    def _brake(self) -> None:
        rested = self.guard.brake()
        if self.guard.moving:
            self._course.watch_way(by_hand=self._by_hand)
        if not (rested and self.at_rest):
            return
        if self._drop_drives:
            self.link.drives_off()
        self.go(Event.STANDSTILL)
        if self.mode is Mode.READY:
            self.deselect()

    @property
    def at_rest(self) -> bool:
        """Set-point and robots."""
        return not self.guard.moving and bool((np.abs(self.actual_rate) < AT_REST).all())

    # ------------------------------------------------------------------ changes of mode
    def go(self, event: Event) -> None:
        """Take an event through the table; one that is not listed is refused and changes nothing."""
        new = next_mode(self.mode, event)
        if new is None:
            raise refusal(f"{event.value} is not possible in {self.mode.name}", self)
        if new is not self.mode:
            self.events.tell(Severity.INFO, "mode", f"{self.mode.name} → {new.name} ({event.value})")
        self.mode = new

    def finish(self, event: Event) -> None:
        """Let go of the motion: brake if need be (ENDING), then be ready for the next."""
        self._by_hand = self.mode is Mode.MANUAL
        self.go(event)
        self.motion = None
        if self._begin_braking() > self.clock.period_ns * 1e-9 and event is Event.FINISHED and self.commands:
            self.events.tell(
                Severity.WARNING, "source", f"{self.commands.name} was the last and still in motion: braking"
            )

    def _halt(self, cause: Stop) -> None:
        """The motion cannot go on now: brake, stay ready; where that is for nobody to do, ``cause`` is a stop."""
        if next_mode(self.mode, Event.HALT) is None:
            self.trip(cause)
            return
        self._by_hand = False
        self._begin_braking()
        self.go(Event.HALT)

    def _begin_braking(self) -> float:
        """Or go on braking; s to standstill of the set-point."""
        self._course.expect_rest()
        return self.guard.begin_braking()

    def trip(self, stop: Stop) -> None:
        """A rule is broken: brake now. The first cause stands until reset; further ones are told and may cut the drives."""
        if stop not in self._causes and len(self._causes) < 100:
            self._causes.add(stop)
            self.events.tell(Severity.ERROR, f"stop.{stop.rule.name.lower()}", str(stop))
        if self.mode not in (Mode.STOPPING, Mode.STOPPED):
            self.stop, self.motion = stop, None
            self._by_hand = self.mode is Mode.MANUAL or (self._by_hand and self.mode in BRAKING)
            self._begin_braking()
        self._drop_drives |= RULES[stop.rule].category is Category.DRIVES_OFF
        powerless = self.mode in (Mode.STANDBY, Mode.RELEASING) or (self.mode is Mode.STOPPED and self._drop_drives)
        if stop.rule is Rule.DRIVE_POWER or powerless:
            self.link.drives_off()
        self.go(Event.TRIP)

    def fail(self, part: str, error: Exception) -> None:
        """A part of ours has failed: brake, name it. The part goes on being asked, or its caller lets go of it."""
        self.trip(failure(part, error))

    def reset(self) -> None:
        """Acknowledge a stop. Drives that were cut, or are not all on, stay off."""
        keep = self.link.all_on and not self._drop_drives
        self.go(Event.RESET if keep else Event.RESET_OFF)
        if not keep:
            self.link.drives_off()
        self.stop, self._drop_drives = None, False
        self._causes.clear()
        self._course.forget()
        self.deselect()

    def switch_drives_on(self) -> None:
        """Open the brakes; READY follows once all are open, with the set-point where the robots are."""
        if self.mode is Mode.STANDBY and self.link.any_on:
            raise Refused("drives on: drives are still coming to rest, try again")
        self.go(Event.DRIVES_ON)
        self.fault = None
        self.link.drives_on()

    def deselect(self) -> None:
        """No source, nothing planned."""
        self.source, self.commands, self.motion = Source.NONE, None, None
        self.told.forget_command()
        if self.guard.zones is not self.zones:
            self.guard.watch(self.zones)

    @property
    def still(self) -> bool:
        """True where nothing moves or is about to."""
        return self.mode in STILL

    @property
    def rule_number(self) -> int:
        """``Rule`` that has stopped the hall, 0: none."""
        return int(self.stop.rule) if self.stop else 0

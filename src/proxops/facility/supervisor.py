"""The supervisor: the facility's mode, who moves it, what has stopped it, and every way in which these change.

Modes are a table (``safety.modes``); here stands what a change of mode does to motion, brakes and drives.
"""

from __future__ import annotations

from proxops.core.clock import Clock
from proxops.core.errors import Refused
from proxops.core.vocabulary import Hardware, Mode, Severity, Source
from proxops.facility.course_watch import CourseWatch
from proxops.facility.events import EventLog
from proxops.facility.failure import failure
from proxops.facility.possible import refusal
from proxops.facility.robots import GuardedRobots
from proxops.facility.sources import CommandSource
from proxops.lab.links.fault import LinkFault
from proxops.safety.modes import BRAKING, STILL, Event, next_mode
from proxops.safety.motion import Motion, Rest
from proxops.safety.rules import RULES, Category, Rule, Stop


class Supervisor:
    """State of the hall. Nothing in here passes time: ``facility.Facility`` adds the tick. A base and not a part of it, because
    everything reads mode, motion and stop in every cycle, and finds them in one place."""

    def __init__(self, robots: GuardedRobots, clock: Clock, events: EventLog) -> None:
        self.robots, self.clock, self.events = robots, clock, events
        self.cell, self.link, self.guard = robots.cell, robots.link, robots.guard
        self.zones, self.interlocks = robots.zones, robots.interlocks
        self.actual, self.actual_rate = robots.actual, robots.actual_rate
        self.mode, self.source, self.hardware = Mode.STANDBY, Source.NONE, Hardware.SIMULATION
        self.commands: CommandSource | None = None  # of the selected source, for answers and the log
        self.motion: Motion | None = None  # what moves the robots in the present mode
        self.stop: Stop | None = None  # the first cause, until reset
        self.fault: LinkFault | None = None  # of the link, in the cycle before
        self.course = CourseWatch(self)
        self._causes: set[Stop] = set()  # all that were told since
        self._drop_drives = False  # one of them takes the drives' power
        self._by_hand = False  # what is braked was manual control, which may have been on its way out of red

    @property
    def still(self) -> bool:
        """True where nothing moves or is about to."""
        return self.mode in STILL

    @property
    def rule_number(self) -> int:
        """``Rule`` that has stopped the hall, 0: none."""
        return int(self.stop.rule) if self.stop else 0

    # ------------------------------------------------------------------ changes of mode
    def go(self, event: Event) -> None:
        """Take an event through the table; one that is not listed is refused and changes nothing."""
        new = next_mode(self.mode, event)
        if new is None:
            raise refusal(f"{event.value} is not possible in {self.mode.name}", self)
        if new is not self.mode:
            self.events.tell(Severity.INFO, "mode", f"{self.mode.name} → {new.name} ({event.value})")
        self.mode = new

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
        if self.guard.zones is not self.zones:
            self.guard.watch(self.zones)

    def finish(self, event: Event) -> None:
        """Let go of the motion: brake if need be (ENDING), then be ready for the next."""
        self._by_hand = self.mode is Mode.MANUAL
        self.go(event)
        self.motion = None
        if self._begin_braking() > self.clock.period_ns * 1e-9 and event is Event.FINISHED and self.commands:
            self.events.tell(
                Severity.WARNING, "source", f"{self.commands.name} was the last and still in motion: braking"
            )

    # ------------------------------------------------------------------ what a motion says
    def heed(self, word: Rest | Stop) -> None:
        """What a motion says instead of a wish."""
        if isinstance(word, Stop):
            self.trip(word)
        elif word is Rest.DONE and next_mode(self.mode, Event.FINISHED):
            self.finish(Event.FINISHED)
        elif word is Rest.DONE and self.mode is Mode.MOVING_TO_START:
            if self.robots.at_rest:
                self.motion = None
                self.go(Event.ARRIVED)
        elif word is Rest.DONE:
            self.trip(Stop(Rule.BAD_COMMAND, detail=f"a motion is done, which none can be in {self.mode.name}"))
        elif word is Rest.HALT:
            self._halt(Stop(Rule.BAD_COMMAND, detail=f"a motion halts, which none can in {self.mode.name}"))
        elif word is not Rest.HOLD:
            self.trip(Stop(Rule.BAD_COMMAND, detail=f"a motion answers {type(word).__name__}, which is no wish"))

    def refuse(self, stop: Stop) -> None:
        """The wish is not taken; its motion may do with a halt."""
        try:
            answer = self.motion.refused(stop) if self.motion else stop
        except Exception as error:  # whatever it is, the robots have to brake
            answer = failure(type(self.motion).__name__, error)
        if isinstance(answer, Stop):
            self.trip(answer)
        else:
            self._halt(stop)

    def _halt(self, cause: Stop) -> None:
        """The motion cannot go on now: brake, stay ready; where that is for nobody to do, ``cause`` is a stop."""
        if next_mode(self.mode, Event.HALT) is None:
            self.trip(cause)
            return
        self._by_hand = False
        self._begin_braking()
        self.go(Event.HALT)

    # ------------------------------------------------------------------ braking and stops
    def _begin_braking(self) -> float:
        """Or go on braking; s to standstill of the set-point."""
        self.course.expect_rest()
        return self.guard.begin_braking()

    def brake(self) -> None:
        """One cycle of it; at rest the mode goes on."""
        rested = self.guard.brake()
        if self.guard.moving:
            self.course.watch_way(by_hand=self._by_hand)
        if not (rested and self.robots.at_rest):
            return
        if self._drop_drives:
            self.link.drives_off()
        self.go(Event.STANDSTILL)
        if self.mode is Mode.READY:
            self.deselect()

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
        self.course.forget()
        self.deselect()

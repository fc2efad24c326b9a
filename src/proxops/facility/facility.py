"""The facility: mode, motion, guard and robots, and the tick that joins them every 4 ms. Operators use ``desk.Desk``."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from proxops.core.clock import Clock, gps_from_utc_ns
from proxops.core.errors import Refused
from proxops.core.messages import PERIOD_S
from proxops.core.pool import Pool
from proxops.core.ring import Ring
from proxops.core.vocabulary import Hardware, Mode, Severity, Source, System
from proxops.facility.events import EventLog
from proxops.facility.failure import failure
from proxops.facility.motion import Motion, Rest, Wish
from proxops.facility.observation import observe
from proxops.facility.sources import CommandSource
from proxops.lab.cell import Cell
from proxops.lab.coordinates import POV, POV_AT_LAB, values_from_axes
from proxops.lab.links.fault import LinkFault, Trouble
from proxops.safety.guard import Guard
from proxops.safety.interlocks import Interlocks
from proxops.safety.limits import FENCE_SPEED_M_S
from proxops.safety.modes import BRAKING, STILL, Event, allowed, next_mode
from proxops.safety.rules import LIMITS, RULES, Category, Rule, Stop
from proxops.safety.zone_watch import ZoneWatch

AT_REST: Final = 1e-4  # m/s or rad/s of a servo that has come to rest
LOOK_EVERY: Final = 25  # cycles between looks at the processes around
POWERLESS = frozenset({Mode.STANDBY, Mode.RELEASING})
GOES_ON: Final = frozenset({Mode.MOVING_TO_START, Mode.RUNNING, Mode.SINE})
"""Modes whose motion goes on by itself, also from a moment at which it stands."""
LINK_RULE: Final = {
    Trouble.CONTROLLER: Rule.CONTROLLER_FAULT, Trouble.WATCHDOG: Rule.WATCHDOG, Trouble.LOST: Rule.LINK_LOST,
}  # fmt: skip


class Link(Protocol):
    """The robots' controllers: virtual ones in this process, or whatever a responder speaks to."""

    rate: NDArray[np.float64]
    positioning_error: NDArray[np.float64]  # true minus reported axes: known of virtual robots, NaN of real ones

    def read(self) -> NDArray[np.float64]: ...
    def write(self, setpoint: NDArray[np.float64]) -> LinkFault | None: ...
    def drives_on(self) -> None: ...
    def drives_off(self) -> None: ...
    @property
    def all_on(self) -> bool: ...
    @property
    def any_on(self) -> bool: ...
    @property
    def standing(self) -> NDArray[np.float64]: ...


class Telemetry(Protocol):
    """A part that fills a group of its own in the pool."""

    def publish(self) -> None: ...


class Watcher(Protocol):
    """Looks after another process now and then; raises alarms, never waits."""

    def look(self) -> None: ...


class Evidence(Watcher, Protocol):
    """The watcher of the recorder."""

    trouble: str  # why a motion that began now would not be recorded as it should; empty when all is well


class Facility:
    """State of the hall and one ``tick``. Everything that moves goes: wish → guard → robots."""

    def __init__(self, cell: Cell, link: Link, clock: Clock, pool_ring: Ring, event_ring: Ring) -> None:
        self.cell, self.link, self.clock = cell, link, clock
        self.pool, self.ring = Pool(), pool_ring
        self.events = EventLog(event_ring, clock)
        self.zones = ZoneWatch(cell)
        self.guard = Guard(cell, self.pool.run("margin"), self.zones)
        self.interlocks = Interlocks(cell.file.interlock)
        self._stall_s = cell.file.link.stall_ms * 1e-3
        self._inputs = 0  # their mask, in the cycle before
        self.evidence: Evidence | None = None  # None: not recorded, on purpose
        self.watchers: list[Watcher] = []  # of other processes
        self.mode, self.source, self.hardware = Mode.STANDBY, Source.NONE, Hardware.SIMULATION
        self.telemetry: Telemetry | None = None  # the bridge's
        self.application: Telemetry | None = None  # of a mission that another process flies
        self.commands: CommandSource | None = None  # of the selected source, for answers and the log
        self.motion: Motion | None = None  # what moves the robots in the present mode
        self.stop: Stop | None = None  # the first cause, until reset
        self.limit: Stop | None = None  # what the guard objected to when the bridge was halted last
        self._causes: set[Stop] = set()  # all that were told since
        self._drop_drives = False  # one of them takes the drives' power
        self._by_hand = False  # what is braked was manual control, which may have been on its way out of red
        self.lateness = self.work = 0.0
        self.missed = 0
        self._fault: LinkFault | None = None
        self.pov, self.system = POV_AT_LAB.copy(), int(System.IJT)
        self._views()
        self.guard.stand(link.standing)

    # ------------------------------------------------------------------ the tick
    def tick(self) -> None:
        """One cycle. Nothing in here waits, and no failure of a part ends it."""
        self._read()
        self._watch()
        setpoint = self._judge(self._asked())
        self._fault = self.link.write(setpoint)
        self._publish()

    def _read(self) -> None:
        """What the robots reported at the beginning of this cycle."""
        self.actual[:], self.actual_rate[:] = self.link.read(), self.link.rate

    def _asked(self) -> Wish:
        """What the motion wants."""
        try:
            return self.motion.step() if self.motion else Rest.HOLD
        except Exception as error:  # whatever it is, the robots have to brake
            return failure(type(self.motion).__name__, error)

    def _watch(self) -> None:
        """Inputs, controllers, clock and recorder: anything that ends motion whatever the motion says."""
        if self.lateness > self._stall_s and (self.guard.moving or self.mode in GOES_ON):
            self.trip(Stop(Rule.STALL, value=self.lateness, bound=self._stall_s))
        if self._inputs or self.interlocks.mask:
            self._watch_inputs()
        if self._fault and self.mode is not Mode.STANDBY:
            fault = self._fault
            self.trip(Stop(LINK_RULE[fault.trouble], fault.number, fault.value, fault.bound, str(fault)))
        if self.mode in POWERLESS:
            self._watch_drives()
        if self.clock.tick % LOOK_EVERY == 0:
            self._look_around()

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
        if self.mode is Mode.RELEASING and self.link.all_on:
            self.go(Event.RELEASED)

    def _look_around(self) -> None:
        """Recorder, console and other processes: alarms are no reason to stop."""
        if self.evidence:
            self.attempt("watch over the recorder", self.evidence.look)
        for watcher in self.watchers[:]:
            try:
                watcher.look()
            except Exception as error:  # nobody else's affair: it is let go of, and told
                self.watchers.remove(watcher)
                self.events.tell(Severity.ERROR, "watcher", str(failure(type(watcher).__name__, error)))
        self.events.alarm("cycles_missed", self.missed > 0, f"{self.missed} cycles missed: see proxops doctor")

    @property
    def not_recorded(self) -> str:
        """Why no motion may begin now: the evidence would be missing. Empty when it may; what moves goes on either way."""
        return self.evidence.trouble if self.evidence else ""

    def _judge(self, wish: Wish) -> NDArray[np.float64]:
        """The set-point of this cycle: the wish if the guard allows it, else braking, else standing still."""
        if isinstance(wish, Stop):
            self.trip(wish)
        elif wish is Rest.DONE:
            self._done()
        elif wish is Rest.HALT and self.mode is Mode.BRIDGED:
            self.halt(None)
        if self.mode in BRAKING:
            self._brake()
        elif isinstance(wish, np.ndarray) or self.guard.moving:
            asked = wish if isinstance(wish, np.ndarray) else self.guard.wish
            stop = self.guard.judge(asked, self.actual, leaving=self.mode is Mode.MANUAL)
            if stop and self.mode is Mode.BRIDGED and stop.rule in LIMITS:
                self.halt(stop)
                self.guard.brake()
            elif stop:
                self.trip(self._located(stop))
                self.guard.brake()
        return self.guard.setpoint

    def _done(self) -> None:
        """The motion has nothing more to say."""
        if self.mode is not Mode.MOVING_TO_START:
            self.finish(Event.FINISHED)
        elif self._at_rest():
            self.motion = None
            self.go(Event.ARRIVED)

    def _brake(self) -> None:
        rested = self.guard.brake()
        if self.guard.moving:
            self._watch_brake()
        if not (rested and self._at_rest()):
            return
        if self._drop_drives:
            self.link.drives_off()
        self.go(Event.STANDSTILL)
        if self.mode is Mode.READY:
            self.deselect()

    def _watch_brake(self) -> None:
        """The way of a brake was free when it began. Robots that are red on it all the same are not where they should be:
        their own brakes are harder than the set-point's."""
        red = self.guard.zones.astray(self.actual) if self._by_hand else self.guard.red(self.actual)
        if red:
            self.trip(red)
            self.link.drives_off()

    def _at_rest(self) -> bool:
        return not self.guard.moving and bool((np.abs(self.actual_rate) < AT_REST).all())

    # ------------------------------------------------------------------ changes of mode
    def go(self, event: Event) -> None:
        """Take an event through the table; one that is not listed is refused and changes nothing."""
        new = next_mode(self.mode, event)
        if new is None:
            raise Refused(
                f"{event.value} is not possible in {self.mode.name}{self._why()}; possible now: {self.possible}"
            )
        if new is not self.mode:
            self.events.tell(Severity.INFO, "mode", f"{self.mode.name} → {new.name} ({event.value})")
        self.mode = new

    @property
    def possible(self) -> str:
        """What an operator can ask for now; a safe stop always."""
        return ", ".join([*allowed(self.mode), "safe stop"])

    def _why(self) -> str:
        return f" ({self.stop})" if self.stop else ""

    def demand(self, mode: Mode, what: str) -> None:
        """Refuse ``what`` outside of ``mode``, with the cause where there is one and the way out."""
        if self.mode is not mode:
            raise Refused(
                f"{what} needs {mode.name}, this is {self.mode.name}{self._why()}; possible now: {self.possible}"
            )

    def finish(self, event: Event) -> None:
        """Let go of the motion: brake if need be (ENDING), then be ready for the next."""
        self._by_hand = self.mode is Mode.MANUAL
        self.go(event)
        self.motion = None
        if self.guard.begin_braking() > PERIOD_S and event is Event.FINISHED and self.commands:
            self.events.tell(
                Severity.WARNING, "source", f"{self.commands.name} was the last and still in motion: braking"
            )

    def halt(self, limit: Stop | None) -> None:
        """The bridge cannot go on: brake, stay ready. ``limit`` is the guard's objection, if it was that."""
        self.limit, self._by_hand = limit, False
        self.guard.begin_braking()
        self.go(Event.HALT)

    def trip(self, stop: Stop) -> None:
        """A rule is broken: brake now. The first cause stands until reset; further ones are told and may cut the drives."""
        if stop not in self._causes and len(self._causes) < 100:
            self._causes.add(stop)
            self.events.tell(Severity.ERROR, f"stop.{stop.rule.name.lower()}", str(stop))
        if self.mode not in (Mode.STOPPING, Mode.STOPPED):
            self.stop, self.motion = stop, None
            self._by_hand = self.mode is Mode.MANUAL or (self._by_hand and self.mode in BRAKING)
            self.guard.begin_braking()
        self._drop_drives |= RULES[stop.rule].category is Category.DRIVES_OFF
        powerless = self.mode in (Mode.STANDBY, Mode.RELEASING) or (self.mode is Mode.STOPPED and self._drop_drives)
        if stop.rule is Rule.DRIVE_POWER or powerless:
            self.link.drives_off()
        self.go(Event.TRIP)

    def fail(self, part: str, error: Exception) -> None:
        """A part of ours has failed: brake, name it. The part goes on being asked, or its caller lets go of it."""
        self.trip(failure(part, error))

    def attempt(self, part: str, work: Callable[[], None]) -> None:
        """Do what a port or an application has to do in this cycle; its failure is a stop, never the end of the tick."""
        try:
            work()
        except Exception as error:  # a stranger's packet, a stranger's code: whatever it is, the robots have to brake
            self.fail(part, error)

    def reset(self) -> None:
        """Acknowledge a stop. Drives that were cut, or are not all on, stay off."""
        keep = self.link.all_on and not self._drop_drives
        self.go(Event.RESET if keep else Event.RESET_OFF)
        if not keep:
            self.link.drives_off()
        self.stop, self._drop_drives = None, False
        self._causes.clear()
        self.deselect()

    def switch_drives_on(self) -> None:
        """Open the brakes; READY follows once all are open, with the set-point where the robots are."""
        if self.mode is Mode.STANDBY and self.link.any_on:
            raise Refused("drives on: drives are still coming to rest, try again")
        self.go(Event.DRIVES_ON)
        self._fault = None
        self.link.drives_on()

    def deselect(self) -> None:
        """No source, nothing planned."""
        self.source, self.commands, self.motion = Source.NONE, None, None
        self._write_command(0, False, -1)
        if self.guard.zones is not self.zones:
            self.guard.watch(self.zones)

    def emergency_brake(self, error: Exception) -> None:
        """Last resort when the tick itself has failed: bring the robots to rest with nothing but guard and link, and record
        every cycle of it."""
        self.motion, self.commands, self.telemetry, self.application = None, None, None, None
        self.guard.begin_braking()
        if self.mode not in (Mode.STOPPING, Mode.STOPPED):
            self.mode = Mode.STOPPING
            with suppress(Exception):  # braking comes before telling
                self.stop = failure("tick", error)
                self.events.tell(Severity.ERROR, f"stop.{self.stop.rule.name.lower()}", str(self.stop))
        while not self.guard.brake():
            self._last_resort()
        self.link.drives_off()
        self.mode = Mode.STOPPED
        self._last_resort()

    def _last_resort(self) -> None:
        """One cycle of the set-point; whatever fails, the next one brakes on."""
        self.lateness = self.clock.advance()
        with suppress(Exception):  # each may be the very part that has failed
            self._read()
        with suppress(Exception):
            self.link.write(self.guard.setpoint)
        with suppress(Exception):
            self._publish()

    @property
    def still(self) -> bool:
        """True where nothing moves or is about to."""
        return self.mode in STILL

    def _located(self, stop: Stop) -> Stop:
        """Add the line or sequence number of the command that broke the rule."""
        if self.mode is not Mode.RUNNING or not self.commands:
            return stop
        detail = f"{self.commands.name}, {stop.detail}" if stop.detail else self.commands.name
        return Stop(stop.rule, stop.axis, stop.value, stop.bound, detail)

    # ------------------------------------------------------------------ what is told of the cycle
    @property
    def rule_number(self) -> int:
        return int(self.stop.rule) if self.stop else 0

    def answer_in(self, system: int) -> NDArray[np.float64]:
        """Actual values in ``system``: those of this cycle's command, or converted for a sender that speaks another."""
        if system == self.system:
            return self.answer
        values_from_axes(self.cell.hall, system, self.actual, self.pov, self._other_answer)
        return self._other_answer

    def _views(self) -> None:
        pool = self.pool
        self._write_clock, self._write_state = pool.writer("clock"), pool.writer("state")
        self._write_command, self._write_timing = pool.writer("command", 3), pool.writer("timing")
        self._command_values, self.answer = pool.run("command", "c1"), pool.run("answer")
        self.ports = pool.run("commanded_port1", count=28)  # both commanded and both actual poses
        self._truth = pool.run("hall_truth")
        self._wished, self._setpoint = pool.run("wish"), pool.run("setpoint")
        self._setpoint_rate = pool.run("setpoint_rate")
        self.actual, self.actual_rate = pool.run("actual"), pool.run("actual_rate")
        self._other_answer = np.zeros(22)
        self._told_sequence = -1

    def _publish(self) -> None:
        """Fill the pool and hand it to the ring: recorder, console and answers read from there."""
        tick, utc_ns, stop, guard = self.clock.tick, self.clock.utc_ns(), self.stop, self.guard
        self._write_clock(tick, tick * PERIOD_S, utc_ns, gps_from_utc_ns(utc_ns))
        self._write_state(
            self.mode, self.source, self.hardware, self.link.all_on,
            *((stop.rule, stop.axis, stop.value, stop.bound) if stop else (0, 0, 0.0, 0.0)),
            self.interlocks.mask, self.events.alarms,
        )  # fmt: skip
        if self.commands is not None and self.commands.system:
            self._publish_command(self.commands)
        self._wished[:], self._setpoint[:], self._setpoint_rate[:] = guard.wish, guard.setpoint, guard.rate
        observe(
            self.cell.hall, guard.setpoint, self.actual, self.link.positioning_error, self.system, self.pov, self.ports,
            self.answer, self._truth,
        )  # fmt: skip
        if self.telemetry:
            self.attempt("telemetry of the bridge", self.telemetry.publish)
        if self.application:
            self.attempt("telemetry of the application", self.application.publish)
        self._write_timing(self.lateness, self.work, self.missed)
        self.ring.push(self.pool.bytes)

    def _publish_command(self, commands: CommandSource) -> None:
        system, sequence = commands.system, commands.sequence
        self._write_command(system, sequence != self._told_sequence, sequence)
        self._command_values[:] = commands.values
        self.system, self._told_sequence = system, sequence
        if system == System.CLW:
            self.pov[:] = commands.values[POV : POV + 7]

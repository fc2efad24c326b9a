"""The facility: mode, source, guard and robots, and the tick that joins them every 4 ms. Operators use ``desk.Desk``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from proxops.core.clock import Clock, gps_from_utc_ns
from proxops.core.errors import Refused
from proxops.core.messages import PERIOD_S
from proxops.core.pool import Pool
from proxops.core.ring import Ring
from proxops.core.vocabulary import Hardware, Mode, Severity, Source, System
from proxops.facility.events import EventLog
from proxops.facility.jog import Jog
from proxops.facility.mover import Mover
from proxops.facility.observation import observe
from proxops.facility.sine import SineWave
from proxops.facility.sources import CommandSource, Supply
from proxops.lab.cell import Cell
from proxops.lab.coordinates import OK, POV, POV_AT_LAB, UNREACHABLE1, axes_from_values, values_from_axes
from proxops.lab.links.virtual import FAULT_TEXT, UNIT_NAMES, ControllerFault, VirtualHall
from proxops.safety.guard import Guard
from proxops.safety.interlocks import Interlocks
from proxops.safety.modes import Event, allowed, next_mode
from proxops.safety.rules import RULES, Category, Rule, Stop

AT_REST = 1e-4  # m/s or rad/s of a servo that has come to rest
LOOK_EVERY = 25  # cycles between looks at the recorder


class RecorderHealth(Protocol):
    """What the facility wants to know of its recorder."""

    def alive(self) -> bool: ...


class Facility:
    """State of the hall and one ``tick``. Everything that moves goes: wish → guard → robots."""

    def __init__(self, cell: Cell, link: VirtualHall, clock: Clock, pool_ring: Ring, event_ring: Ring) -> None:
        self.cell, self.link, self.clock = cell, link, clock
        self.pool, self.ring = Pool(), pool_ring
        self.events = EventLog(event_ring, clock)
        self.guard = Guard(cell, self.pool.run("margin"))
        self.interlocks = Interlocks(cell.file.interlock)
        self.jog = Jog(cell)
        self.recorder: RecorderHealth | None = None
        self.mode, self.source, self.hardware = Mode.STANDBY, Source.NONE, Hardware.SIMULATION
        self.commands: CommandSource | None = None  # of the selected source
        self.mover: Mover | None = None
        self.sine: SineWave | None = None
        self.sine_tick = 0
        self.stop: Stop | None = None
        self.lateness = self.work = 0.0
        self.missed = 0
        self._fault: ControllerFault | None = None
        self._drives_wanted = False
        self._ending = False
        self._wish, self._reference, self._steps = np.zeros(13), np.zeros(13), 1
        self.pov = POV_AT_LAB.copy()
        self.system = int(System.IJT)
        self._views()
        self._moves: dict[Mode, Callable[[], NDArray[np.float64] | None]] = {
            Mode.MOVING_TO_START: self._move,
            Mode.RUNNING: self._run,
            Mode.MANUAL: self._jog_on,
            Mode.SINE: self._sine_on,
        }
        self.guard.stand(link.standing)

    # ------------------------------------------------------------------ the tick
    def tick(self) -> None:
        """One cycle. Nothing in here waits."""
        self._read()
        self._watch()
        move = self._moves.get(self.mode)
        wish = move() if move and not self._ending else None
        setpoint = self._judge(wish)
        self._fault = self.link.write(setpoint)
        self._publish()

    def _read(self) -> None:
        """What the robots reported at the beginning of this cycle."""
        self.actual[:], self.actual_rate[:] = self.link.read(), self.link.rate

    def _watch(self) -> None:
        """Inputs, controllers and recorder: anything that ends motion whatever the source says."""
        forbidden = self.interlocks.forbids(self.mode)
        if forbidden:
            self.trip(forbidden)
        if self.interlocks.drops_drives and self.mode in (Mode.STANDBY, Mode.STOPPED):
            self._cut_drives()
        if self._fault and self.mode not in (Mode.STANDBY, Mode.STOPPED, Mode.STOPPING):
            self.trip(self._fault_stop(self._fault))
        if self._drives_wanted and self.link.all_on and self.mode is Mode.STANDBY:
            self._drives_wanted = False
            self.go(Event.DRIVES_ON)
        if self.clock.tick % LOOK_EVERY == 0:
            self._watch_recorder()

    def _watch_recorder(self) -> None:
        if self.recorder is None:
            return
        ring, tell = self.ring, self.events.alarm
        tell(
            "recorder_lost",
            not self.recorder.alive(),
            "the recorder process is gone: this run is no longer recorded",
        )
        tell(
            "disk_trouble",
            ring.trouble != 0,
            f"the recorder cannot write (errno {ring.trouble}): make room on the disk",
        )
        tell("records_lost", ring.lost > 0, f"{ring.lost} cycles could not be recorded")
        tell(
            "cycles_missed",
            self.missed > 0,
            f"{self.missed} cycles missed: see proxops doctor for real-time scheduling",
        )

    def _judge(self, wish: NDArray[np.float64] | None) -> NDArray[np.float64]:
        """The set-point of this cycle: the wish if the guard allows it, else braking, else standing still."""
        if self.mode is Mode.STOPPING or self._ending:
            self._brake()
        elif wish is not None or self.guard.moving:
            stop = self.guard.judge(self.guard.wish if wish is None else wish)
            if stop:
                self.trip(self._located(stop))
                self.guard.brake()
        return self.guard.setpoint

    def _brake(self) -> None:
        rested = self.guard.brake() and bool((np.abs(self.actual_rate) < AT_REST).all())
        if not rested:
            return
        if self._ending:
            self._ending = False
            self._finish()
            return
        if self.interlocks.drops_drives or (self.stop and RULES[self.stop.rule].category is Category.DRIVES_OFF):
            self.link.drives_off()
        self.go(Event.STANDSTILL)

    # ------------------------------------------------------------------ what each moving mode wishes
    def _move(self) -> NDArray[np.float64] | None:
        assert self.mover is not None
        wish = self.mover.step()
        if self.mover.done and np.array_equal(self.guard.setpoint, wish) and (np.abs(self.actual_rate) < AT_REST).all():
            self.go(Event.ARRIVED)
        return wish

    def _run(self) -> NDArray[np.float64] | None:
        assert self.commands is not None
        supply = self.commands.latest()
        if isinstance(supply, Stop):
            self.trip(supply)
        elif supply is Supply.END:
            self.end()
        elif supply is Supply.COAST:
            return self._coast()
        else:
            return self._convert(self.commands)
        return None

    def _convert(self, commands: CommandSource) -> NDArray[np.float64] | None:
        """Axes of the newest command, next to those of the one before."""
        self._reference[:] = self._wish
        code, beyond = axes_from_values(
            self.cell.hall, commands.system, commands.values, self._reference, False, self._wish
        )
        if code != OK:
            robot = "robot 1" if code == UNREACHABLE1 else "robot 2"
            self._wish[:] = self._reference
            self.trip(Stop(Rule.UNREACHABLE, value=beyond, detail=f"{robot}, {self._command_name()}"))
            return None
        self._steps = commands.steps
        return self._wish

    def _coast(self) -> NDArray[np.float64]:
        """Nothing new: go on at the pace of the last two commands."""
        stride = (self._wish - self._reference) / self._steps
        self._reference[:], self._steps = self._wish, 1
        self._wish += stride
        return self._wish

    def _jog_on(self) -> NDArray[np.float64] | None:
        wish, code, beyond = self.jog.step()
        if code != OK:
            robot = "robot 1" if code == UNREACHABLE1 else "robot 2"
            self.trip(Stop(Rule.UNREACHABLE, value=beyond, detail=f"{robot}, jog"))
            return None
        return wish

    def _sine_on(self) -> NDArray[np.float64] | None:
        if self.sine is None:
            return None
        wish = self.sine.at(self.sine_tick)
        self.sine_tick += 1
        if wish is None:
            self.end()
        return wish

    def end(self) -> None:
        """The source has said all: brake if need be, then be ready for the next."""
        self._ending = True
        if self.guard.begin_braking() > PERIOD_S:
            self.events.tell(
                Severity.WARNING,
                "source",
                f"{self._command_name()} was the last and still in motion: braking",
            )

    def _finish(self) -> None:
        self.go(Event.FINISHED)
        self.deselect()

    # ------------------------------------------------------------------ changes of mode
    def go(self, event: Event) -> None:
        """Take an event through the table; one that is not listed is refused and changes nothing."""
        new = next_mode(self.mode, event)
        if new is None:
            raise Refused(
                f"{event.value} is not possible in {self.mode.name}; possible now: {', '.join(allowed(self.mode)) or 'nothing'}"
            )
        if new is not self.mode:
            self.events.tell(Severity.INFO, "mode", f"{self.mode.name} → {new.name} ({event.value})")
        self.mode = new

    def trip(self, stop: Stop) -> None:
        """A rule is broken: brake now, keep the first cause until reset."""
        first = self.mode not in (Mode.STOPPING, Mode.STOPPED)
        if first:
            self.stop, self._ending = stop, False
            self.jog.stop()
            self.guard.begin_braking()
            self.events.tell(Severity.ERROR, f"stop.{stop.rule.name.lower()}", str(stop))
        if stop.rule is Rule.DRIVE_POWER or self.mode is Mode.STANDBY:
            self._cut_drives()
        self.go(Event.TRIP)

    def _cut_drives(self) -> None:
        """Drives off now, also while they are still coming on; controllers brake on their own."""
        self._drives_wanted = False
        self.link.drives_off()

    def switch_drives_on(self) -> None:
        """Begin with the set-point where the robots are; the mode follows once all brakes are open."""
        self.guard.stand(self.link.standing)
        self.link.drives_on()
        self._fault = None
        self._drives_wanted = True

    def begin_run(self) -> None:
        """The first command is where the set-point already is."""
        self._wish[:] = self._reference[:] = self.guard.setpoint

    def deselect(self) -> None:
        """No source, nothing planned."""
        self.source, self.commands, self.mover, self.sine = Source.NONE, None, None, None
        self.jog.stop()
        self._write_command(0, False, -1)

    # ------------------------------------------------------------------ words for stops
    def _command_name(self) -> str:
        if self.commands is None:
            return self.source.name.lower()
        return f"{'line' if self.source is Source.ASYNC else 'seq'} {self.commands.sequence}"

    def _located(self, stop: Stop) -> Stop:
        """Add the line or sequence number of the command that broke the rule."""
        if self.mode is not Mode.RUNNING:
            return stop
        return Stop(stop.rule, stop.axis, stop.value, stop.bound, self._command_name())

    @staticmethod
    def _fault_stop(fault: ControllerFault) -> Stop:
        unit = UNIT_NAMES[0 if fault.axis == 0 else (1 if fault.axis < 7 else 2)]
        return Stop(
            Rule.CONTROLLER_FAULT,
            fault.axis + 1,
            fault.value,
            fault.bound,
            f"{unit}: {FAULT_TEXT[fault.fault]}",
        )

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
        self._ports = pool.run("commanded_port1", count=28)  # both commanded and both actual poses
        self._wished, self._setpoint, self._setpoint_rate = (
            pool.run(name) for name in ("wish", "setpoint", "setpoint_rate")
        )
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
        observe(self.cell.hall, guard.setpoint, self.actual, self.system, self.pov, self._ports, self.answer)
        self._write_timing(self.lateness, self.work, self.missed)
        self.ring.push(self.pool.bytes)

    def _publish_command(self, commands: CommandSource) -> None:
        system, sequence = commands.system, commands.sequence
        self._write_command(system, sequence != self._told_sequence, sequence)
        self._command_values[:] = commands.values
        self.system, self._told_sequence = system, sequence
        if system == System.CLW:
            self.pov[:] = commands.values[POV : POV + 7]

"""The operator's desk: everything a person (or ``proxops ctl``, or the console) can ask of the facility, and its status."""

from __future__ import annotations

from typing import Final

from proxops.bridge.end import BridgeEnd
from proxops.core.errors import BadInput, Refused
from proxops.core.vocabulary import Hardware, Mode, Severity, Source
from proxops.facility.desk.command_desk import CommandDesk
from proxops.facility.facility import Facility
from proxops.facility.possible import demand_evidence, forbid
from proxops.facility.sync import SyncPort
from proxops.lab.any_cell import demand_hall
from proxops.lab.payload import demand_carried
from proxops.safety.modes import Event
from proxops.safety.motion import Motion
from proxops.safety.rules import Rule, Stop

SELECT: Final = {
    "sync": (Event.SELECT_SYNC, Source.SYNC),
    "async": (Event.SELECT_ASYNC, Source.ASYNC),
    "manual": (Event.SELECT_MANUAL, Source.MANUAL),
    "sine": (Event.SELECT_SINE, Source.SINE),
    "bridge": (Event.SELECT_BRIDGE, Source.BRIDGE),
}

OF_A_HALL: Final = frozenset({Source.SYNC, Source.ASYNC, Source.BRIDGE})
"""Sources whose commands are those of two arms and a rail."""

BEGINS_TO_MOVE: Final = {Source.MANUAL: Mode.MANUAL, Source.SINE: Mode.SINE}
"""Sources whose mode is one of motion: what forbids it would stop the hall at once."""


class Desk(CommandDesk):
    """Requests either take effect or raise ``Refused`` (not now) or ``BadInput`` (never), with the reason."""

    def __init__(self, facility: Facility, sync: SyncPort | None = None, bridge: BridgeEnd | None = None) -> None:
        super().__init__(facility, sync)
        self.bridge = bridge

    @property
    def mode_name(self) -> str:
        return self.facility.mode.name

    # --- drives and stops
    def drives(self, on: bool) -> None:
        """Switch all drives. Before a hall's go on, payloads are checked."""
        f = self.facility
        if not on:
            f.go(Event.DRIVES_OFF)
            f.link.drives_off()
            return
        if f.mode is Mode.STANDBY:
            forbid(f.interlocks.forbids_start(Mode.MANUAL))
            demand_carried(f.cell)
        f.switch_drives_on()

    def safe_stop(self, by: str = "") -> None:
        """Stop from anywhere; latched until reset. ``by``: who asked, where that is known."""
        self.facility.trip(Stop(Rule.OPERATOR, detail=by))

    def reset(self) -> None:
        """Acknowledge a stop. Its cause must be gone."""
        f = self.facility
        if f.mode is Mode.STOPPED and f.stop and (still := f.interlocks.open_for(f.stop.rule)):
            raise Refused(f"reset: the cause stands, {', '.join(still)} not closed ({f.stop.rule.name})")
        f.reset()
        if self.sync:
            self.sync.forget()

    def interlock(self, name: str, healthy: bool) -> None:
        """A new reading of an input of the virtual hall. Real inputs are read, not set."""
        if self.facility.hardware is not Hardware.SIMULATION:
            raise Refused(
                f"interlock: inputs can be set only in simulation, this is {self.facility.hardware.name.lower()}"
            )
        name = self.facility.interlocks.set(name, healthy)
        state = "closed" if healthy else "open"
        self.facility.events.tell(Severity.INFO if healthy else Severity.WARNING, "interlock", f"{name} {state}")

    def hardware(self, name: str) -> None:
        """Virtual hall or real robots. There is no link to real robots yet."""
        if name.upper() not in Hardware.__members__:
            raise BadInput("no such hardware", value=repr(name), bound="simulation or real")
        if Hardware[name.upper()] is Hardware.REAL:
            raise Refused("real hardware: this cell has no link to real controllers; the virtual hall stays in use")

    # --- sources
    def select(self, name: str) -> None:
        """Choose who commands; ``none`` lets go, braking first where something moves."""
        f = self.facility
        if name == "none":
            self._let_go()
            return
        if name not in SELECT:
            raise BadInput("no such source", value=repr(name), bound=f"{', '.join(SELECT)} or none")
        event, source = SELECT[name]
        if source in OF_A_HALL:
            demand_hall(f.cell, f"select {name}")
        if source is Source.SYNC and self.sync is None:
            raise Refused("this run has no synchronous interface")
        if source is Source.BRIDGE:
            self._select_bridge()
            return
        if source is Source.ASYNC and self.checked is None:
            raise Refused("select async: no trajectory is loaded (proxops ctl load FILE)")
        if f.mode is Mode.READY and source in BEGINS_TO_MOVE:
            forbid(f.interlocks.forbids_start(BEGINS_TO_MOVE[source]))
            demand_evidence(f, f"select {name}")
        f.go(event)
        f.source = source
        if source in (Source.SYNC, Source.ASYNC):
            self._take_commands(source)
        elif source is Source.MANUAL:
            self._jog.rest()
            f.motion = self._jog

    def begin(self, motion: Motion) -> None:
        """Let a motion of our own move the robots, from where they stand until it has nothing more to say."""
        f = self.facility
        if f.mode is Mode.READY:
            forbid(f.interlocks.forbids_start(Mode.RUNNING))
            demand_evidence(f, "begin")
            forbid(f.zones.near(f.actual, 0.0))
        f.go(Event.BEGIN)
        f.source, f.motion = Source.APPLICATION, motion

    def _select_bridge(self) -> None:
        """Give the hall to the bridge; not out of a red zone, which only manual control leads out of."""
        f = self.facility
        if self.bridge is None:
            raise Refused("this run has no bridge")
        if f.mode is Mode.READY:
            forbid(f.interlocks.forbids_start(Mode.BRIDGED))
            demand_evidence(f, "select bridge")
            forbid(f.zones.near(f.actual, 0.0))
        f.go(Event.SELECT_BRIDGE)
        f.source = Source.BRIDGE
        f.motion = self.bridge.take_hall(f.zones)

    def accept(self, *, ahead: bool = False) -> None:
        """Let a new client of the bridge move the hall: the one that waits, or, asked for ``ahead``, the next one."""
        if self.bridge is None or self.facility.source is not Source.BRIDGE:
            raise Refused("accept: the bridge does not have the hall; select bridge accepts its first client by itself")
        if not ahead and not self.bridge.port.place.waiting:
            raise Refused("accept: no new client waits at the bridge (accept --next: the next one within a minute)")
        self.bridge.port.place.accept()

    def _let_go(self) -> None:
        f = self.facility
        if f.mode in (Mode.MANUAL, Mode.SINE, Mode.BRIDGED, Mode.HALTING):
            f.finish(Event.DESELECT)
        else:
            f.go(Event.DESELECT)
            f.deselect()
        if self.sync:
            self.sync.forget()

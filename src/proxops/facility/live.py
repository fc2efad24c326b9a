"""The live facility: 250 Hz on the virtual hall, synchronous interface, control channel. ``proxops serve`` runs it."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from proxops.bridge.settings import BridgeSettings
from proxops.core.channel import LOOPBACK
from proxops.core.clock import LiveClock
from proxops.core.ending import Ending
from proxops.core.errors import BadInput, Refused
from proxops.core.messages import PERIOD_S
from proxops.core.vocabulary import Mode, Severity, Source
from proxops.facility.application_feed import MissionFeed
from proxops.facility.build import Hall, build
from proxops.facility.checker_process import CheckerStart
from proxops.facility.conclusion import LEFT, how_it_ended
from proxops.facility.control import Control, ControlSettings
from proxops.facility.desk_verbs import WITH_FILE, desk_verbs
from proxops.facility.interruption import ends_asked_for
from proxops.facility.realtime import RealTime, enter_real_time
from proxops.facility.sync import Address
from proxops.facility.trajectory_intake import TrajectoryIntake
from proxops.facility.warmup import warm_up
from proxops.lab.cell import Cell
from proxops.lab.links.remote import RemoteHall

ASK_EVERY: Final = 25  # cycles
SHUT_DOWN_CYCLES: Final = round(20 / PERIOD_S)  # patience for braking before the process ends


@dataclass(frozen=True)
class Served:
    """How a live session ended."""

    cycles: int
    missed: int
    real_time: RealTime
    recorder_code: int
    stopped: bool


class LiveFacility:
    """Owns the loop. ``run`` returns after a signal, a ``shut_down`` request or ``for_s`` seconds."""

    def __init__(
        self, cell: Cell, record: Path | None, *, sync: Address, control: ControlSettings, seed: int = 0,
        bridge: BridgeSettings | None = None, bridge_at: Address = (LOOPBACK, 0), key: bytes | None = None,
        metadata: dict[str, str] | None = None,
    ) -> None:  # fmt: skip
        remote = RemoteHall.start(cell, seed)  # gets ready while this process warms up
        self.intake = TrajectoryIntake(CheckerStart(cell))  # whose process compiles while this one does
        try:
            warm_up(cell, bridge)
            self._clock = LiveClock()
            self.hall: Hall = build(
                cell, self._clock, seed=seed, record=record, sync=sync, bridge=bridge, bridge_at=bridge_at if bridge else None,
                key=key, metadata={"clock": "live", **(metadata or {})}, remote=remote,
            )  # fmt: skip
        except BaseException:
            self.intake.close()
            remote.close()
            raise
        try:
            self.intake.serve(self.hall.desk, self._clock.now_ns)
            self.control = Control(control, self.hall.desk, desk_verbs(self.hall.desk, self.shut_down), WITH_FILE)
        except BadInput as error:
            self.intake.close()
            self.hall.close(Ending.of_error(error))
            raise
        self.mission = MissionFeed(self.hall.facility.pool, self._clock.now_ns)
        self.hall.facility.application = self.mission
        self._ending = self._bridged = False
        self.asked_by = ""  # what asked for the end

    def shut_down(self, by: str = "shut-down") -> None:
        """Brake if need be, close the log, end. However often it is asked for, nothing ends before the robots stand."""
        self._ending, self.asked_by = True, self.asked_by or by

    def run(
        self, announce: Callable[[RealTime], None], for_s: float | None = None, drives: bool = True, bridged: bool = False,
        until: Callable[[], bool] = lambda: False,
    ) -> Served:  # fmt: skip
        """Tick until told to end; then bring the robots to rest and close everything. ``bridged`` gives the hall to the
        bridge as soon as it is ready for the first time; ``until`` is asked now and then whether the end has come."""
        self._bridged, self._until = bridged, until
        with ends_asked_for(self.shut_down):
            real_time, ended = enter_real_time(), LEFT
            try:
                announce(real_time)
                if drives:
                    self._try_drives()
                self._loop(None if for_s is None else round(for_s / PERIOD_S))
                ended = how_it_ended(self.hall.facility.stop, self.asked_by)
            except Exception as error:
                ended = Ending.of_error(error)
                self.hall.facility.emergency_brake(error)  # an error of ours may not leave the robots moving
                raise
            finally:
                code = self._close(real_time, ended)
        stopped = self.hall.facility.stop is not None
        return Served(self._clock.tick, self._clock.missed, real_time, code, stopped)

    def _close(self, real_time: RealTime, ended: Ending) -> int:
        """Everything, last first, whatever fails on the way; the recorder's exit code."""
        codes: list[int] = []
        with ExitStack() as closing:
            closing.callback(self.mission.close)
            closing.callback(lambda: codes.append(self.hall.close(ended)))
            for close in (self.intake.close, self.control.close, real_time.leave, self.hall.farewell):
                closing.callback(close)
        return codes[0]

    def _try_drives(self) -> None:
        """Drives on; what speaks against it is told, and the facility waits in STANDBY."""
        try:
            self.hall.desk.drives(True)
        except Refused as reason:
            self.hall.facility.events.tell(Severity.WARNING, "refused.drives", str(reason))

    def _try_bridge(self) -> None:
        """Select the bridge once, when the facility is ready."""
        if self._bridged and self.hall.facility.mode is Mode.READY:
            self._bridged = False
            try:
                self.hall.desk.select("bridge")
            except Refused as reason:
                self.hall.facility.events.tell(Severity.WARNING, "refused.select", str(reason))

    def _loop(self, cycles: int | None) -> None:
        clock, facility, bridge = self._clock, self.hall.facility, self.hall.desk.bridge
        left = SHUT_DOWN_CYCLES
        clock.start()
        while True:
            facility.lateness = clock.advance()
            facility.missed = clock.missed
            began = time.perf_counter_ns()
            facility.attempt("stops", self.control.serve_stops)
            facility.attempt("synchronous interface", self._poll_sync)
            if bridge:
                facility.attempt("bridge", bridge.begin_cycle)
                self._try_bridge()
            facility.tick()
            if bridge:
                facility.attempt("bridge", bridge.end_cycle)
            facility.attempt("synchronous interface", self._answer_sync)
            if not self._ending:  # nothing new begins; stops are heard all the same
                facility.attempt("control channel", self.control.serve)
            facility.attempt("loading of trajectories", self.intake.poll)
            facility.work = (time.perf_counter_ns() - began) * 1e-9
            if (cycles is not None and clock.tick >= cycles) or (clock.tick % ASK_EVERY == 0 and self._until()):
                self._ending = True  # nobody has asked: it was to last so long
            if self._ending:
                left -= 1
                if self._at_rest():
                    return
                if left <= 0:
                    raise RuntimeError(
                        f"still {facility.mode.name} {SHUT_DOWN_CYCLES * PERIOD_S:g} s after the end was asked for"
                    )

    def _poll_sync(self) -> None:
        facility, sync = self.hall.facility, self.hall.desk.sync
        assert sync is not None
        sync.poll(facility.source is Source.SYNC, facility.mode is Mode.RUNNING, self._clock.now_ns())

    def _answer_sync(self) -> None:
        facility, sync = self.hall.facility, self.hall.desk.sync
        assert sync is not None
        sync.answer(facility.answer_in, facility.mode, facility.rule_number, self._clock.utc_ns())

    def _at_rest(self) -> bool:
        """Bring what still moves to rest, in good order where there is one; True once nothing moves."""
        facility, desk = self.hall.facility, self.hall.desk
        if facility.still:
            return True
        if facility.mode in (Mode.MANUAL, Mode.SINE, Mode.BRIDGED, Mode.HALTING):
            desk.select("none")
        elif facility.mode in (Mode.MOVING_TO_START, Mode.RUNNING):
            desk.safe_stop(self.asked_by or "its time is over")
        return False

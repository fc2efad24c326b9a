"""The live facility: the tick by the wall's clock, synchronous interface, control channel. ``proxops serve`` runs it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from proxops.bridge.settings import BridgeSettings
from proxops.core.channel import LOOPBACK, Address
from proxops.core.clock import Clock, LiveClock
from proxops.core.errors import Refused
from proxops.core.vocabulary import Mode, Severity
from proxops.facility.additions import Additions as Additions
from proxops.facility.build import build
from proxops.facility.control import ControlSettings
from proxops.facility.loop import Announce, Loop, Ran
from proxops.facility.services import Services, start_intake
from proxops.facility.warmup import warm_up
from proxops.lab.any_cell import AnyCell
from proxops.lab.links.link import Link
from proxops.lab.links.remote import RemoteHall

ASK_EVERY: Final = 25  # cycles
NOTHING: Final = Additions()
SHUT_DOWN_S: Final = 20.0  # patience for braking before the process ends


class LiveFacility:
    """Owns the loop. ``run`` returns after a signal, a ``shut_down`` request or ``for_s`` seconds."""

    def __init__(
        self, cell: AnyCell, record: Path | None, *, sync: Address | None, control: ControlSettings, seed: int = 0,
        bridge: BridgeSettings | None = None, bridge_at: Address = (LOOPBACK, 0), key: bytes | None = None,
        metadata: Mapping[str, str] | None = None, link: Callable[[Clock], Link] | None = None, additions: Additions = NOTHING,
    ) -> None:  # fmt: skip
        """``link`` leads to robots that have a controller, and a watchdog, of their own; otherwise both are a process of ours.
        ``additions``: an application's."""
        with ExitStack() as undo:  # of what is there already when the next part cannot be had
            remote = None if link else RemoteHall.start(cell, seed)  # gets ready while this process warms up
            if remote:
                undo.callback(remote.close)
            intake = start_intake(cell)
            if intake:
                undo.callback(intake.close)
            warm_up(cell, bridge)
            self._clock = LiveClock(cell.period_ns)
            self.hall = build(
                cell, self._clock, seed=seed, record=record, sync=sync, bridge=bridge, bridge_at=bridge_at if bridge else None,
                key=key, metadata={"clock": "live", **(metadata or {})}, remote=remote,
                link=link(self._clock) if link else None, groups=additions.groups, last_words=additions.last_words,
                sensors=additions.sensors,
            )  # fmt: skip
            undo.push(self.hall.give_up)
            self._services = Services(self.hall, control, intake, self.shut_down, additions.verbs)
            undo.pop_all()
        self.control, self.mission = self._services.control, self._services.mission
        self._loop = Loop(self.hall)
        self._services.attach(self._serve_requests)
        self._over = False
        self._begin: Callable[[], None] | None = None

    def _serve_requests(self) -> None:
        if not self._ending:  # then nothing new begins; stops are heard all the same
            self.control.serve()

    def shut_down(self, by: str = "shut-down") -> None:
        """Brake if need be, close the log, end. However often it is asked for, nothing ends before the robots stand."""
        self._loop.interrupt(by)

    @property
    def _ending(self) -> bool:
        """Somebody has asked for the end, or it was to last so long."""
        return self._over or bool(self._loop.asked)

    def run(
        self, announce: Announce, for_s: float | None = None, drives: bool = True,
        begin: Callable[[], None] | None = None, until: Callable[[], bool] = lambda: False,
        closing: tuple[Callable[[], None], ...] = (),
    ) -> Ran:  # fmt: skip
        """Tick until told to end; then bring the robots to rest and close everything. ``begin`` is asked for as soon as the
        facility is ready for the first time; ``until`` now and then whether the end has come; ``closing`` before the log ends."""
        self._begin = begin
        cycles = None if for_s is None else round(for_s / self._loop.cycle_s)

        def work() -> None:
            if drives:
                self._try_drives()
            self._serve(cycles, until)

        return self._loop.run(work, announce=announce, closing=(*closing, *self._services.closing))

    def _try_drives(self) -> None:
        """Drives on; what speaks against it is told, and the facility waits in STANDBY."""
        try:
            self.hall.desk.drives(True)
        except Refused as reason:
            self.hall.facility.events.tell(Severity.WARNING, "refused.drives", str(reason))

    def _try_begin(self) -> None:
        """What is to begin by itself does once, when the facility is ready."""
        if self._begin and self.hall.facility.mode is Mode.READY:
            begin, self._begin = self._begin, None
            try:
                begin()
            except Refused as reason:
                self.hall.facility.events.tell(Severity.WARNING, "refused.begin", str(reason))

    def _serve(self, cycles: int | None, until: Callable[[], bool]) -> None:
        left, clock = self._loop.cycles(SHUT_DOWN_S), self._clock
        while True:
            self._try_begin()
            self.hall.facility.tick()
            if (cycles is not None and clock.tick >= cycles) or (clock.tick % ASK_EVERY == 0 and until()):
                self._over = True
            if self._ending:
                left -= 1
                if self._at_rest():
                    return
                if left <= 0:
                    raise RuntimeError(
                        f"still {self.hall.facility.mode.name} {SHUT_DOWN_S:g} s after the end was asked for"
                    )

    def _at_rest(self) -> bool:
        """Bring what still moves to rest, in good order where there is one; True once nothing moves."""
        facility, desk = self.hall.facility, self.hall.desk
        if facility.still:
            return True
        if facility.mode in (Mode.MANUAL, Mode.SINE, Mode.BRIDGED, Mode.HALTING):
            desk.select("none")
        elif facility.mode in (Mode.MOVING_TO_START, Mode.RUNNING):
            desk.safe_stop(self._loop.asked or "its time is over")
        return False

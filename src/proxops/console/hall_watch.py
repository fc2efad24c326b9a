"""Watches the hall for all pages: frames and events from the rings, the desk's status, what is possible, the tick's timing."""

from __future__ import annotations

import asyncio
from typing import Any, Final

from proxops.console.attendance import Attendance
from proxops.console.desk_line import DeskLine
from proxops.console.eyes_watch import EyesWatch
from proxops.console.facility_about import FacilityAbout
from proxops.console.live_feed import LiveFeed
from proxops.console.possibilities import refusals
from proxops.console.run_desk import RunDesk
from proxops.console.timing_watch import TimingWatch
from proxops.core.errors import ProxopsError
from proxops.core.vocabulary import Mode
from proxops.lab.any_cell import AnyCell
from proxops.safety.interlocks import Interlocks

FRAME_S: Final = 0.04
STATUS_S: Final = 0.25
TIMING_S: Final = 1.0


class HallWatch:
    """``run`` until the facility has ended; ``states`` is what a page that comes now must know."""

    def __init__(self, cell: AnyCell, about: FacilityAbout, attendance: Attendance) -> None:
        self._cell, self._attendance = cell, attendance
        self.feed = LiveFeed(cell, about.pool_ring, about.event_ring, about.groups)
        self.eyes = EyesWatch(attendance, self.feed.moment_ms)
        self.eyes.follow(about.eyes)
        self._timing = TimingWatch(self.feed.pool, about.pid, period_ns=about.period_ns)
        self._refusals: dict[str, str] = {}
        self._status: dict[str, Any] | None = None
        self._run: dict[str, Any] = {"kind": "run", "phase": "idle", "name": ""}

    def states(self) -> list[dict[str, Any]]:
        """The newest of everything that is told when it changes."""
        status = [{"kind": "status", "status": self._status}] if self._status else []
        return [
            {"kind": "buttons", "refusals": self._refusals},
            self._run,
            *status,
            self._timing_state(),
            *self.eyes.states(),
        ]

    async def run(self, line: DeskLine, runs: RunDesk) -> None:
        """All of it, each at its own pace."""
        await asyncio.gather(self._watch_rings(), self._watch_desk(line, runs), self._watch_timing(), self.eyes.run())

    async def _watch_rings(self) -> None:
        while True:
            frame, events = self.feed.look(), self.feed.news()
            for viewer in self._attendance.viewers.values():
                if events:
                    viewer.inform(events)
                if frame:
                    viewer.offer(frame)
            self._timing.look()
            self._judge_buttons()
            await asyncio.sleep(FRAME_S)

    def _judge_buttons(self) -> None:
        record = self.feed.record
        if record is None:
            return
        interlocks = Interlocks(self._cell.file.interlock)
        mask = int(record["state"]["open_interlocks"])
        for k, each in enumerate(self._cell.file.interlock):
            interlocks.set(each.name, not mask >> k & 1)
        mode, hall = Mode(int(record["state"]["mode"])), self._cell.hall is not None
        now = refusals(mode, interlocks, self._status, self._run, hall=hall)
        if now != self._refusals:
            self._refusals = now
            self._attendance.tell_all({"kind": "buttons", "refusals": now})

    async def _watch_desk(self, line: DeskLine, runs: RunDesk) -> None:
        while True:
            try:
                self._status = await line.ask("status", {}, 500.0)
                if self._status:
                    self._attendance.tell_all({"kind": "status", "status": self._status})
                    self.eyes.heed(self._status)
                    await runs.watch(self._status["mode"])
            except ProxopsError:
                self._status = None  # it does not answer: the age of the data tells
            run = runs.state()
            if run != self._run:
                self._run = run
                self._attendance.tell_all(run)
            await asyncio.sleep(STATUS_S)

    async def _watch_timing(self) -> None:
        while True:
            await asyncio.sleep(TIMING_S)
            self._attendance.tell_all(self._timing_state())

    def _timing_state(self) -> dict[str, Any]:
        viewers = self._attendance.viewers.values()
        own = {
            "viewers": len(viewers),
            "frames_dropped": sum(v.dropped for v in viewers),
            "refused": self._attendance.refused,
        }
        return {"kind": "timing", **self._timing.state(), "console": own}

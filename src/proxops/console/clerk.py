"""Carries out what pages ask for: the facility's requests go over the control channel, those of the console are done here.

Watching needs nothing, a safe stop neither; whatever else moves or changes something needs control.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Final

from proxops.console.attendance import Attendance
from proxops.console.desk_line import DeskLine
from proxops.console.patience import Patience
from proxops.console.requests import Request
from proxops.console.viewer import Viewer
from proxops.core.errors import BadInput, Refused

DESK_VERBS: Final = frozenset(
    {"drives", "select", "hardware", "move_to_start", "confirm", "reset", "interlock", "sine", "jog", "release"}
)
REQUESTS_HZ, REQUEST_BURST = 20.0, 30.0  # of everything but the heartbeats of a jog
JOGS_HZ, JOG_BURST = 80.0, 20.0  # pages send 50 a second
STOPS_HZ, STOP_BURST = 5.0, 5.0

OwnVerb = Callable[[Viewer, dict[str, Any]], Awaitable[Any]]


class Clerk:
    """``own`` are the console's verbs: name → what is done; all of them need control unless ``open_to_all`` has them."""

    def __init__(
        self, attendance: Attendance, line: DeskLine, greeting: Callable[[Viewer], dict[str, Any]],
        own: dict[str, OwnVerb], open_to_all: frozenset[str] = frozenset(),
    ) -> None:  # fmt: skip
        self._attendance, self._line, self._greeting = attendance, line, greeting
        self._own = {"take_control": self._take, "release_control": self._release, "rename": self._rename, **own}
        self._open = open_to_all | {"take_control", "rename"}
        self._requests, self._jogs = Patience(REQUESTS_HZ, REQUEST_BURST), Patience(JOGS_HZ, JOG_BURST)
        self._stops = Patience(STOPS_HZ, STOP_BURST)
        self._jogging = False

    def greet(self, viewer: Viewer) -> dict[str, Any]:
        return self._greeting(viewer)

    def gone(self, viewer: Viewer) -> None:
        """A page has gone: if nobody holds control now, nobody jogs either."""
        if self._attendance.holder is None:
            self._let_go()

    async def do(self, viewer: Viewer, request: Request, left_ms: float) -> Any:
        """The result, or the reason why not."""
        verb, arguments = request.do, request.arguments
        if verb == "safe_stop":
            return await self._stop()
        if verb not in self._own and verb not in DESK_VERBS:
            raise BadInput("no such request", value=repr(verb), bound=", ".join(sorted({*self._own, *DESK_VERBS})))
        if verb not in self._open:
            self._attendance.demand(viewer)
        if (self._jogs if verb in ("jog", "release") else self._requests).spent():
            raise Refused(f"{verb}: too many requests at once")
        if verb in self._own:
            return await self._own[verb](viewer, arguments)
        if verb in ("jog", "release"):
            self._jogging = verb == "jog"
        return await self._line.ask(verb, arguments, left_ms)

    async def _stop(self) -> Any:
        """A flood of stops is one stop: the facility hears of it a few times a second, the asker is told at once."""
        if self._stops.spent():
            return None
        return await self._line.ask("safe_stop", {}, 5000.0)

    def _let_go(self) -> None:
        if self._jogging:
            self._jogging = False
            self._line.send("release", {}, 1000.0)

    async def _take(self, viewer: Viewer, arguments: dict[str, Any]) -> None:
        if self._attendance.take(viewer, arguments.get("over") is True):
            self._let_go()
        await asyncio.sleep(0)

    async def _release(self, viewer: Viewer, arguments: dict[str, Any]) -> None:
        self._attendance.release(viewer)
        self._let_go()

    async def _rename(self, viewer: Viewer, arguments: dict[str, Any]) -> None:
        name = arguments.get("name")
        if not isinstance(name, str) or not name.strip():
            raise BadInput("a name must be a text", value=repr(name)[:60])
        self._attendance.rename(viewer, name)

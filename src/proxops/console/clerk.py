"""Carries out what pages ask for: requests and stops go to the facility, each on a line of its own; the console's are done here.

Watching needs nothing, a safe stop neither: whoever may watch may stop. Whatever else moves or changes something needs control.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Final

from proxops.console.attendance import Attendance
from proxops.console.desk_line import DeskLine
from proxops.console.patience import Patience
from proxops.console.requests import Request
from proxops.console.safe_stops import SafeStops
from proxops.console.stop_line import Stopping
from proxops.console.turn import Turn
from proxops.console.viewer import Viewer
from proxops.core.errors import BadInput, Refused

DESK_VERBS: Final = frozenset(
    {
        "drives",
        "select",
        "hardware",
        "move_to_start",
        "confirm",
        "accept",
        "designate",
        "reset",
        "interlock",
        "sine",
        "jog",
        "release",
    }
)
REQUESTS_HZ, REQUEST_BURST = 20.0, 30.0  # of one viewer, of everything but the heartbeats of a jog
JOGS_HZ, JOG_BURST = 80.0, 20.0  # pages send 50 a second

OwnVerb = Callable[[Viewer, dict[str, Any]], Awaitable[Any]]
TimedVerb = Callable[[Viewer, dict[str, Any], Turn], Awaitable[Any]]


class Clerk:
    """``own`` are the console's verbs: name → what is done; all of them need control unless ``open_to_all`` has them. ``timed``
    are those that wait for their turn, and must not be carried out when it comes too late."""

    def __init__(
        self, attendance: Attendance, line: DeskLine, stop_line: Stopping, greeting: Callable[[Viewer], dict[str, Any]],
        own: dict[str, OwnVerb], timed: dict[str, TimedVerb], open_to_all: frozenset[str] = frozenset(),
    ) -> None:  # fmt: skip
        self._attendance, self._line, self._greeting = attendance, line, greeting
        self._own = {"take_control": self._take, "release_control": self._release, "rename": self._rename, **own}
        self._timed, self._open = timed, open_to_all | {"take_control", "rename"}
        self._patience: dict[int, tuple[Patience, Patience]] = {}  # with each viewer: requests, jogs
        self._stops = SafeStops(stop_line)
        self._jogging = False

    def greet(self, viewer: Viewer) -> dict[str, Any]:
        return self._greeting(viewer)

    def gone(self, viewer: Viewer) -> None:
        """A page has gone: if nobody holds control now, nobody jogs either."""
        self._patience.pop(viewer.id, None)
        if self._attendance.holder is None:
            self._let_go()

    async def do(self, viewer: Viewer, request: Request, age_ms: float) -> Any:
        """The result, or the reason why not. ``age_ms``: since the page made the request."""
        verb, arguments = request.do, request.arguments
        if verb == "safe_stop":
            return await self._stops.ask(viewer.name)
        known = {*self._own, *self._timed, *DESK_VERBS}
        if verb not in known:
            raise BadInput("no such request", value=repr(verb), bound=", ".join(sorted(known)))
        if verb not in self._open:
            self._attendance.demand(viewer)
        if self._patience_with(viewer, verb).spent():
            raise Refused(f"{verb}: too many requests at once")
        if verb in self._own:
            return await self._own[verb](viewer, arguments)
        if verb in self._timed:
            until_s = time.monotonic() + (request.ttl_ms - age_ms) * 1e-3
            return await self._timed[verb](
                viewer, arguments, Turn(verb, until_s, partial(self._attendance.demand, viewer))
            )
        if verb in ("jog", "release"):
            self._jogging = verb == "jog"
        if verb == "designate":  # who said it stands in the log
            arguments = {**arguments, "by": viewer.name}
        return await self._line.ask(verb, arguments, request.ttl_ms, age_ms)

    def _patience_with(self, viewer: Viewer, verb: str) -> Patience:
        """Each viewer's own: nobody uses up another's."""
        if viewer.id not in self._patience:
            self._patience[viewer.id] = Patience(REQUESTS_HZ, REQUEST_BURST), Patience(JOGS_HZ, JOG_BURST)
        return self._patience[viewer.id][verb in ("jog", "release")]

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

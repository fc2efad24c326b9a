"""The console's server: page, websocket, and the tasks that look at the rings and pass on what is new."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from starlette.applications import Starlette
from starlette.requests import Request as HttpRequest
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket

from proxops.console.access import SECURITY_HEADERS, Gate, bearer, offered_protocols
from proxops.console.attendance import Attendance
from proxops.console.clerk import Clerk
from proxops.console.conversation import UNWELCOME, Conversation
from proxops.console.desk_line import DeskLine
from proxops.console.facility_about import FacilityAbout
from proxops.console.greeting import greeting
from proxops.console.live_feed import LiveFeed
from proxops.console.possibilities import refusals
from proxops.console.viewer import Viewer
from proxops.core.errors import ProxopsError
from proxops.core.vocabulary import Mode
from proxops.lab.cell import Cell
from proxops.safety.interlocks import Interlocks

FRAME_S: Final = 0.04
STATUS_S: Final = 0.25
STATIC: Final = Path(str(files("proxops.console").joinpath("static")))


@dataclass
class Console:
    """Everything that lives as long as the server does."""

    cell: Cell
    about: FacilityAbout
    folder: Path  # of all runs
    gate: Gate
    attendance: Attendance = field(default_factory=Attendance)

    def __post_init__(self) -> None:
        self.feed = LiveFeed(self.cell, self.about.pool_ring, self.about.event_ring)
        self._greeting = greeting(self.cell)
        self.status: dict[str, Any] | None = None
        self._refusals: dict[str, str] = {}
        self.run: dict[str, Any] = {"kind": "run", "phase": "idle", "name": ""}

    # --- what pages hear
    def greet(self, viewer: Viewer) -> dict[str, Any]:
        """The first message; the states follow it."""
        for message in (self.attendance.state(), {"kind": "buttons", "refusals": self._refusals}):
            viewer.tell(message)
        if self.status:
            viewer.tell({"kind": "status", "status": self.status})
        return self._greeting | {"id": viewer.id, "events": list(self.feed.events)}

    def tell_all(self, message: dict[str, Any]) -> None:
        for viewer in self.attendance.viewers.values():
            viewer.tell(message)

    async def watch_hall(self) -> None:
        """Frames and events, 25 times a second, until the facility has ended."""
        while not self.feed.closed:
            frame = self.feed.look()
            events = self.feed.news()
            for viewer in self.attendance.viewers.values():
                if events:
                    viewer.inform(events)
                if frame:
                    viewer.offer(frame)
            self._judge_buttons()
            await asyncio.sleep(FRAME_S)

    def _judge_buttons(self) -> None:
        record = self.feed.record
        if record is None:
            return
        interlocks = Interlocks(self.cell.file.interlock)
        mask = int(record["state"]["open_interlocks"])
        for k, each in enumerate(self.cell.file.interlock):
            interlocks.set(each.name, not mask >> k & 1)
        now = refusals(Mode(int(record["state"]["mode"])), interlocks, self.status, self.run)
        if now != self._refusals:
            self._refusals = now
            self.tell_all({"kind": "buttons", "refusals": now})

    async def watch_desk(self) -> None:
        """The desk's status, four times a second."""
        while True:
            try:
                self.status = await self.line.ask("status", {}, 500.0)
            except ProxopsError:
                self.status = None
            if self.status:
                self.tell_all({"kind": "status", "status": self.status})
            await asyncio.sleep(STATUS_S)

    # --- life
    @contextlib.asynccontextmanager
    async def life(self, app: Starlette) -> AsyncIterator[None]:
        """Open the line to the desk, watch, and end everything with the server."""
        self.line = await DeskLine.open(self.about.control)
        self.clerk = Clerk(self.attendance, self.line, self.greet, {})
        tasks = [asyncio.create_task(work()) for work in (self.watch_hall, self.watch_desk)]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            self.line.close()

    async def live(self, socket: WebSocket) -> None:
        """The websocket of a page."""
        ours, token = offered_protocols(socket.headers)
        refused = "" if ours else "another protocol"
        refused = refused or self.gate.refuses(socket.headers, token, origin_needed=True)
        if refused:
            await socket.close(UNWELCOME, refused)
            return
        await Conversation(socket, self.attendance, self.clerk).run()

    def app(self) -> Starlette:
        routes = [
            WebSocketRoute("/live", self.live),
            *self._api(),
            Mount("/", StaticFiles(directory=STATIC, html=True)),
        ]
        app = Starlette(routes=routes, lifespan=self.life)
        app.add_middleware(Headers)
        return app

    def _api(self) -> list[Route]:
        return []

    def guarded(
        self, answer: Callable[[HttpRequest], Awaitable[Response]]
    ) -> Callable[[HttpRequest], Awaitable[Response]]:
        """An answer only for our own page, with our errors in words."""

        async def answered(request: HttpRequest) -> Response:
            refused = self.gate.refuses(request.headers, bearer(request.headers), origin_needed=request.method != "GET")
            if refused or request.headers.get("x-proxops") != "1":
                return JSONResponse({"error": refused or "not from the console's page"}, 403)
            try:
                return await answer(request)
            except ProxopsError as error:
                return JSONResponse({"error": str(error)}, 400)

        return answered


class Headers:
    """Puts the security headers on every answer."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                ours = [(name.lower().encode(), value.encode()) for name, value in SECURITY_HEADERS.items()]
                message["headers"] = [*message["headers"], *ours]
            await send(message)

        await self._app(scope, receive, sending if scope["type"] == "http" else send)

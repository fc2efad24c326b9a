"""The console's server: page, websocket and interface."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from functools import partial

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect
from starlette.requests import Request as HttpRequest
from starlette.responses import FileResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket

from proxops.console.access import NO_TOKEN, SECURITY_HEADERS, Gate, guarded, offered_protocols
from proxops.console.arm_description import describe_arms
from proxops.console.conversation import UNWELCOME, Conversation
from proxops.console.hall_description import describe_hall
from proxops.console.json_text import JsonAnswer
from proxops.console.launch import STATIC
from proxops.console.log_routes import GONE, LogRoutes
from proxops.console.operations import ConsolePlace, Operations
from proxops.core.errors import BadInput
from proxops.lab.any_cell import AnyCell, demand_hall
from proxops.lab.cell import Cell


class Console:
    """Routes behind a gate; ``operations`` live as long as the server does."""

    def __init__(self, cell: AnyCell, place: ConsolePlace, gate: Gate) -> None:
        self._cell, self._gate = cell, gate
        self._described = describe_hall(cell) if isinstance(cell, Cell) else describe_arms(cell)
        self._logs, self.operations = LogRoutes(place.runs), Operations(cell, place)

    @contextlib.asynccontextmanager
    async def _life(self, app: Starlette) -> AsyncIterator[None]:
        """Of the server."""
        async with self.operations.life():
            try:
                yield
            finally:
                self._logs.close()

    def app(self) -> Starlette:
        routes = [
            WebSocketRoute("/live", self._live),
            Route("/api/hall", guarded(self._gate, self._tell_hall)),
            Route("/api/cad/{robot}", guarded(self._gate, self._tell_cad)),
            Route("/api/trajectory", guarded(self._gate, self._take_trajectory), methods=["POST"]),
            *self._logs.routes(partial(guarded, self._gate)),
            Mount("/", StaticFiles(directory=STATIC, html=True)),
        ]
        app = Starlette(routes=routes, lifespan=self._life)
        app.add_middleware(Headers)
        return app

    async def _live(self, socket: WebSocket) -> None:
        """The websocket of a page."""
        ours, token = offered_protocols(socket.headers)
        refused = "" if ours else "another protocol"
        refused = refused or self._gate.refuses(socket.headers, token, origin_needed=True)
        if refused == NO_TOKEN:  # let in to be told: a browser hears no reason before
            await socket.accept("proxops")
        if refused:
            await socket.close(UNWELCOME, refused)
            return
        await Conversation(socket, self.operations.attendance, self.operations.clerk).run()

    async def _tell_hall(self, request: HttpRequest) -> Response:
        return JsonAnswer(self._described)

    async def _tell_cad(self, request: HttpRequest) -> Response:
        robot = request.path_params["robot"]
        given = self._cell.cad if isinstance(self._cell, Cell) else (None, None)
        path = dict(zip(("robot1", "robot2"), given, strict=True)).get(robot)
        if path is None:
            raise BadInput("no CAD of this mock-up", value=repr(robot)[:40], way_out="name one in the cell file: cad")
        return FileResponse(path)

    async def _take_trajectory(self, request: HttpRequest) -> Response:
        """Only from the page that holds control: it alone knows its secret."""
        demand_hall(self._cell, "a trajectory file")
        viewer = self.operations.attendance.by_secret(request.headers.get("x-proxops-secret", ""))
        if viewer is None:
            raise BadInput("upload: not from a page that watches", way_out="reload the page")
        demand = partial(self.operations.attendance.demand, viewer)
        try:
            await self.operations.upload.receive(request.query_params.get("name", ""), request.stream(), demand)
        except ClientDisconnect:
            return Response(status_code=GONE)
        return JsonAnswer({"ok": True})


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

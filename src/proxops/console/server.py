"""The console's server: page, websocket and interface, and the tasks that look at the hall and pass on what is new."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

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
from proxops.console.attendance import Attendance
from proxops.console.clerk import Clerk
from proxops.console.conversation import UNWELCOME, Conversation
from proxops.console.desk_line import DeskLine
from proxops.console.facility_about import FacilityAbout
from proxops.console.greeting import greeting
from proxops.console.hall_description import describe_hall
from proxops.console.hall_watch import HallWatch
from proxops.console.json_text import JsonAnswer
from proxops.console.launch import STATIC
from proxops.console.log_routes import GONE, LogRoutes
from proxops.console.run_desk import RunDesk
from proxops.console.stop_line import StopLine
from proxops.console.upload import Upload
from proxops.console.variable_lists import VariableLists, known_paths
from proxops.console.viewer import Viewer
from proxops.core.errors import BadInput
from proxops.lab.any_cell import AnyCell, demand_hall
from proxops.lab.cell import Cell

LISTS: Final = "variable_lists"  # beside the runs


@dataclass(frozen=True)
class Place:
    """Where the console is: the facility it shows, the folder of all runs, the files that the facility was started with."""

    about: FacilityAbout
    runs: Path
    cell: Path | None
    user_tool: Path | None


class Console:
    """Everything that lives as long as the server does, wired by hand in ``life``."""

    def __init__(self, cell: AnyCell, place: Place, gate: Gate) -> None:
        self._cell, self._place, self._gate = cell, place, gate
        self._attendance = Attendance()
        self._greeting = greeting(cell, place.about.groups, place.about.period_ns)
        self._described = describe_hall(cell) if isinstance(cell, Cell) else describe_arms(cell)
        self._lists = VariableLists(_lists_folder(cell, place.runs), known_paths(cell))
        self._logs = LogRoutes(place.runs)
        self.watch = HallWatch(cell, place.about, self._attendance)
        self.watching: asyncio.Task[None] | None = None  # ends only by an error of ours

    @contextlib.asynccontextmanager
    async def life(self, app: Starlette) -> AsyncIterator[None]:
        """Open the line to the desk, watch, and end everything with the server."""
        about, place = self._place.about, self._place
        line, stop_line = await DeskLine.open(about.control), await StopLine.open(about.stop)
        self._runs = RunDesk(about, place.runs, line)
        self._upload = Upload(place.cell, place.user_tool, line, self._attendance.tell_all)
        own = {**self._runs.verbs, "list_save": self._save_list, "list_delete": self._delete_list}
        of_all = frozenset({"list_save", "list_delete"})
        self._clerk = Clerk(self._attendance, line, stop_line, self._greet, own, self._upload.verbs, of_all)
        self.watching = watching = asyncio.create_task(self.watch.run(line, self._runs))
        try:
            yield
        finally:
            watching.cancel()
            await asyncio.gather(watching, return_exceptions=True)
            await self._runs.close()
            await self._upload.close()
            self._logs.close()
            line.close()
            stop_line.close()

    def _greet(self, viewer: Viewer) -> dict[str, Any]:
        """The first message; the states follow it."""
        for state in (self._attendance.state(), self._upload.state, *self.watch.states()):
            viewer.tell(state)
        return self._greeting | {
            "id": viewer.id, "secret": viewer.secret, "events": list(self.watch.feed.events), "scenarios": self._runs.catalogue(),
            "lists": self._lists.all(),
        }  # fmt: skip

    # --- the console's own requests
    async def _save_list(self, viewer: Viewer, arguments: dict[str, Any]) -> None:
        self._lists.save(arguments.get("name"), arguments.get("paths"))
        self._attendance.tell_all({"kind": "lists", "lists": self._lists.all()})

    async def _delete_list(self, viewer: Viewer, arguments: dict[str, Any]) -> None:
        self._lists.delete(arguments.get("name"))
        self._attendance.tell_all({"kind": "lists", "lists": self._lists.all()})

    # --- routes
    def app(self) -> Starlette:
        routes = [
            WebSocketRoute("/live", self._live),
            Route("/api/hall", guarded(self._gate, self._tell_hall)),
            Route("/api/cad/{robot}", guarded(self._gate, self._tell_cad)),
            Route("/api/trajectory", guarded(self._gate, self._take_trajectory), methods=["POST"]),
            *self._logs.routes(partial(guarded, self._gate)),
            Mount("/", StaticFiles(directory=STATIC, html=True)),
        ]
        app = Starlette(routes=routes, lifespan=self.life)
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
        await Conversation(socket, self._attendance, self._clerk).run()

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
        viewer = self._attendance.by_secret(request.headers.get("x-proxops-secret", ""))
        if viewer is None:
            raise BadInput("upload: not from a page that watches", way_out="reload the page")
        demand = partial(self._attendance.demand, viewer)
        try:
            await self._upload.receive(request.query_params.get("name", ""), request.stream(), demand)
        except ClientDisconnect:
            return Response(status_code=GONE)
        return JsonAnswer({"ok": True})


def _lists_folder(cell: AnyCell, runs: Path) -> Path:
    """Lists of arms are about other variables than a hall's: they have a folder of their own."""
    return runs / LISTS if isinstance(cell, Cell) else runs / LISTS / cell.source.stem


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

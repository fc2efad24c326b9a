"""A page's websocket from its first word to its end: greeting, frames out, requests in. Nonsense ends it, never the hall."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any, Final, Protocol

from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from proxops.console.attendance import Attendance
from proxops.console.live_feed import now_ms
from proxops.console.patience import Patience
from proxops.console.requests import FrameSeen, Greeting, Ping, Request, SensorLooks, SightSeen, understood
from proxops.console.viewer import Viewer
from proxops.core.errors import BadInput, ProxopsError, Refused

VERSION: Final = 1
CLOSING_S: Final = 1.0  # for the last words to a page that does not listen
FULL: Final = "too many viewers"
MESSAGES_HZ, BURST = 300.0, 300.0  # a page sends 25 frames seen and 50 heartbeats of a jog a second
NONSENSE: Final = 5  # messages that cannot be understood
AHEAD_MS: Final = -1000.0  # clocks that differ so much cannot be judged by
POLICY, TRY_LATER, UNWELCOME = 1008, 1013, 4003


class RequestHandler(Protocol):
    """Who carries out what pages ask for."""

    async def do(self, viewer: Viewer, request: Request, age_ms: float) -> Any: ...
    def greet(self, viewer: Viewer) -> dict[str, Any]: ...
    def gone(self, viewer: Viewer) -> None: ...


class Conversation:
    """One websocket."""

    def __init__(self, socket: WebSocket, attendance: Attendance, clerk: RequestHandler) -> None:
        self._socket, self._attendance, self._clerk = socket, attendance, clerk
        self._patience, self._nonsense = Patience(MESSAGES_HZ, BURST), 0
        self._sequence = 0
        self._doing: set[asyncio.Task[None]] = set()
        self._stopping: set[asyncio.Task[None]] = set()  # safe stops: carried out even if the page goes right after

    async def run(self) -> None:
        """Until either side has had enough."""
        await self._socket.accept("proxops")
        viewer = await self._greeted()
        if viewer is None:
            return
        reading, writing = asyncio.create_task(self._read(viewer)), asyncio.create_task(self._write(viewer))
        dismissed = asyncio.create_task(viewer.dismissed.wait())
        try:
            await asyncio.wait({reading, dismissed}, return_when=asyncio.FIRST_COMPLETED)
            if reading.done():
                reading.result()
            else:
                await self._close(TRY_LATER, f"{FULL}, and this page did not take what was sent")
        finally:
            for task in (reading, writing, dismissed, *self._doing):
                task.cancel()
            self._attendance.leave(viewer)
            self._clerk.gone(viewer)

    async def _greeted(self) -> Viewer | None:
        """The viewer, once it has said hello in time and in our version, if there is a place for it."""
        try:
            async with self._attendance.doorstep.standing():
                said = understood(await self._hear())
        except (TimeoutError, BadInput):
            await self._close(POLICY, "no greeting")
            return None
        except (WebSocketDisconnect, RuntimeError):
            return None
        if not isinstance(said, Greeting) or said.version != VERSION:
            await self._close(POLICY, "page of another version: reload it")
            return None
        if not self._attendance.make_room():
            await self._close(TRY_LATER, FULL)
            return None
        viewer = self._attendance.enter(said.name)
        viewer.reply(self._clerk.greet(viewer))
        return viewer

    async def _close(self, code: int, reason: str) -> None:
        self._attendance.refused += 1
        if self._socket.application_state is WebSocketState.CONNECTED:
            with contextlib.suppress(RuntimeError, WebSocketDisconnect, TimeoutError):
                async with asyncio.timeout(CLOSING_S):
                    await self._socket.close(code, reason)

    async def _write(self, viewer: Viewer) -> None:
        """Send what waits. A page that does not read holds up only this task."""
        with contextlib.suppress(WebSocketDisconnect, RuntimeError, OSError):
            while True:
                data = viewer.next()
                if data is None:
                    viewer.wake.clear()
                    await viewer.wake.wait()
                else:
                    await self._socket.send_bytes(data)

    async def _hear(self) -> str:
        """The next message; empty where it is binary, which pages do not send. Not ``receive_text``: once a frame could not be
        sent, that gives nothing more out, and a stop may lie there."""
        message = await self._socket.receive()
        if message["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(message["code"])
        return message.get("text") or ""

    async def _read(self, viewer: Viewer) -> None:
        while True:
            try:
                text = await self._hear()
            except (WebSocketDisconnect, RuntimeError):
                return
            if self._patience.spent():
                await self._close(POLICY, "too many messages")
                return
            try:
                self._take(viewer, text)
            except BadInput as error:
                self._nonsense += 1
                viewer.reply({"kind": "nonsense", "error": str(error)})
                if self._nonsense >= NONSENSE:
                    await self._close(POLICY, "too much that cannot be understood")
                    return

    def _take(self, viewer: Viewer, text: str) -> None:
        said = understood(text)
        if isinstance(said, Ping):
            viewer.reply({"kind": "pong", "at": said.at, "server_ms": now_ms()})
        elif isinstance(said, FrameSeen):
            viewer.seen(said.frame)
        elif isinstance(said, SensorLooks):
            viewer.look_at(said.at)
        elif isinstance(said, SightSeen):
            viewer.sighted(said.serial)
            asyncio.get_running_loop().call_later(viewer.looking.rest_s, viewer.wake.set)  # for the next one
        elif isinstance(said, Request):
            under_way = self._stopping if said.do == "safe_stop" else self._doing
            task = asyncio.create_task(self._do(viewer, said))
            under_way.add(task)
            task.add_done_callback(under_way.discard)

    async def _do(self, viewer: Viewer, request: Request) -> None:
        """Carry out one request and answer it, whatever comes of it."""
        head = {"kind": "done", "sequence": request.sequence}
        try:
            result = await self._clerk.do(viewer, request, self._age_ms(request))
        except ProxopsError as error:
            viewer.reply({**head, "ok": False, "error": str(error)})
        else:
            viewer.reply({**head, "ok": True, "result": result})

    def _age_ms(self, request: Request) -> float:
        """Since the page made it. A stop is never too late, everything else is refused when it is, or comes twice."""
        age = now_ms() - request.sent_ms
        if request.do == "safe_stop":
            return max(age, 0.0)
        if request.sequence <= self._sequence:
            raise Refused(f"request {request.sequence} is not newer than {self._sequence}")
        self._sequence = request.sequence
        if age < AHEAD_MS:
            raise Refused(f"{request.do}: made {-age:.0f} ms from now, by a clock that is not ours")
        if age >= request.ttl_ms:
            raise Refused(f"{request.do}: came too late ({age:.0f} ms after the click)")
        return max(age, 0.0)

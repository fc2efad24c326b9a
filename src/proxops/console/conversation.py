"""A page's websocket from its first word to its end: greeting, frames out, requests in. Nonsense ends it, never the hall."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any, Final, Protocol

from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from proxops.console.attendance import Attendance
from proxops.console.live_feed import now_ms
from proxops.console.patience import Patience
from proxops.console.requests import Greeting, Ping, Request, Seen, understood
from proxops.console.viewer import Viewer
from proxops.core.errors import BadInput, ProxopsError, Refused

VERSION: Final = 1
GREETING_S: Final = 3.0  # who says nothing for so long goes
MESSAGES_HZ, BURST = 300.0, 300.0  # a page sends 25 frames seen and 50 heartbeats of a jog a second
NONSENSE: Final = 5  # messages that cannot be understood
POLICY, TRY_LATER, UNWELCOME = 1008, 1013, 4003


class Clerk(Protocol):
    """Who carries out what pages ask for."""

    async def do(self, viewer: Viewer, request: Request, left_ms: float) -> Any: ...
    def greet(self, viewer: Viewer) -> dict[str, Any]: ...
    def gone(self, viewer: Viewer) -> None: ...


class Conversation:
    """One websocket."""

    def __init__(self, socket: WebSocket, attendance: Attendance, clerk: Clerk) -> None:
        self._socket, self._attendance, self._clerk = socket, attendance, clerk
        self._patience, self._nonsense = Patience(MESSAGES_HZ, BURST), 0
        self._sequence = 0
        self._doing: set[asyncio.Task[None]] = set()

    async def run(self) -> None:
        """Until either side has had enough."""
        if self._attendance.full:
            self._attendance.refused += 1
            await self._socket.close(TRY_LATER, "too many viewers")
            return
        self._attendance.at_the_door += 1
        try:
            await self._socket.accept("proxops")
            viewer = await self._greeted()
        finally:
            self._attendance.at_the_door -= 1
        if viewer is None:
            return
        writing = asyncio.create_task(self._write(viewer))
        try:
            await self._read(viewer)
        finally:
            writing.cancel()
            for task in self._doing:
                task.cancel()
            self._attendance.leave(viewer)
            self._clerk.gone(viewer)

    async def _greeted(self) -> Viewer | None:
        """The viewer, once it has said hello in time and in our version."""
        try:
            said = understood(await asyncio.wait_for(self._socket.receive_text(), GREETING_S))
        except (TimeoutError, BadInput, KeyError):
            await self._close(POLICY, "no greeting")
            return None
        except (WebSocketDisconnect, RuntimeError):
            return None
        if not isinstance(said, Greeting) or said.version != VERSION:
            await self._close(POLICY, "page of another version: reload it")
            return None
        if self._attendance.full:
            await self._close(TRY_LATER, "too many viewers")
            return None
        viewer = self._attendance.enter(said.name)
        viewer.reply(self._clerk.greet(viewer))
        return viewer

    async def _close(self, code: int, reason: str) -> None:
        self._attendance.refused += 1
        if self._socket.application_state is WebSocketState.CONNECTED:
            with contextlib.suppress(RuntimeError, WebSocketDisconnect):
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

    async def _read(self, viewer: Viewer) -> None:
        while True:
            try:
                text = await self._socket.receive_text()
            except (WebSocketDisconnect, RuntimeError):
                return
            except KeyError:  # a binary message: pages send none
                text = ""
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
        elif isinstance(said, Seen):
            viewer.seen(said.frame)
        elif isinstance(said, Request):
            task = asyncio.create_task(self._do(viewer, said))
            self._doing.add(task)
            task.add_done_callback(self._doing.discard)

    async def _do(self, viewer: Viewer, request: Request) -> None:
        """Carry out one request and answer it, whatever comes of it."""
        head = {"kind": "done", "sequence": request.sequence}
        try:
            result = await self._clerk.do(viewer, request, self._left_ms(request))
        except ProxopsError as error:
            viewer.reply({**head, "ok": False, "error": str(error)})
        else:
            viewer.reply({**head, "ok": True, "result": result})

    def _left_ms(self, request: Request) -> float:
        """What is left of its time to live. A stop is never too late, everything else is refused when it is, or comes twice."""
        left = request.ttl_ms - (now_ms() - request.sent_ms)
        if request.do == "safe_stop":
            return max(left, 1.0)
        if request.sequence <= self._sequence:
            raise Refused(f"request {request.sequence} is not newer than {self._sequence}")
        self._sequence = request.sequence
        if not 0.0 < left <= request.ttl_ms + 1000.0:
            raise Refused(f"{request.do}: came too late ({request.ttl_ms - left:.0f} ms after the click)")
        return min(left, request.ttl_ms)

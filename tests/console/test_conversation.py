"""A conversation with a page that cannot be sent to any more: what it has said is still heard."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from starlette.types import Message
from starlette.websockets import WebSocket

from proxops.console.attendance import Attendance
from proxops.console.conversation import Conversation
from proxops.console.requests import Request
from proxops.console.sight import HungSight
from proxops.console.viewer import Viewer


class Clerk:
    def __init__(self) -> None:
        self.done: list[str] = []

    async def do(self, viewer: Viewer, request: Request, age_ms: float) -> None:
        self.done.append(request.do)

    def greet(self, viewer: Viewer) -> dict[str, Any]:
        return {"kind": "hello"}

    def gone(self, viewer: Viewer) -> None:
        self.done.append("gone")


def said(**message: Any) -> Message:
    return {"type": "websocket.receive", "text": json.dumps(message)}


class BrokenLine:
    """Its first frame cannot be sent; only then what the page said before comes out of it."""

    def __init__(self, *last: Message) -> None:
        self._messages = [{"type": "websocket.connect"}, said(kind="hello", version=1, name="Anna"), *last]
        self._failed = asyncio.Event()

    async def receive(self) -> Message:
        message = self._messages.pop(0)
        if message.get("text", "").startswith('{"kind": "seen"'):
            await self._failed.wait()
        return message

    async def send(self, message: Message) -> None:
        if message["type"] == "websocket.send":
            self._failed.set()
            raise OSError("gone")


def test_a_stop_that_waits_behind_another_message_counts_after_a_failed_frame() -> None:
    stop = said(kind="do", sequence=1, sent_ms=0.0, ttl_ms=800.0, do="safe_stop", **{"with": {}})
    clerk = Clerk()

    async def test() -> None:
        line = BrokenLine(said(kind="seen", frame=1), stop, {"type": "websocket.disconnect", "code": 1006})
        scope = {"type": "websocket", "headers": [], "path": "/live"}
        await Conversation(WebSocket(scope, line.receive, line.send), Attendance(), clerk).run()
        await asyncio.sleep(0)

    asyncio.run(test())
    assert sorted(clerk.done) == ["gone", "safe_stop"]


class QuickLine:
    """A page that looks at a sensor and acknowledges what comes, ``most`` times; then it goes."""

    def __init__(self, most: int) -> None:
        self._said: asyncio.Queue[Message] = asyncio.Queue()
        for message in (
            {"type": "websocket.connect"},
            said(kind="hello", version=1, name="Anna"),
            said(kind="look", at={"near": 10}),
        ):
            self._said.put_nowait(message)
        self._most = most
        self.seen: list[int] = []

    async def receive(self) -> Message:
        return await self._said.get()

    async def send(self, message: Message) -> None:
        data = message.get("bytes", b"")
        if data[:1] != b"\x03":
            return
        serial = json.loads(data[8 : 8 + int.from_bytes(data[4:8], "little")])["serial"]
        self.seen.append(serial)
        over = len(self.seen) == self._most
        self._said.put_nowait(
            {"type": "websocket.disconnect", "code": 1000} if over else said(kind="sighted", serial=serial)
        )


def test_what_sensors_see_goes_out_one_after_the_other() -> None:
    """Two sensors' worth, acknowledged: the second follows without a look of the watch, after a rest of the line."""
    attendance, line = Attendance(), QuickLine(2)
    for what in ("image", "depth"):
        attendance.gallery.hang(HungSight("near", what, 0, {}, b"", {}), 0.0)

    async def test() -> None:
        scope = {"type": "websocket", "headers": [], "path": "/live"}
        async with asyncio.timeout(5.0):
            await Conversation(WebSocket(scope, line.receive, line.send), attendance, Clerk()).run()

    asyncio.run(test())
    assert line.seen == [1, 2]

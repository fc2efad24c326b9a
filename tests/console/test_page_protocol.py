"""What a page has said last counts although its connection broke while the server sent, and no nonsense hinders its end."""

from __future__ import annotations

import asyncio
import select
import socket
from dataclasses import dataclass, field
from typing import Any

import pytest
import uvicorn
from uvicorn.server import ServerState
from websockets.frames import Frame, Opcode

from proxops.console.page_protocol import PageProtocol

ASKS = b"\r\n".join(
    [
        b"GET /live HTTP/1.1", b"Host: 127.0.0.1", b"Upgrade: websocket", b"Connection: Upgrade",
        b"Sec-WebSocket-Version: 13", b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==", b"", b"",
    ]
)  # fmt: skip


def said(text: bytes, opcode: Opcode = Opcode.TEXT) -> bytes:
    return Frame(opcode, text).serialize(mask=True)


@dataclass
class Heard:
    """By the application; ``complaints`` of the event loop."""

    messages: list[Any] = field(default_factory=list)
    complaints: list[Any] = field(default_factory=list)

    async def app(self, scope: Any, receive: Any, send: Any) -> None:
        await receive()
        await send({"type": "websocket.accept"})
        while not self.messages or self.messages[-1]["type"] != "websocket.disconnect":
            self.messages.append(await receive())

    @property
    def texts(self) -> list[str]:
        return [message["text"] for message in self.messages if "text" in message]


def pair() -> tuple[socket.socket, socket.socket]:
    """A page's socket and the server's: of TCP, which can be reset."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        page = socket.create_connection(listening.getsockname())
        server, _ = listening.accept()
    server.setblocking(False)
    return page, server


async def broken(heard: Heard, left: bytes) -> ServerState:
    """A page that leaves these bytes and goes; the server finds out as it sends, before it reads."""
    loop, state = asyncio.get_running_loop(), ServerState()
    loop.set_exception_handler(lambda _, context: heard.complaints.append(context))
    config = uvicorn.Config(heard.app, interface="asgi3", ws_ping_interval=None, ws_max_size=1000, log_config=None)
    config.load()
    page, server = pair()
    transport, protocol = await loop.connect_accepted_socket(lambda: PageProtocol(config, state, {}), server)
    page.sendall(ASKS)
    while not protocol.handshake_complete:
        await asyncio.sleep(0.001)
    page.sendall(left)
    assert select.select([page], [], [], 5.0)[0]  # our answer, unread: closing it is a reset
    page.close()
    assert _reset(transport.get_extra_info("socket"))
    transport.write(b"a frame")  # the loop has not run since
    assert transport.is_closing()
    async with asyncio.timeout(5.0):
        while state.connections or state.tasks:
            await asyncio.sleep(0.001)
    return state


def _reset(server: Any) -> bool:
    waiting = select.poll()
    waiting.register(server.fileno(), 0)  # errors only
    return bool(waiting.poll(5000))


@pytest.mark.parametrize("before", [b"", said(b"seen"), said(b"seen") * 100], ids=["alone", "the second", "after many"])
def test_what_a_page_said_last_is_heard(before: bytes) -> None:
    heard = Heard()
    asyncio.run(broken(heard, before + said(b"STOP")))
    assert heard.texts[-1:] == ["STOP"] and not heard.complaints
    assert heard.messages[-1]["type"] == "websocket.disconnect"


NONSENSE = {
    "nothing": b"", "half a frame": said(b"STOP")[:-1], "unmasked": Frame(Opcode.TEXT, b"x").serialize(mask=False),
    "too long": said(b"x" * 2000), "no text": said(b"\xff\xfe"), "no text, then more": said(b"\xff") * 3 + said(b"x"),
    "no beginning": said(b"x", Opcode.CONT), "closed twice": said(b"\x03\xe8", Opcode.CLOSE) * 2,
    "closed, then more": said(b"\x03\xe8", Opcode.CLOSE) + said(b"x"), "pings": said(b"", Opcode.PING) * 1000,
    "noise": bytes(range(255, -1, -1)), "another request": ASKS,
}  # fmt: skip


@pytest.mark.parametrize("left", NONSENSE.values(), ids=NONSENSE)
def test_nonsense_cannot_keep_a_connection_from_its_end(left: bytes) -> None:
    heard = Heard()
    state = asyncio.run(broken(heard, left))
    assert not heard.complaints and not state.connections
    assert heard.messages[-1]["type"] == "websocket.disconnect"


def test_whatever_reading_raises_the_connection_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(protocol: PageProtocol, data: bytes) -> None:
        if protocol.handshake_initiated:
            raise AssertionError("a fault of the library")
        super(PageProtocol, protocol).data_received(data)

    heard = Heard()
    monkeypatch.setattr(PageProtocol, "data_received", fail)
    assert not asyncio.run(broken(heard, said(b"x"))).connections
    assert not heard.complaints

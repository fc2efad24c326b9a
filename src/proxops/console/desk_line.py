"""The console's lines to the facility's desk: requests over the control socket, stops over a socket of their own.

Both are Unix sockets that never wait: what cannot be sent at once is not sent late. A line that breaks is connected anew.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import socket
from pathlib import Path
from typing import Any, Final, Protocol

from proxops.core.channel import CONTROL_VERSION, REPLY_BYTES
from proxops.core.clock import monotonic_ns
from proxops.core.errors import EXIT_BAD_INPUT, BadInput, ProxopsError, Refused

PATIENCE_S: Final = 1.0  # beyond a request's time to live
RECONNECT_S: Final = 0.05
Reply = dict[str, Any]


class Line(Protocol):
    """What asks the facility."""

    async def ask(
        self, verb: str, arguments: dict[str, Any], ttl_ms: float = ..., age_ms: float = ..., fd: int | None = ...
    ) -> Any: ...


class SocketLine:
    """A connection to one of the facility's sockets; ``exchange`` waits for the answer that carries the message's number."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._socket: socket.socket | None = None
        self._waiting: dict[int, asyncio.Future[Reply]] = {}
        self._number, self._over = 0, False

    def connect(self) -> None:
        """Be connected; OSError when nobody listens. A Unix socket answers at once."""
        if self._socket is not None:
            return
        made = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        made.setblocking(False)
        try:
            made.connect(os.fspath(self._path))
        except OSError:
            made.close()
            raise
        self._socket = made
        asyncio.get_running_loop().add_reader(made, self._read)

    def send(self, message: Reply, fd: int | None = None) -> int:
        """Send at once, on a new connection if this one is broken; the message's number. OSError when it cannot be sent. ``fd``:
        an open file that goes with it and stays the caller's."""
        self._number += 1
        text = json.dumps({**message, "sequence": self._number}).encode()
        for last in (False, True):
            try:
                self.connect()
                assert self._socket is not None
                socket.send_fds(self._socket, [text], [] if fd is None else [fd])
                return self._number
            except OSError:
                self.hang_up()
                if last:
                    raise
        raise AssertionError("the second try returns or raises")

    async def exchange(self, message: Reply, patience_s: float, fd: int | None = None) -> Reply:
        """The answer; OSError when none comes."""
        number = self.send(message, fd)
        waiting = self._waiting[number] = asyncio.get_running_loop().create_future()
        try:
            return await asyncio.wait_for(waiting, patience_s)
        finally:
            self._waiting.pop(number, None)

    def _read(self) -> None:
        assert self._socket is not None
        try:
            data = self._socket.recv(REPLY_BYTES)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self.hang_up()
            asyncio.get_running_loop().call_later(RECONNECT_S, self._reconnect)
            return
        try:
            reply = json.loads(data)
            waiting = self._waiting.get(int(reply["sequence"]))
        except (ValueError, KeyError, TypeError):
            return
        if waiting and not waiting.done():
            waiting.set_result(reply)

    def _reconnect(self) -> None:
        """Be there for the next that is sent; if nobody listens, that one says so."""
        if not self._over:
            with contextlib.suppress(OSError):
                self.connect()

    def close(self) -> None:
        """Hang up, and do not connect again."""
        self._over = True
        self.hang_up()

    def hang_up(self) -> None:
        """Whoever waits hears that the line is broken; the next message gets a new connection."""
        if self._socket is not None:
            asyncio.get_running_loop().remove_reader(self._socket)
            self._socket.close()
            self._socket = None
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_exception(ConnectionResetError("the facility has hung up"))


class DeskLine:
    """Requests. ``ask`` waits for the answer, ``send`` does not."""

    def __init__(self, path: Path) -> None:
        self._line = SocketLine(path)

    @classmethod
    async def open(cls, path: Path) -> DeskLine:
        made = cls(path)
        with contextlib.suppress(OSError):  # the facility may be gone: requests say so
            made._line.connect()
        return made

    def send(self, verb: str, arguments: dict[str, Any], ttl_ms: float) -> None:
        """Not worth an answer: a lost facility needs nothing of this kind any more."""
        with contextlib.suppress(OSError):
            self._line.send(_request(verb, arguments, ttl_ms, 0.0))

    async def ask(
        self, verb: str, arguments: dict[str, Any], ttl_ms: float = 1000.0, age_ms: float = 0.0, fd: int | None = None
    ) -> Any:
        """The result; ``Refused`` or ``BadInput`` with the desk's words. The facility counts from when it was made, ``age_ms``
        ago."""
        request = _request(verb, arguments, ttl_ms, age_ms)
        try:
            reply = await self._line.exchange(request, (ttl_ms - age_ms) * 1e-3 + PATIENCE_S, fd)
        except OSError:
            raise ProxopsError(f"{verb}: the facility does not answer") from None
        if reply.get("ok"):
            return reply.get("result")
        told = str(reply.get("error", "refused"))
        raise BadInput(told) if reply.get("exit") == EXIT_BAD_INPUT else Refused(told)

    def close(self) -> None:
        self._line.close()


def _request(verb: str, arguments: dict[str, Any], ttl_ms: float, age_ms: float) -> Reply:
    sent_ns = monotonic_ns() - round(age_ms * 1e6)
    return {"proxops": CONTROL_VERSION, "sent_ns": sent_ns, "ttl_ms": ttl_ms, "do": verb, "with": arguments}

"""The console's line to the facility's desk: requests over the control channel, many at once, never waiting for the network."""

from __future__ import annotations

import asyncio
import json
import os
import time
from typing import Any, Final, Protocol, cast

from proxops.core.channel import CONTROL_VERSION
from proxops.core.errors import EXIT_BAD_INPUT, BadInput, ProxopsError, Refused

PATIENCE_S: Final = 1.0  # beyond a request's time to live


class Line(Protocol):
    """What asks the facility."""

    async def ask(self, verb: str, arguments: dict[str, Any], ttl_ms: float = ..., age_ms: float = ...) -> Any: ...


class DeskLine(asyncio.DatagramProtocol):
    """``ask`` waits for the answer, ``send`` does not."""

    def __init__(self) -> None:
        self._client = f"console {os.getpid()}"
        self._sequence = 0
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._transport: asyncio.DatagramTransport | None = None

    @classmethod
    async def open(cls, address: tuple[str, int]) -> DeskLine:
        _, line = await asyncio.get_running_loop().create_datagram_endpoint(cls, remote_addr=address)
        return line

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.DatagramTransport, transport)

    def error_received(self, exc: Exception) -> None:
        """Nobody listens: whoever asked runs out of patience."""

    def datagram_received(self, data: bytes, addr: tuple[str | Any, int]) -> None:
        try:
            reply = json.loads(data)
            waiting = self._waiting.pop(int(reply["sequence"]), None)
        except (ValueError, KeyError, TypeError):
            return
        if waiting and not waiting.done():
            waiting.set_result(reply)

    def send(self, verb: str, arguments: dict[str, Any], ttl_ms: float, age_ms: float = 0.0) -> int:
        """Send a request that was made ``age_ms`` ago; its number. The facility counts from when it was made."""
        self._sequence += 1
        made_utc_ns = time.time_ns() - round(age_ms * 1e6)
        request = {
            "proxops": CONTROL_VERSION, "client": self._client, "sequence": self._sequence, "sent_utc_ns": made_utc_ns,
            "ttl_ms": ttl_ms, "do": verb, "with": arguments,
        }  # fmt: skip
        assert self._transport is not None
        self._transport.sendto(json.dumps(request).encode())
        return self._sequence

    async def ask(self, verb: str, arguments: dict[str, Any], ttl_ms: float = 1000.0, age_ms: float = 0.0) -> Any:
        """The result; ``Refused`` or ``BadInput`` with the desk's words."""
        waiting: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        number = self.send(verb, arguments, ttl_ms, age_ms)
        self._waiting[number] = waiting
        try:
            reply = await asyncio.wait_for(waiting, (ttl_ms - age_ms) * 1e-3 + PATIENCE_S)
        except TimeoutError:
            raise ProxopsError(f"{verb}: the facility does not answer") from None
        finally:
            self._waiting.pop(number, None)
        if reply.get("ok"):
            return reply.get("result")
        told = str(reply.get("error", "refused"))
        raise BadInput(told) if reply.get("exit") == EXIT_BAD_INPUT else Refused(told)

    def close(self) -> None:
        if self._transport:
            self._transport.close()

"""A page without a browser: speaks the websocket as page/src/link.ts does, or as nobody should."""

from __future__ import annotations

import json
import socket
import struct
import time
from typing import Any

import numpy as np
from websockets.sync.client import ClientConnection, connect

from proxops.core.messages import POOL_DTYPE


class PageSocket:
    """Greets, reads frames and messages, asks. ``take`` False: never acknowledges a frame."""

    def __init__(self, port: int, name: str = "test", *, take: bool = True, token: str | None = None) -> None:
        self.socket = open_socket(port, token=token)
        self._take, self._sequence = take, 0
        self.frames: list[bytes] = []
        self.messages: list[dict[str, Any]] = []
        self.say(kind="hello", version=1, name=name)
        self.hello = self.wait("hello")
        self.say(kind="ping", at=0.0)
        pong = self.wait("pong")
        self._clock_ms = time.monotonic() * 1e3 - pong["server_ms"]

    def say(self, **message: Any) -> None:
        self.socket.send(json.dumps(message))

    def hear(self, seconds: float = 5.0) -> dict[str, Any] | None:
        """One more thing from the server; a message, or None when it was a frame."""
        data = self.socket.recv(timeout=seconds)
        assert isinstance(data, bytes)
        if data[0] == 1:
            self.frames.append(data)
            if self._take:
                self.say(kind="seen", frame=struct.unpack_from("<I", data, 4)[0])
            return None
        message: dict[str, Any] = json.loads(data[1:])
        self.messages.append(message)
        return message

    def wait(self, kind: str, seconds: float = 5.0, **like: Any) -> dict[str, Any]:
        until = time.monotonic() + seconds
        while True:
            message = self.hear(max(0.01, until - time.monotonic()))
            if message and message["kind"] == kind and like.items() <= message.items():
                return message

    def listen(self, seconds: float) -> None:
        """Take whatever comes for a while."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            try:
                self.hear(left)
            except TimeoutError:
                return

    @property
    def now_ms(self) -> float:
        """The server's clock."""
        return time.monotonic() * 1e3 - self._clock_ms

    def ask(
        self, verb: str, *, age_ms: float = 0.0, ttl_ms: float = 1000.0, sequence: int | None = None, **arguments: Any
    ) -> dict[str, Any]:
        self._sequence += 1
        number = self._sequence if sequence is None else sequence
        self.say(
            kind="do", sequence=number, sent_ms=self.now_ms - age_ms, ttl_ms=ttl_ms, do=verb, **{"with": arguments}
        )
        return self.wait("done", sequence=number)

    def record(self) -> np.void:
        """The newest frame's record."""
        return np.frombuffer(self.frames[-1], POOL_DTYPE, 1, 24 + 8 * 176)[0]

    def close(self) -> None:
        self.socket.close()

    def drop(self) -> None:
        """Go without a word."""
        self.socket.socket.shutdown(socket.SHUT_RDWR)


def open_socket(
    port: int,
    *,
    origin: str | None = "own",
    protocols: tuple[str, ...] = ("proxops",),
    token: str | None = None,
) -> ClientConnection:
    """A websocket; ``origin`` None sends none."""
    own = f"http://127.0.0.1:{port}"
    spoken = [*protocols, *([f"token.{token}"] if token else [])]
    opening = connect(
        f"ws://127.0.0.1:{port}/live", origin=own if origin == "own" else origin, subprotocols=spoken or None,
        open_timeout=10, close_timeout=1, compression=None, max_size=None, proxy=None,
    )  # fmt: skip
    return opening.__enter__()

"""Ways to a facility's control channel, as its clients use them: Unix sockets, or sealed datagrams from another machine."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path
from typing import Any, Protocol

from proxops.core.channel import REPLY_BYTES
from proxops.core.clock import monotonic_ns
from proxops.core.control_sockets import ControlSockets, found_sockets
from proxops.core.errors import BadInput
from proxops.core.sealed_datagram import (
    NONCE_BYTES,
    SMALLEST,
    DatagramKind,
    Sealed,
    is_sealed,
    opened,
    seal,
    session_key,
)

Reply = dict[str, Any]


class ControlLine(Protocol):
    """Both raise OSError when no answer comes."""

    def ask(self, request: Reply, fd: int | None) -> Reply: ...
    def stop(self, by: str) -> Reply: ...
    def close(self) -> None: ...


class UnixLine:
    """Both sockets of a facility on this machine, connected when they are needed and kept."""

    def __init__(self, control: str, timeout_s: float) -> None:
        self._control, self._timeout_s = control, timeout_s
        self._open: dict[str, socket.socket] = {}

    def ask(self, request: Reply, fd: int | None) -> Reply:
        return self._exchange("control", request, fd)

    def stop(self, by: str) -> Reply:
        return self._exchange("stop", {"do": "safe_stop", "by": by}, None)

    def _exchange(self, way: str, request: Reply, fd: int | None) -> Reply:
        text, files = json.dumps(request).encode(), [] if fd is None else [fd]
        kept = way in self._open
        connection = self._connected(way)
        try:
            try:
                socket.send_fds(connection, [text], files)
            except ConnectionError:  # nothing was sent yet
                if not kept:
                    return self._answer(connection, request.get("sequence"))  # its last word: why it does not listen
                self._drop(way)  # the facility has been started anew
                connection = self._connected(way)
                socket.send_fds(connection, [text], files)
            return self._answer(connection, request.get("sequence"))
        except (OSError, ValueError) as error:
            self._drop(way)
            raise error if isinstance(error, OSError) else OSError(0, "answered with nonsense") from None

    def _answer(self, connection: socket.socket, sequence: object) -> Reply:
        while True:
            data = connection.recv(REPLY_BYTES)
            if not data:
                raise ConnectionResetError(104, "the facility has hung up")
            reply: Reply = json.loads(data)
            if reply.get("sequence", sequence) == sequence:
                return reply

    def _connected(self, way: str) -> socket.socket:
        if way in self._open:
            return self._open[way]
        for sockets in found_sockets(self._control):
            made = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            made.settimeout(self._timeout_s)
            try:
                made.connect(os.fspath(_way(sockets, way)))
            except OSError as error:
                made.close()
                failed = error
                continue
            self._open[way] = made
            return made
        raise failed

    def _drop(self, way: str) -> None:
        if way in self._open:
            self._open.pop(way).close()

    def close(self) -> None:
        for way in list(self._open):
            self._drop(way)


def _way(sockets: ControlSockets, way: str) -> Path:
    return sockets.stop if way == "stop" else sockets.control


class SealedLine:
    """Sealed datagrams to another machine. One session, begun with the first request and after every silence."""

    def __init__(self, address: tuple[str, int], key: bytes, timeout_s: float) -> None:
        self._key, self._timeout_s = key, timeout_s
        self._sockets = [self._connected(address[0], address[1] + k) for k in range(2)]
        self._session_key: bytes | None = None
        self._session, self._nonce, self._sequence = 0, b"", 0
        self._ahead_ns = 0  # the facility's clock minus ours, at most so much

    def _connected(self, host: str, port: int) -> socket.socket:
        made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        made.settimeout(self._timeout_s)
        try:
            made.connect((host, port))
        except OSError as error:
            raise BadInput(f"cannot reach the facility: {error.strerror}", value=f"{host}:{port}") from None
        return made

    def ask(self, request: Reply, fd: int | None) -> Reply:
        if fd is not None:
            raise BadInput("open files cannot go over the network", way_out="ask on the facility's own machine")
        try:
            if self._session_key is None:
                self._greet()
            assert self._session_key is not None
            self._sequence += 1
            asked = Sealed(
                DatagramKind.REQUEST, self._session, self._sequence, monotonic_ns() + self._ahead_ns, self._nonce,
                json.dumps(request).encode(),
            )  # fmt: skip
            return _table(self._exchange(0, asked, self._session_key, DatagramKind.REPLY).body)
        except OSError:
            self._session_key = None  # the next request begins anew
            raise

    def stop(self, by: str) -> Reply:
        """Sealed, without a session: a stop waits for nothing."""
        asked = Sealed(DatagramKind.STOP, 0, 1, 0, os.urandom(NONCE_BYTES), json.dumps({"by": by}).encode())
        return _table(self._exchange(1, asked, self._key, DatagramKind.STOPPED).body)

    def _greet(self) -> None:
        hello = Sealed(DatagramKind.HELLO, 0, 0, 0, os.urandom(NONCE_BYTES), bytes(NONCE_BYTES))
        welcome = self._exchange(0, hello, self._key, DatagramKind.WELCOME)
        self._session, self._nonce, self._sequence = welcome.session, hello.nonce, 0
        self._session_key = session_key(self._key, hello.nonce, welcome.body[:NONCE_BYTES], welcome.session)

    def _exchange(self, way: int, asked: Sealed, key: bytes, kind: DatagramKind) -> Sealed:
        """Send and wait for the sealed answer to this very datagram; whatever else comes is no answer."""
        via, until = self._sockets[way], monotonic_ns() + round(self._timeout_s * 1e9)
        via.send(seal(asked, key))
        while (left_ns := until - monotonic_ns()) > 0:
            via.settimeout(left_ns * 1e-9)
            data = via.recv(REPLY_BYTES + SMALLEST)
            told = opened(data)
            if told is None or (told.kind, told.sequence, told.nonce) != (kind, asked.sequence, asked.nonce):
                continue
            if is_sealed(data, key):
                # Its clock was read before ours: a request looks older, never younger.
                self._ahead_ns = told.time_ns - monotonic_ns()
                return told
        raise TimeoutError

    def close(self) -> None:
        for each in self._sockets:
            each.close()


def _table(body: bytes) -> Reply:
    reply = json.loads(body)
    if not isinstance(reply, dict):
        raise OSError(0, "answered with nonsense")
    return reply

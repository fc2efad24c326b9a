"""Control from other machines: the same requests and stops in sealed datagrams (core/sealed_datagram.py), for who has the key.

What is not sealed costs a few microseconds, is counted and never answered. A hello makes no state here: what a session
needs is found again from its number, the client's nonce and a secret that ends with the process. So only who has the key fills
the table of sessions, and a datagram of an earlier process or session means nothing.
"""

from __future__ import annotations

import hmac
import os
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from proxops.core.channel import REQUEST_BYTES, Address
from proxops.core.clock import monotonic_ns
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
from proxops.facility.control.requests import Asker, Requests
from proxops.facility.control.roles import Role

REQUESTS: Final = 2  # carried out per cycle
REQUEST_BUDGET_NS: Final = 200_000  # for reading, per cycle
STOP_BUDGET_NS: Final = 300_000
SESSIONS: Final = 16
FIRST_WORD_NS: Final = 10_000_000_000  # after its welcome a session is begun, or never
BUFFER_BYTES: Final = 1 << 20


@dataclass(eq=False)
class Session:
    """A client with the key."""

    key: bytes
    asker: Asker


class NetworkControl:
    """Two UDP sockets, the second one port above the first: requests and stops. Who has the key may operate."""

    def __init__(
        self, bind: Address, key: bytes, requests: Requests, stop: Callable[[bytes], bytes],
        now_ns: Callable[[], int] = monotonic_ns,
    ) -> None:  # fmt: skip
        self._key, self._requests, self._stop, self._now_ns = key, requests, stop, now_ns
        self.request_socket, self.stop_socket = _bound_pair(bind)
        self.address: Address = self.request_socket.getsockname()
        self._secret = os.urandom(32)
        self._sessions: dict[tuple[int, bytes], Session] = {}  # the one that spoke last is the last
        self._newest_forgotten = 0
        self.unsealed = 0

    def serve_requests(self) -> None:
        """Read within the budget; carry out a few."""
        until, done = time.perf_counter_ns() + REQUEST_BUDGET_NS, 0
        while done < REQUESTS and time.perf_counter_ns() < until:
            try:
                data, sender = self.request_socket.recvfrom(REQUEST_BYTES + SMALLEST)
            except BlockingIOError:
                return
            except OSError:  # a reply met a closed port
                continue
            reply = self._reply(data, sender)
            if reply:
                done += 1
                _send(self.request_socket, reply, sender)

    def serve_stops(self) -> None:
        """The first sealed one stops; all within the budget are answered."""
        until = time.perf_counter_ns() + STOP_BUDGET_NS
        while time.perf_counter_ns() < until:
            try:
                data, sender = self.stop_socket.recvfrom(REQUEST_BYTES + SMALLEST)
            except BlockingIOError:
                return
            except OSError:
                continue
            asked = opened(data)
            if asked is None or asked.kind is not DatagramKind.STOP or not is_sealed(data, self._key):
                self.unsealed += 1
                continue
            body = self._stop(asked.body)
            answer = Sealed(DatagramKind.STOPPED, 0, asked.sequence, self._now_ns(), asked.nonce, body)
            _send(self.stop_socket, seal(answer, self._key), sender)

    def _reply(self, data: bytes, sender: Address) -> bytes:
        """Empty for what is not worth one."""
        asked = opened(data)
        if (
            asked is not None
            and asked.kind is DatagramKind.HELLO
            and len(asked.body) >= NONCE_BYTES
            and is_sealed(data, self._key)
        ):
            now = self._now_ns()
            answer = Sealed(DatagramKind.WELCOME, now, asked.sequence, now, asked.nonce, self._nonce(now, asked.nonce))
            return seal(answer, self._key)
        session = (
            self._session(asked, data, sender) if asked is not None and asked.kind is DatagramKind.REQUEST else None
        )
        if asked is None or session is None:
            self.unsealed += 1
            return b""
        if asked.sequence <= session.asker.newest:
            self.unsealed += 1  # sealed once, and played again: nothing is done and nothing is said
            return b""
        body = self._requests.answer(asked.body, session.asker, stamp=(asked.sequence, asked.time_ns))
        session.asker.newest = max(session.asker.newest, asked.sequence)
        return seal(
            Sealed(DatagramKind.REPLY, asked.session, asked.sequence, self._now_ns(), asked.nonce, body), session.key
        )

    def _nonce(self, number: int, client_nonce: bytes) -> bytes:
        return hmac.digest(self._secret, number.to_bytes(8, "little") + client_nonce, "sha256")[:NONCE_BYTES]

    def _session(self, asked: Sealed, data: bytes, sender: Address) -> Session | None:
        """The session that this datagram belongs to, if it is sealed by it; begun with its first one."""
        name = (asked.session, asked.nonce)
        known = self._sessions.get(name)
        if known is not None:
            if not is_sealed(data, known.key):
                return None
            self._sessions[name] = self._sessions.pop(name)
            return known
        if asked.session <= self._newest_forgotten or not 0 <= self._now_ns() - asked.session <= FIRST_WORD_NS:
            return None
        key = session_key(self._key, asked.nonce, self._nonce(*name), asked.session)
        if not is_sealed(data, key):
            return None
        if len(self._sessions) >= SESSIONS:
            silent = next(iter(self._sessions))
            del self._sessions[silent]
            self._newest_forgotten = max(self._newest_forgotten, silent[0])
        made = self._sessions[name] = Session(key, Asker(f"{sender[0]}:{sender[1]}", Role.OPERATE))
        return made

    def close(self) -> None:
        self.request_socket.close()
        self.stop_socket.close()


def _send(via: socket.socket, data: bytes, to: Address) -> None:
    try:
        via.sendto(data, to)
    except OSError:
        return  # lost like any datagram: the client asks again


def _bound_pair(bind: Address) -> tuple[socket.socket, socket.socket]:
    """Two neighbouring ports; with port 0 any two."""
    host, port = bind
    for _ in range(16 if port == 0 else 1):
        pair = socket.socket(socket.AF_INET, socket.SOCK_DGRAM), socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            pair[0].bind((host, port))
            pair[1].bind((host, pair[0].getsockname()[1] + 1))
        except (OSError, OverflowError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            for each in pair:
                each.close()
            continue
        for each in pair:
            each.setblocking(False)
            each.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER_BYTES)
        return pair
    raise BadInput(
        f"cannot open control for other machines: {reason}", value=f"{host}:{port}", bound="two ports in a row"
    )

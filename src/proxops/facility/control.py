"""Control channel: requests to whoever runs the robots as JSON datagrams on loopback, each acknowledged or refused.

The same boundary serves ``proxops ctl`` and the console. A request carries a sequence number and a time to live, so that
a click made while nobody listened is not carried out later. One request is served per cycle, after the tick's own work.
"""

from __future__ import annotations

import json
import socket
import time
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol

from proxops.core.channel import CONTROL_VERSION, SIZE_LIMIT
from proxops.core.errors import EXIT_BAD_INPUT, BadInput, ProxopsError, Refused
from proxops.core.vocabulary import Severity
from proxops.facility.sync import Address

WAITING_LIMIT: Final = 256  # requests taken in and not yet served
BUFFER_BYTES: Final = 1 << 20
CLIENTS_LIMIT: Final = 256  # whose newest sequence number is kept
AGE: Final = "age_ms"  # put among the arguments of every request: since it was sent, whatever the sender wrote there
NAME_LENGTH: Final = 40  # of who asks, as events tell it
NUMBER_LIMIT: Final = 1e19  # Unix time in ns is the largest number that a request carries


Verb = Callable[[dict[str, Any]], object]


class Served(Protocol):
    """What every end of the channel can do, whatever else its verbs are."""

    @property
    def mode_name(self) -> str: ...
    def safe_stop(self, by: str = "") -> None: ...
    def tell(self, severity: Severity, code: str, text: str) -> None: ...


class ControlPort:
    """The facility's end: a UDP socket that is looked at once per cycle."""

    def __init__(self, bind: Address, desk: Served, verbs: Mapping[str, Verb]) -> None:
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            self._socket.bind(bind)
        except OSError as error:
            raise BadInput(
                f"cannot open the control channel: {error.strerror}",
                value=f"{bind[0]}:{bind[1]}",
                way_out="is another facility running?",
            ) from None
        self._socket.setblocking(False)
        self.address: Address = self._socket.getsockname()
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER_BYTES)
        self._desk = desk
        self._waiting: deque[tuple[bytes, Address]] = deque()
        self._newest: dict[str, int] = {}  # client → sequence number, against replays
        self._verbs = verbs

    def serve(self) -> None:
        """Take in what waits, carry out safe stops at once and the rest one per cycle. Never blocks."""
        while len(self._waiting) < WAITING_LIMIT:
            try:
                data, sender = self._socket.recvfrom(SIZE_LIMIT)
            except (BlockingIOError, InterruptedError):
                break
            except ConnectionError:
                continue
            request = _parsed(data)
            if request.get("do") == "safe_stop":  # never too old, out of order or of the wrong version
                self._desk.safe_stop(_asker(request))
                head: dict[str, Any] = {key: request[key] for key in ("client", "sequence") if key in request}
                self._send({**head, "ok": True, "result": None, "mode": self._desk.mode_name}, sender)
            else:
                self._waiting.append((data, sender))
        if self._waiting:
            data, sender = self._waiting.popleft()
            self._send(self._reply(data), sender)

    def _send(self, reply: dict[str, Any], sender: Address) -> None:
        try:
            self._socket.sendto(json.dumps(reply).encode(), sender)
        except OSError as error:  # the asker is gone; what was asked has been done and is in the log
            text = f"no way to answer {sender[0]}:{sender[1]}: {error.strerror}"
            self._desk.tell(Severity.WARNING, "control", text)

    def _reply(self, data: bytes) -> dict[str, Any]:
        try:
            request = json.loads(data)
            verb, arguments = self._check(request)
        except (ValueError, RecursionError) as error:
            return {"ok": False, "exit": EXIT_BAD_INPUT, "error": f"control request cannot be read: {error}"}
        except ProxopsError as error:
            return {"ok": False, "exit": error.exit_code, "error": str(error)}
        head = {"client": request["client"], "sequence": request["sequence"]}
        try:
            result = self._verbs[verb](arguments)
        except ProxopsError as error:
            self._desk.tell(Severity.WARNING, f"refused.{verb}", str(error))
            return {**head, "ok": False, "exit": error.exit_code, "error": str(error)}
        return {**head, "ok": True, "result": result, "mode": self._desk.mode_name}

    def _check(self, request: Any) -> tuple[str, dict[str, Any]]:
        """Version, age, order, verb; all before anything is done."""
        if not isinstance(request, dict) or request.get("proxops") != CONTROL_VERSION:
            raise BadInput(
                "control request of another version",
                value=repr(request)[:80],
                bound=f'"proxops": {CONTROL_VERSION}',
            )
        client, sequence, sent = (
            text_of(request, "client"),
            integer_of(request, "sequence"),
            integer_of(request, "sent_utc_ns"),
        )
        age_ms, ttl_ms = (time.time_ns() - sent) / 1e6, number_of(request, "ttl_ms")
        if not -1000 <= age_ms <= ttl_ms:
            raise Refused(f"request {sequence} is too old: {age_ms:.0f} ms, time to live {ttl_ms:.0f} ms")
        newest = self._newest.get(client, -1)
        if sequence <= newest:
            raise Refused(f"request {sequence} of {client!r} is not newer than {newest}")
        verb, arguments = text_of(request, "do"), request.get("with", {})
        if verb not in self._verbs or not isinstance(arguments, dict):
            raise BadInput("no such request", value=repr(verb), bound=", ".join(self._verbs))
        self._newest.pop(client, None)
        if len(self._newest) >= CLIENTS_LIMIT:  # whoever has been silent for longest is forgotten, never all at once
            del self._newest[next(iter(self._newest))]
        self._newest[client] = sequence
        return verb, {**arguments, AGE: age_ms}

    def close(self) -> None:
        self._socket.close()


def _asker(request: dict[str, Any]) -> str:
    """Who asks for a stop, as far as it says so; nothing that it says can be in the way of the stop."""
    arguments = request.get("with")
    by = arguments.get("by") if isinstance(arguments, dict) else None
    return "".join(c for c in by if c.isprintable())[:NAME_LENGTH] if isinstance(by, str) else ""


def _parsed(data: bytes) -> dict[str, Any]:
    """A request as a table; empty when it is none. Only texts that may hold a safe stop are looked into here."""
    try:
        request = json.loads(data) if b"safe_stop" in data else None
    except (ValueError, RecursionError):
        return {}
    return request if isinstance(request, dict) else {}


def text_of(table: dict[str, Any], key: str) -> str:
    value = table.get(key)
    if not isinstance(value, str):
        raise BadInput(f"{key} must be a text", value=repr(value))
    return value


def integer_of(table: dict[str, Any], key: str) -> int:
    value = table.get(key)
    if isinstance(value, bool) or not isinstance(value, int) or not abs(value) <= NUMBER_LIMIT:
        raise BadInput(f"{key} must be a whole number", value=repr(value)[:80])
    return value


def number_of(table: dict[str, Any], key: str) -> float:
    value = table.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= NUMBER_LIMIT:
        raise BadInput(f"{key} must be a finite number", value=repr(value)[:80])
    return float(value)


def flag_of(table: dict[str, Any], key: str) -> bool:
    value = table.get(key)
    if not isinstance(value, bool):
        raise BadInput(f"{key} must be true or false", value=repr(value))
    return value

"""Control channel: requests to the operator's desk as JSON datagrams on loopback, each acknowledged or refused.

The same boundary serves ``proxops ctl`` and the console. A request carries a sequence number and a time to live, so that
a click made while nobody listened is not carried out later. One request is served per cycle, after the tick's own work.
"""

from __future__ import annotations

import json
import socket
import stat
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.channel import CONTROL_VERSION, SIZE_LIMIT
from proxops.core.errors import EXIT_BAD_INPUT, BadInput, ProxopsError, Refused
from proxops.core.ring import shared_folder
from proxops.core.vocabulary import Severity
from proxops.facility.desk import Desk
from proxops.facility.status import status
from proxops.facility.sync import Address
from proxops.lab.trajectory import Trajectory

LOADED_PREFIX: Final = "proxops-load-"
WAITING_LIMIT: Final = 256  # requests taken in and not yet served
BUFFER_BYTES: Final = 1 << 20
NUMBER_LIMIT: Final = 1e19  # Unix time in ns is the largest number that a request carries


class ControlPort:
    """The facility's end: a UDP socket that is looked at once per cycle."""

    def __init__(self, bind: Address, desk: Desk, shut_down: Callable[[], None]) -> None:
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
        self._verbs: dict[str, Callable[[dict[str, Any]], object]] = {
            "status": lambda a: status(desk),
            "drives": lambda a: desk.drives(_flag(a, "on")),
            "select": lambda a: desk.select(_text(a, "source")),
            "hardware": lambda a: desk.hardware(_text(a, "kind")),
            "move_to_start": lambda a: desk.move_to_start(_text(a, "order")),
            "confirm": lambda a: desk.confirm(),
            "reset": lambda a: desk.reset(),
            "interlock": lambda a: desk.interlock(_text(a, "name"), _flag(a, "healthy")),
            "jog": lambda a: desk.jog(
                _text(a, "system"),
                _text(a, "robot"),
                _text(a, "component"),
                _integer(a, "direction"),
                _number(a, "speed"),
            ),
            "release": lambda a: desk.release(),
            "sine": lambda a: desk.sine(
                _text(a, "axis"),
                _number(a, "amplitude"),
                _number(a, "frequency_hz"),
                _integer(a, "cycles"),
            ),
            "load": lambda a: desk.load(_loaded(a)),
            "shut_down": lambda a: shut_down(),
        }

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
                self._desk.safe_stop()
                head: dict[str, Any] = {key: request[key] for key in ("client", "sequence") if key in request}
                self._send({**head, "ok": True, "result": None, "mode": self._desk.facility.mode.name}, sender)
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
            self._desk.facility.events.tell(Severity.WARNING, "control", text)

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
            self._desk.facility.events.tell(Severity.WARNING, f"refused.{verb}", str(error))
            return {**head, "ok": False, "exit": error.exit_code, "error": str(error)}
        return {**head, "ok": True, "result": result, "mode": self._desk.facility.mode.name}

    def _check(self, request: Any) -> tuple[str, dict[str, Any]]:
        """Version, age, order, verb; all before anything is done."""
        if not isinstance(request, dict) or request.get("proxops") != CONTROL_VERSION:
            raise BadInput(
                "control request of another version",
                value=repr(request)[:80],
                bound=f'"proxops": {CONTROL_VERSION}',
            )
        client, sequence, sent = (
            _text(request, "client"),
            _integer(request, "sequence"),
            _integer(request, "sent_utc_ns"),
        )
        age_ms, ttl_ms = (time.time_ns() - sent) / 1e6, _number(request, "ttl_ms")
        if not -1000 <= age_ms <= ttl_ms:
            raise Refused(f"request {sequence} is too old: {age_ms:.0f} ms, time to live {ttl_ms:.0f} ms")
        newest = self._newest.get(client, -1)
        if sequence <= newest:
            raise Refused(f"request {sequence} of {client!r} is not newer than {newest}")
        verb, arguments = _text(request, "do"), request.get("with", {})
        if verb not in self._verbs or not isinstance(arguments, dict):
            raise BadInput("no such request", value=repr(verb), bound=", ".join(self._verbs))
        if len(self._newest) > 256:
            self._newest.clear()
        self._newest[client] = sequence
        return verb, arguments

    def close(self) -> None:
        self._socket.close()


def _parsed(data: bytes) -> dict[str, Any]:
    """A request as a table; empty when it is none. Only texts that may hold a safe stop are looked into here."""
    try:
        request = json.loads(data) if b"safe_stop" in data else None
    except (ValueError, RecursionError):
        return {}
    return request if isinstance(request, dict) else {}


def save_loaded(trajectory: Trajectory, path: Path) -> None:
    """Write a checked trajectory so that the facility can map it without parsing or copying (``load``)."""
    np.save(path.with_suffix(".systems.npy"), trajectory.systems)
    np.save(path.with_suffix(".values.npy"), trajectory.values)


def _loaded(arguments: dict[str, Any]) -> Trajectory:
    """Map a trajectory that ``proxops ctl load`` has parsed and checked; only from the shared folder, only plain files."""
    path, bound = Path(_text(arguments, "path")), f"a file that proxops ctl load has put into {shared_folder()}"
    if path.parent != shared_folder() or not path.name.startswith(LOADED_PREFIX):
        raise BadInput("not a loaded trajectory", where=str(path), bound=bound)
    try:
        systems, values = (_mapped(path.with_suffix(suffix)) for suffix in (".systems.npy", ".values.npy"))
    except (OSError, ValueError, EOFError) as error:
        raise BadInput(f"cannot load: {error}", where=str(path), bound=bound) from None
    if (
        systems.dtype != np.int16
        or values.dtype != np.float64
        or values.shape != (len(systems), 22)
        or not len(systems)
    ):
        raise BadInput(
            "not a loaded trajectory", where=str(path), value=f"{values.dtype} {values.shape}", bound="(n, 22)"
        )
    return Trajectory(systems, values, _text(arguments, "source"))


def _mapped(path: Path) -> NDArray[Any]:
    """An array in shared memory. A pipe or device would block the tick: refused unopened."""
    if not stat.S_ISREG(path.stat().st_mode):
        raise ValueError(f"{path.name} is not a plain file")
    return np.asarray(np.lib.format.open_memmap(path, mode="r"))


def _text(table: dict[str, Any], key: str) -> str:
    value = table.get(key)
    if not isinstance(value, str):
        raise BadInput(f"{key} must be a text", value=repr(value))
    return value


def _integer(table: dict[str, Any], key: str) -> int:
    value = table.get(key)
    if isinstance(value, bool) or not isinstance(value, int) or not abs(value) <= NUMBER_LIMIT:
        raise BadInput(f"{key} must be a whole number", value=repr(value)[:80])
    return value


def _number(table: dict[str, Any], key: str) -> float:
    value = table.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= NUMBER_LIMIT:
        raise BadInput(f"{key} must be a finite number", value=repr(value)[:80])
    return float(value)


def _flag(table: dict[str, Any], key: str) -> bool:
    value = table.get(key)
    if not isinstance(value, bool):
        raise BadInput(f"{key} must be true or false", value=repr(value))
    return value

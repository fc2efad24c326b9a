"""Clients of a running facility, light enough for any script: synchronous commands, and the operator's control channel."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Sequence
from typing import Any

from proxops.core.channel import (
    CONTROL_PORT,
    CONTROL_VERSION,
    LOOPBACK,
    SIZE_LIMIT,
    SYNC_PORT,
    TIME_TO_LIVE_MS,
)
from proxops.core.datagram import Answer, Command, Malformed, pack_command, unpack_answer
from proxops.core.errors import EXIT_BAD_INPUT, BadInput, Refused
from proxops.core.vocabulary import System


class SyncClient:
    """Sends commands and takes answers. One object is one sender: the first that speaks is master."""

    def __init__(self, address: tuple[str, int] = (LOOPBACK, SYNC_PORT), timeout_s: float = 1.0) -> None:
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.connect(address)
        self._socket.settimeout(timeout_s)
        self.sequence = 0

    def send(self, system: System, values: Sequence[float], *, alive: bool = True) -> int:
        """Send 22 doubles; returns the sequence number. ``alive=False`` ends a run in good order."""
        self.sequence += 1
        self._socket.send(pack_command(Command(int(system), self.sequence, time.time_ns(), tuple(values), alive)))
        return self.sequence

    def receive(self) -> Answer | None:
        """The next answer, or None when none came in time."""
        try:
            return unpack_answer(self._socket.recv(2048))
        except (TimeoutError, BlockingIOError, ConnectionError, Malformed):
            return None

    def exchange(self, system: System, values: Sequence[float], *, alive: bool = True) -> Answer | None:
        """Send and wait for the answer to this very command."""
        sequence = self.send(system, values, alive=alive)
        while (answer := self.receive()) is not None:
            if answer.sequence == sequence:
                return answer
        return None

    def close(self) -> None:
        self._socket.close()


class ControlClient:
    """The operator's end of the control channel; raises what the facility refused."""

    def __init__(self, address: tuple[str, int] = (LOOPBACK, CONTROL_PORT), timeout_s: float = 2.0) -> None:
        self._address = address
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.settimeout(timeout_s)
        self._sequence = 0
        self._name = f"{time.time_ns():x}"

    def ask(self, verb: str, **arguments: object) -> Any:
        """Send one request and wait for its answer."""
        self._sequence += 1
        request = {
            "proxops": CONTROL_VERSION, "client": self._name, "sequence": self._sequence, "sent_utc_ns": time.time_ns(),
            "ttl_ms": TIME_TO_LIVE_MS, "do": verb, "with": arguments,
        }  # fmt: skip
        where = f"{self._address[0]}:{self._address[1]}"
        try:
            self._socket.sendto(json.dumps(request).encode(), self._address)
            while True:
                reply = json.loads(self._socket.recv(SIZE_LIMIT))
                if reply.get("sequence", self._sequence) == self._sequence:
                    break
        except (TimeoutError, ConnectionError):
            raise Refused(f"no facility answers at {where}: start one with proxops serve") from None
        if not reply["ok"]:
            if reply["exit"] == EXIT_BAD_INPUT:
                raise BadInput(reply["error"])
            raise Refused(reply["error"])
        return reply.get("result")

    def close(self) -> None:
        self._socket.close()

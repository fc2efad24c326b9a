"""Safe stops over a Unix socket of their own, looked at first in every cycle: whatever arrives there is a stop.

A flood costs a bounded time: the first stop of a cycle is carried out, the others are of the same cycle and are answered alike.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Final

from proxops.core.errors import ProxopsError
from proxops.facility.control.listening_socket import Connection, ListeningSocket
from proxops.facility.control.requests import Served, asker_of, parsed
from proxops.facility.control.roles import AccessControl

BUDGET_NS: Final = 300_000  # of one cycle, beyond its first stop
STOP_BYTES: Final = 1024
CONNECTIONS: Final = 32
DOOR: Final = 8  # let in per cycle; no more wait there, so whoever has connected is heard in the next cycle
NAMES: Final = 3  # of those who asked for it, told per cycle
IN_A_ROW: Final = 8  # messages of one connection


class StopPort:
    """``serve`` first of all in every cycle."""

    def __init__(self, path: Path, entry: AccessControl, desk: Served) -> None:
        self._desk = desk
        self.listening = ListeningSocket(path, entry, most=CONNECTIONS, backlog=DOOR)
        self._names: set[str] = set()  # who was told in this cycle
        self.stops = 0

    def serve(self) -> list[int]:
        """Carry out what has come; what else was found readable."""
        listening = self.listening
        others = listening.look()
        if others or listening.waiting:
            self._names.clear()
            until = time.perf_counter_ns() + BUDGET_NS
            while (connection := listening.next()) is not None:
                self._hear(connection, until)
                if time.perf_counter_ns() > until:
                    break
            if listening.knocked(others):
                self._admit(until)
        return others

    def _admit(self, until: int) -> None:
        """Let in who waits and hear it at once. One that goes for lack of room is heard before: its stop is not lost."""
        for _ in range(DOOR):
            connection = self.listening.accept(lambda silent: self._hear(silent, 0))
            if connection is None:
                return
            self._hear(connection, 0)
            if time.perf_counter_ns() > until:
                return

    def _hear(self, connection: Connection, until: int) -> None:
        for _ in range(IN_A_ROW):
            try:
                data = connection.socket.recv(STOP_BYTES)
            except BlockingIOError:
                return
            except OSError:
                data = b""
            if not data:
                self.listening.drop(connection)
                return
            if not connection.send(self.stop(data)):  # the stop is done; nobody wants to hear of it
                self.listening.dropped += 1
                self.listening.drop(connection)
                return
            if time.perf_counter_ns() > until:
                return

    def stop(self, data: bytes) -> bytes:
        """Carry out a stop, whatever it says; the answer."""
        try:
            request = parsed(data)
        except ProxopsError:  # nonsense is a stop as well
            request = {}
        name = asker_of(request)
        if name not in self._names and len(self._names) < NAMES:
            self._names.add(name)
            self._desk.safe_stop(name)
        self.stops += 1
        sequence = request.get("sequence")
        head = {"sequence": sequence} if isinstance(sequence, int) else {}
        return json.dumps({**head, "ok": True, "result": None, "mode": self._desk.mode_name}).encode()

    def close(self) -> None:
        self.listening.close()

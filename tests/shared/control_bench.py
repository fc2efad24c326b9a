"""Control ports before a desk that only notes what it is asked for, and a person at the other end."""

from __future__ import annotations

import contextlib
import json
import os
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from proxops.core.clock import monotonic_ns
from proxops.core.vocabulary import Severity
from proxops.facility.control import ANY, ControlChannel, ControlSettings
from proxops.lab.cell_file import Access


class NotedDesk:
    """Whatever is asked of it, in order."""

    mode_name = "READY"

    def __init__(self) -> None:
        self.stops: list[str] = []
        self.done: list[dict[str, Any]] = []
        self.told: list[str] = []
        self.failures: list[str] = []

    def safe_stop(self, by: str = "") -> None:
        self.stops.append(by)

    def tell(self, severity: Severity, code: str, text: str) -> None:
        self.told.append(code)

    def fail(self, where: str, error: Exception) -> None:
        self.failures.append(f"{where}: {error}")

    def note(self, arguments: dict[str, Any]) -> int:
        self.done.append(arguments)
        return len(self.done)

    def take_file(self, arguments: dict[str, Any]) -> str:
        """Reads the open file and closes it, which is then its own."""
        with os.fdopen(arguments["fd"]) as file:
            return file.read()

    @staticmethod
    def break_down(arguments: dict[str, Any]) -> None:
        raise ZeroDivisionError("by zero")


def request(verb: object = "status", sequence: object = 1, **changes: object) -> bytes:
    base = {"proxops": 2, "sequence": sequence, "sent_ns": monotonic_ns(), "ttl_ms": 5000, "do": verb, "with": {}}
    return json.dumps({**base, **changes}).encode()


class Person:
    """One connection that never waits."""

    def __init__(self, path: Path) -> None:
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket.setblocking(False)
        self.socket.connect(str(path))

    @classmethod
    def elsewhere(cls, path: Path) -> Person:
        """Connected by another process, as the kernel tells the facility."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        if (child := os.fork()) == 0:
            try:
                there = cls(path)
                socket.send_fds(theirs, [b"."], [there.socket.fileno()])
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        made = cls.__new__(cls)
        made.socket = socket.socket(fileno=socket.recv_fds(ours, 1, 1)[1][0])
        made.socket.setblocking(False)
        ours.close()
        theirs.close()
        return made

    def send(self, data: bytes) -> bool:
        """False when it cannot be sent now."""
        try:
            self.socket.send(data)
        except OSError:
            return False
        return True

    def flood(self, data: bytes) -> int:
        """As many as the socket holds."""
        count = 0
        while self.send(data):
            count += 1
        return count

    def heard(self) -> list[dict[str, Any]]:
        """All answers that have come."""
        answers = []
        with contextlib.suppress(BlockingIOError):
            while data := self.socket.recv(60_000):
                answers.append(json.loads(data))
        return answers

    @property
    def gone(self) -> bool:
        """True when the facility has hung up."""
        try:
            while self.socket.recv(60_000):
                pass
        except BlockingIOError:
            return False
        except OSError:
            return True
        return True


class Bench:
    """Control ports in a folder of their own."""

    def __init__(self, access: Access | None = None, bind: tuple[str, int] | None = None, key: bytes = b"") -> None:
        self.desk, self.people = NotedDesk(), list[Person]()
        verbs: dict[str, Callable[[dict[str, Any]], object]] = {
            "status": self.desk.note, "load": self.desk.take_file, "interlock": self.desk.note, "jog": self.desk.note,
            "drives": self.desk.break_down,
        }  # fmt: skip
        self.control = ControlChannel(ControlSettings(ANY, access, bind, key), self.desk, verbs, frozenset({"load"}))

    def person(self, stop: bool = False) -> Person:
        made = Person(self.control.sockets.stop if stop else self.control.sockets.control)
        self.people.append(made)
        return made

    def cycle(self, count: int = 1) -> None:
        for _ in range(count):
            self.control.serve_stops()
            self.control.serve()

    def ask(self, person: Person, data: bytes, cycles: int = 3) -> dict[str, Any]:
        """The answer to one message."""
        assert person.send(data)
        self.cycle(cycles)
        (answer,) = person.heard()
        return answer

    def close(self) -> None:
        for person in self.people:
            person.socket.close()
        self.control.close()


@contextlib.contextmanager
def bench_of(access: Access | None = None, **more: Any) -> Iterator[Bench]:
    made = Bench(access, **more)
    try:
        yield made
    finally:
        made.close()

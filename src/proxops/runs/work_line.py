"""A process of ours that works to order, as its owner sees it: orders go there, answers come back in the same order.

For what takes milliseconds to seconds and so is never done on a tick. Who keeps wall-clock time takes what is there and never
waits; a run in lockstep waits for what is due in simulated time, and so repeats bit for bit.
"""

from __future__ import annotations

import os
import pickle
import select
import socket
import subprocess
import sys
from collections.abc import Iterable
from typing import Any, Final

from proxops.core.child import child_command, child_environment
from proxops.core.errors import BadInput
from proxops.core.interruption import end_is_asked_for
from proxops.runs.child_patience import ChildPatience

HEAD: Final = 8  # bytes: length of what follows
BUFFER_BYTES: Final = 1 << 20
EXIT_S: Final = 5.0
PATIENCE_S: Final = 60.0  # with a process that owes an answer and uses no processor
LOOK_S: Final = 1.0


class WorkFailed(BadInput):
    """The process has ended, or neither answers nor works any more."""


class WorkLine:
    """``module``: whose ``main`` the process runs; it is told ``setting`` first and says "ready" or what is wrong with that.
    ``what``: how it is called in words; ``way_out``: what to do without it. A process that is gone or frozen is named by
    the next ``give`` or ``take`` (WorkFailed). Nobody is kept waiting by one that does not read its orders: they stand here
    until it does; and nobody waits at all once the end is asked for."""

    def __init__(
        self, module: str, setting: object, what: str, way_out: str, failed: type[WorkFailed] = WorkFailed
    ) -> None:
        ours, theirs = socket.socketpair()
        for end in (ours, theirs):
            for way in (socket.SO_SNDBUF, socket.SO_RCVBUF):
                end.setsockopt(socket.SOL_SOCKET, way, BUFFER_BYTES)
        words = child_command(module, theirs.fileno())
        self._process = subprocess.Popen(
            words, pass_fds=(theirs.fileno(),), env=child_environment(), stdin=subprocess.DEVNULL
        )
        theirs.close()
        ours.setblocking(False)
        self._what, self._way_out, self._failed = what, way_out, failed
        self._line, self._bytes, self._unsent = ours, bytearray(), bytearray()
        self._patience = ChildPatience(self._process.pid)
        self.given = self.taken = 0
        self._loaded = False
        self._send(setting)

    def ready(self, *, block: bool = False) -> bool:
        """Whether it can work now; BadInput in its words if it cannot."""
        if not self._loaded:
            said = self._receive(block=block)
            self._loaded = said is not None
            if isinstance(said, BadInput):
                self.close()
                raise said
        return self._loaded

    def wait_ready(self) -> None:
        self.ready(block=True)

    @property
    def waiting(self) -> int:
        """Orders that are not answered yet."""
        return self.given - self.taken

    @property
    def pid(self) -> int:
        return self._process.pid

    def give(self, order: object) -> int:
        """Its number."""
        if not self.waiting:
            self._patience.heard()
        self._send(order)
        self.given += 1
        return self.given - 1

    def take(self, *, block: bool) -> Any:
        """The answer to the next order; None if it is not there yet and nobody waits, or the end is asked for."""
        if not self.waiting:
            return None
        found = self._receive(block=block)
        if found is None:
            return None
        if isinstance(found, Exception):
            raise found
        self.taken += 1
        return found

    def let_go(self) -> None:
        """It may end once it has done what it does; ``close`` waits for that."""
        self._line.close()

    def close(self) -> None:
        """Let the process go, patiently. One that has not even worked in that time is named."""
        self.let_go()
        self._patience.heard()
        try:
            self._process.wait(EXIT_S)
        except subprocess.TimeoutExpired:
            if self._patience.ended(0.0):
                print(f"note: {self._what} was frozen, and is ended", file=sys.stderr)
            self.kill()

    def kill(self) -> None:
        """It is not asked."""
        self._line.close()
        self._process.kill()
        self._process.wait()

    def _send(self, what: object) -> None:
        data = pickle.dumps(what, protocol=5)
        self._unsent += len(data).to_bytes(HEAD, "little") + data
        self._flush()

    def _flush(self) -> None:
        """What it takes now."""
        try:
            while self._unsent:
                del self._unsent[: self._line.send(self._unsent)]
        except BlockingIOError:
            return
        except OSError as error:
            raise self._gone() from error

    def _receive(self, *, block: bool) -> Any:
        """The next thing that it says; None if it has not said all of it."""
        while (whole := self._cut()) is None:
            self._flush()
            if self._read():
                self._patience.heard()
            elif self._patience.ended(PATIENCE_S):
                raise self._frozen()
            elif block and not end_is_asked_for():
                select.select([self._line], [self._line] if self._unsent else [], [], min(LOOK_S, PATIENCE_S))
            else:
                return None
        return pickle.loads(whole)

    def _read(self) -> bool:
        """Whether there was something."""
        try:
            part = self._line.recv(BUFFER_BYTES)
        except BlockingIOError:
            return False
        except OSError as error:
            raise self._gone() from error
        if not part:
            raise self._gone()
        self._bytes += part
        return True

    def _cut(self) -> bytes | None:
        size = HEAD + int.from_bytes(self._bytes[:HEAD], "little")
        if len(self._bytes) < max(size, HEAD + 1):
            return None
        whole = bytes(self._bytes[HEAD:size])
        del self._bytes[:size]
        return whole

    def _gone(self) -> WorkFailed:
        code = self._process.poll()
        return self._failed(
            f"{self._what} has ended", value=None if code is None else f"exit code {code}",
            way_out=f"its last words stand above; {self._way_out}",
        )  # fmt: skip

    def _frozen(self) -> WorkFailed:
        self.kill()  # it would not go when asked
        return self._failed(
            f"{self._what} neither answers nor works", value=f"{PATIENCE_S:g} s of silence",
            way_out="was it stopped by a debugger or a signal?",
        )  # fmt: skip


def receive_all(line: socket.socket, count: int) -> bytes:
    """So many bytes; fewer if the other end has closed."""
    parts = bytearray()
    while len(parts) < count and (part := line.recv(count - len(parts))):
        parts += part
    return bytes(parts)


def say(line: socket.socket, what: object) -> None:
    """From the child's end."""
    data = pickle.dumps(what, protocol=5)
    line.sendall(len(data).to_bytes(HEAD, "little") + data)


def hear(line: socket.socket) -> Iterable[Any]:
    """What the owner says, until it has gone."""
    while len(head := receive_all(line, HEAD)) == HEAD:
        size = int.from_bytes(head, "little")
        data = receive_all(line, size)
        if len(data) < size:
            return
        yield pickle.loads(data)


def step_back() -> None:
    """Work when nobody else wants the processor: the tick is sacred."""
    os.nice(5)

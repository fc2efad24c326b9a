"""The facility's handle on the trajectory checker: starts it, talks to it without ever waiting, ends it."""

from __future__ import annotations

import os
import pickle
import select
import socket
import subprocess
from typing import Final

from proxops.core.child import child_command, child_environment
from proxops.core.errors import BadInput, ProxopsError
from proxops.core.sealed_memory import sealed_memory
from proxops.facility.trajectories.message import MESSAGE_BYTES, Message, unpacked
from proxops.lab.cell import Cell

START_S: Final = 120.0  # with nothing compiled


class CheckerLost(ProxopsError):
    """The checker has ended, or says what it may not say."""


class CheckerProcess:
    """A running checker. ``process`` is None where a test stands at the other end of ``link``."""

    def __init__(self, link: socket.socket, process: subprocess.Popen[bytes] | None = None) -> None:
        link.setblocking(False)
        self._link, self._process = link, process

    @property
    def pid(self) -> int:
        """For displays and tests; 0 without a process."""
        return self._process.pid if self._process else 0

    def wait_ready(self, seconds: float = START_S) -> None:
        """Before real time begins: until it has compiled what it needs. ``BadInput`` if it ends or takes for ever."""
        if not select.select([self._link], [], [], seconds)[0]:
            raise BadInput("the trajectory checker did not start in time", value=f"{seconds:g} s")
        try:
            self.receive()
        except CheckerLost as lost:
            raise BadInput(str(lost)) from None

    def send(self, message: Message, *fds: int) -> None:
        """``CheckerLost`` if it takes nothing any more."""
        try:
            socket.send_fds(self._link, [message.packed()], fds)
        except OSError as error:
            raise CheckerLost(f"the trajectory checker takes no messages: {error.strerror}") from None

    def receive(self) -> tuple[Message, int | None] | None:
        """The next message with its descriptor, now the caller's; None when there is none."""
        try:
            data, fds, _, _ = socket.recv_fds(self._link, MESSAGE_BYTES, 1)
        except BlockingIOError:
            return None
        except OSError as error:
            raise CheckerLost(f"the trajectory checker has ended: {error.strerror}") from None
        if not data:
            raise CheckerLost("the trajectory checker has ended")
        fd = fds[0] if fds else None
        try:
            return unpacked(data), fd
        except BadInput as error:
            if fd is not None:
                os.close(fd)
            raise CheckerLost(str(error)) from None

    def kill(self) -> None:
        """At once and without waiting for it; its worker goes with it."""
        self._link.close()
        if self._process:
            self._process.kill()
            self._process.poll()

    def close(self) -> None:
        """Outside of real time. Killed: it has nothing that anybody would miss."""
        self.kill()
        if self._process:
            self._process.wait()


class CheckerStart:
    """Starts checkers for one cell: at the beginning, and again if one was lost. About 1 ms, so only while the hall stands."""

    def __init__(self, cell: Cell) -> None:
        self._cell_fd = sealed_memory("cell", [pickle.dumps(cell)])

    def __call__(self) -> CheckerProcess:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        command = child_command("proxops.facility.trajectories.checker", theirs.fileno())
        # No threads of a library: a fork would lose them.
        environment = child_environment() | {"OPENBLAS_NUM_THREADS": "1"}
        os.lseek(self._cell_fd, 0, os.SEEK_SET)  # the checker before has read it to its end
        with theirs:
            process = subprocess.Popen(
                command, stdin=self._cell_fd, pass_fds=(theirs.fileno(),), env=environment, start_new_session=True
            )
        return CheckerProcess(ours, process)

    def close(self) -> None:
        os.close(self._cell_fd)

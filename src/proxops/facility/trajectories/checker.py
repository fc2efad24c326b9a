"""The trajectory checker: the process that reads users' files, so that the tick need not.

``python -m proxops.facility.trajectories.checker SOCKET``, started by ``CheckerStart`` with a pickled ``Cell`` on standard input.
It parses nothing itself: for every job it forks a worker, which may crash or hang without harm. It ends when its socket does.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import select
import signal
import socket
import sys
import traceback
from dataclasses import dataclass
from typing import Final

from proxops.core.clock import monotonic_ns
from proxops.core.errors import EXIT_BAD_INPUT, EXIT_STOPPED
from proxops.facility.trajectories.job import work
from proxops.facility.trajectories.message import MESSAGE_BYTES, Message, MessageKind, unpacked
from proxops.facility.trajectories.rehearsal import rehearse
from proxops.lab.cell import Cell

NICE: Final = 10  # behind the tick and the recorder
JOB_S: Final = 60.0


@dataclass(frozen=True)
class RunningJob:
    """A job under way. ``until_ns``: by the monotonic clock."""

    pid: int
    line: socket.socket
    job: int
    source: str
    until_ns: int

    def end(self) -> int:
        """Kill it, whatever it does; its wait status."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        self.line.close()
        return os.waitpid(self.pid, 0)[1]


class TrajectoryChecker:
    """Takes jobs from ``link`` until its other end is closed."""

    def __init__(self, link: socket.socket, cell: Cell, job_s: float = JOB_S) -> None:
        self._link, self._cell, self._job_s = link, cell, job_s
        self._worker: RunningJob | None = None

    def run(self) -> None:
        while self._step():
            pass
        if self._worker:
            self._worker.end()

    def _step(self) -> bool:
        """Wait for the next thing to happen; False at the end of the link."""
        worker = self._worker
        lines = [self._link, *([worker.line] if worker else [])]
        left_s = max(0.0, (worker.until_ns - monotonic_ns()) * 1e-9) if worker else None
        ready, _, _ = select.select(lines, [], [], left_s)
        if worker and worker.line in ready:
            self._hear(worker)
        elif worker and not ready:
            worker.end()
            self._refuse(worker, f"the check took longer than {self._job_s:g} s: split the file", EXIT_BAD_INPUT)
        return self._take() if self._link in ready else True

    def _take(self) -> bool:
        data, fds, _, _ = socket.recv_fds(self._link, MESSAGE_BYTES, 1)
        if not data:
            return False
        message = unpacked(data)
        if message.said is MessageKind.CHECK and fds and self._worker is None:
            self._worker = self._start(message, fds[0])
        for fd in fds:
            os.close(fd)
        return True

    def _start(self, message: Message, fd: int) -> RunningJob:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        pid = os.fork()
        if pid == 0:
            code = EXIT_STOPPED
            try:
                self._link.close()  # else nobody would notice the end of the checker
                ours.close()
                work(self._cell, fd, message.job, message.text, self._job_s, theirs)
                code = 0
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(code)  # never back into the checker's loop
        theirs.close()
        return RunningJob(pid, ours, message.job, message.text, monotonic_ns() + round(self._job_s * 1e9))

    def _hear(self, worker: RunningJob) -> None:
        """Pass the worker's word on; one that ended without a word is told of by us."""
        data, fds, _, _ = socket.recv_fds(worker.line, MESSAGE_BYTES, 1)
        status = worker.end()
        if not data:
            why = f"signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else f"exit {os.WEXITSTATUS(status)}"
            self._refuse(worker, f"the process that checked it has ended ({why})", EXIT_BAD_INPUT)
            return
        self._worker = None
        socket.send_fds(self._link, [data], fds)
        for fd in fds:
            os.close(fd)

    def _refuse(self, worker: RunningJob, why: str, code: int) -> None:
        self._worker = None
        self._link.send(Message(MessageKind.REFUSED, worker.job, f"{worker.source}: {why}", code).packed())


def main() -> int:
    """The process."""
    with contextlib.suppress(OSError):
        os.nice(NICE)
    link = socket.socket(fileno=int(sys.argv[1]))
    cell = pickle.load(sys.stdin.buffer)  # from the facility that started us, nobody else
    rehearse(cell)  # so that workers find their kernels compiled
    with contextlib.suppress(ConnectionError):  # the facility has ended
        link.send(Message(MessageKind.READY).packed())
        TrajectoryChecker(link, cell).run()
    return 0


if __name__ == "__main__":
    sys.exit(main())

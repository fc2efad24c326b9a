"""One job of the trajectory checker, a user's file from text to a sealed trajectory, in a process that may die of it."""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import socket
from pathlib import Path
from typing import Final

from proxops.core.errors import EXIT_BAD_INPUT, BadInput, ProxopsError
from proxops.core.trajectory_size import LARGEST_BYTES, MOST_LINES
from proxops.facility.trajectories.message import Message, MessageKind
from proxops.facility.trajectories.preflight import preflight
from proxops.lab.cell import Cell
from proxops.lab.sealed_trajectory import seal
from proxops.lab.trajectory import Trajectory, parse_trajectory

MEMORY_BYTES: Final = 4 << 30  # beyond what the process has when it begins
_PR_SET_PDEATHSIG: Final = 1


def work(cell: Cell, fd: int, job: int, source: str, seconds: float, line: socket.socket) -> None:
    """In the worker: check, then tell over ``line``. What is refused is told too; a fault of ours ends the process."""
    _limit(seconds)
    try:
        trajectory = parse_trajectory(text_of(fd, source), source)
        preflight(cell, trajectory)
        _tell(line, trajectory, job)
    except ProxopsError as refusal:
        line.send(Message(MessageKind.REFUSED, job, str(refusal), refusal.exit_code).packed())
    except MemoryError:
        too_much = BadInput("checking it takes too much memory", where=source, bound=f"{MEMORY_BYTES} bytes")
        line.send(Message(MessageKind.REFUSED, job, str(too_much), EXIT_BAD_INPUT).packed())


def text_of(fd: int, source: str) -> str:
    """The text in sealed memory, if it is ASCII and of a bearable size."""
    size = os.fstat(fd).st_size
    if size > LARGEST_BYTES:
        raise BadInput(
            "the trajectory is too large", where=source, value=f"{size} bytes", bound=f"{LARGEST_BYTES} bytes"
        )
    data = os.pread(fd, size, 0)
    lines = data.count(b"\n")
    if lines > MOST_LINES:
        raise BadInput("the trajectory has too many lines", where=source, value=lines, bound=str(MOST_LINES))
    try:
        return data.decode("ascii")
    except UnicodeDecodeError as error:
        value = f"byte {data[error.start]:#04x} at offset {error.start}"
        raise BadInput("the trajectory is not an ASCII file", where=source, value=value) from None


def _tell(line: socket.socket, trajectory: Trajectory, job: int) -> None:
    sealed, digest = seal(trajectory)
    message = Message(MessageKind.CHECKED, job, lines=len(trajectory), digest=digest)
    socket.send_fds(line, [message.packed()], [sealed])


def _limit(seconds: float) -> None:
    """Bounded memory and time, also when nobody looks any more; the first to go when memory is short; never outlives the
    checker."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    Path("/proc/self/oom_score_adj").write_text("1000")
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY_BYTES, used + MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 2))

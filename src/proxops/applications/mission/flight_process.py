"""A user's flight software in a process of its own: it may loop in C, crash, leave or eat memory, and only its mission ends.

One packet there and one back a cycle, over a private socket (``core/flight_packet.py``); the child has a host of its own, which
interrupts and names what Python can interrupt (``flight_child.py``). Whatever stays beyond that is killed here, with all the
processes that it started.
"""

from __future__ import annotations

import json
import os
import pickle
import select
import signal
import socket
import subprocess
import time
from contextlib import suppress
from typing import Any, Final

from proxops.applications.mission.flight_class import FlightClass
from proxops.applications.mission.flight_host import LATE, START_S
from proxops.applications.mission.flight_judgement import FlightSoftwareFailed
from proxops.applications.mission.flight_trace import LAST_FRAME, where_dumped
from proxops.core.child import child_command, child_environment
from proxops.core.datagram import Malformed
from proxops.core.errors import BadInput
from proxops.core.flight import Commands, Measurements
from proxops.core.flight_packet import PACKET_SIZE, pack_measurements_packet, unpack_commands_packet
from proxops.core.mission import MissionFile

LOAD_S: Final = 60.0  # for the interpreter, the user's imports and constructor
GRACE_S: Final = 0.5  # after the child's own timer
CLOSE_S: Final = 3.0  # for the software's close()
EXIT_S: Final = 0.5  # from the last word to the end
TOLD_S: Final = 1.0  # for the stack of a process that does not answer
REFUSAL: Final = {"what", "where", "value", "bound", "way_out"}  # of a ``BadInput``
CHILD: Final = "proxops.applications.mission.flight_child"
ASKED_WHERE: Final = signal.SIGUSR1  # the child's interpreter then writes its stack into the trace
EXIT_LINE_LOST: Final = 121  # of the child


class FlightProcess:
    """A flight software whose ``step`` asks the child. Times in s, wall clock."""

    watched: Final = True  # nobody else needs to set a timer

    def __init__(
        self, user: FlightClass, file: MissionFile, limit_s: float, start_s: float = START_S, load_s: float = LOAD_S
    ) -> None:
        """Starts the child and waits until the class is made with ``file``, what is known on board; ``BadInput`` if it cannot be.
        ``limit_s``: longest answer, ``start_s``: at least so long for the first."""
        self._limit_s, self._first_s = limit_s, max(limit_s, start_s)
        self._sequence = 0
        self._process, self._line, self._trace = _started()
        self._end = os.pidfd_open(self._process.pid)
        self._news, self._last_news = select.poll(), select.poll()
        self._news.register(self._line, select.POLLIN)
        for poll in (self._news, self._last_news):
            poll.register(self._end, select.POLLIN)
        try:
            # Not JSON: a mission read twice is not the same to the bit, its unit vectors are normalised again.
            with suppress(OSError):  # nobody there: told when the answer is waited for
                self._line.send(pickle.dumps((user, file, limit_s, start_s)))
            self._load(user, load_s)
        except BaseException:
            self._kill()
            raise

    @property
    def pid(self) -> int:
        return self._process.pid

    def step(self, measurements: Measurements) -> Commands:
        """Send, and wait for the answer; a child that gives none is killed and the cause told."""
        if self._process.returncode is not None:
            raise FlightSoftwareFailed("its process has ended")
        first, self._sequence = self._sequence == 0, self._sequence + 1
        limit_s = self._first_s if first else self._limit_s
        with suppress(OSError):  # nobody there: told when the answer is waited for
            self._line.send(pack_measurements_packet(self._sequence, measurements, start=first))
        data = self._receive(LATE * limit_s + GRACE_S)
        if data is None:
            raise self._lost(f"took longer than {limit_s:g} s{self._where()}")
        if not data:
            raise self._gone()
        return self._understood(data)

    def close(self) -> None:
        """Let the software's ``close`` have its turn, and end everything."""
        if self._process.returncode is not None:
            return
        try:
            with suppress(OSError):
                self._line.shutdown(socket.SHUT_WR)
            self._hear_the_last()
            self._last_news.poll(EXIT_S * 1e3)
        finally:
            self._kill()

    def _load(self, user: FlightClass, load_s: float) -> None:
        data = self._receive(load_s)
        if data is None:
            cause = f"took longer than {load_s:g} s{self._where()}"
        elif not data:
            cause = self._gone().cause
        else:
            words = _read(data)
            if words == {}:
                return
            if words is not None:
                raise BadInput(**words)
            cause = f"unreadable answer: {data[:40]!r}"
        raise BadInput(f"flight software cannot be loaded: {cause}", where=user.path)

    def _receive(self, limit_s: float) -> bytes | None:
        """The next packet; empty if the child has ended or closed its line, None if nothing comes in time."""
        events = self._news.poll(limit_s * 1e3)
        if not events:
            return None
        try:
            return self._line.recv(PACKET_SIZE, socket.MSG_DONTWAIT)  # a last word counts, even of one that has ended
        except OSError:
            return b""

    def _understood(self, data: bytes) -> Commands:
        try:
            answer = unpack_commands_packet(data)
        except Malformed as wrong:
            raise self._lost(f"unreadable answer: {wrong}") from None
        if answer.sequence != self._sequence:
            raise self._lost(f"unreadable answer: to cycle {answer.sequence}, not to {self._sequence}")
        if answer.failure is not None:
            raise FlightSoftwareFailed(answer.failure)
        return answer.commands

    def _hear_the_last(self) -> None:
        """Why ``close`` failed, if it did. Answers to a cycle that nobody waits for any more are passed over."""
        deadline = time.monotonic() + CLOSE_S
        while (left_s := deadline - time.monotonic()) > 0.0 and (data := self._receive(left_s)):
            with suppress(Malformed):
                answer = unpack_commands_packet(data)
                if answer.sequence == self._sequence + 1 and answer.failure:
                    raise FlightSoftwareFailed(answer.failure)
        if left_s <= 0.0 or data is None:
            raise FlightSoftwareFailed(f"took longer than {CLOSE_S:g} s{self._where()}")

    def _gone(self) -> FlightSoftwareFailed:
        """The line is dead: how the child ended, or that it goes on without us."""
        if not self._last_news.poll(EXIT_S * 1e3):
            return self._lost("closed its line to the simulation")
        dumped = self._dumped(0.0)
        code = self._kill()
        if code == EXIT_LINE_LOST:
            return FlightSoftwareFailed("closed its line to the simulation")
        if code >= 0:
            return FlightSoftwareFailed(f"ended with exit code {code}")
        hint = ", by hand or for want of memory" if -code == signal.SIGKILL else ""
        return FlightSoftwareFailed(f"killed by signal {-code} ({_signal_name(-code)}{hint}){where_dumped(dumped)}")

    def _lost(self, cause: str) -> FlightSoftwareFailed:
        self._kill()
        return FlightSoftwareFailed(cause)

    def _where(self) -> str:
        """The line at which a child that does not answer is, by its interpreter's own word; empty if it gives none."""
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._end, ASKED_WHERE)
        return where_dumped(self._dumped(TOLD_S))

    def _dumped(self, wait_s: float) -> str:
        """What stands in the trace. It is written in pieces: read up to its last frame, or as long as ``wait_s``."""
        found, end_s = b"", time.monotonic() + wait_s
        while LAST_FRAME not in found and len(found) < PACKET_SIZE:
            left_s = max(0.0, end_s - time.monotonic())
            if not select.select([self._trace], [], [], left_s)[0] or not (piece := os.read(self._trace, PACKET_SIZE)):
                break
            found += piece
        return found.decode(errors="replace")

    def _kill(self) -> int:
        """End the child and its whole group, before its number is given to somebody else; how it ended."""
        if self._process.returncode is None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)  # its session and group are its own
            self._process.wait()
            self._line.close()
            os.close(self._trace)
            os.close(self._end)
        return int(self._process.returncode)


def _started() -> tuple[subprocess.Popen[bytes], socket.socket, int]:
    """The child, our end of the line, and the trace to read from."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    trace, write = os.pipe()
    command = child_command(CHILD, theirs.fileno(), write)
    try:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, pass_fds=(theirs.fileno(), write), env=child_environment(), start_new_session=True
        )  # fmt: skip
    except BaseException:
        ours.close()
        os.close(trace)
        raise
    finally:
        theirs.close()
        os.close(write)
    ours.setblocking(False)
    return process, ours, trace


def _read(data: bytes) -> dict[str, Any] | None:
    """The fields of a refusal, none if the software is ready; None if the user's code has written something else."""
    try:
        words = json.loads(data)
    except ValueError:
        return None
    return words if isinstance(words, dict) and set(words) in (set(), REFUSAL) else None


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # a real-time signal has none
        return "no name"

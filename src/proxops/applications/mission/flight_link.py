"""Flight software on another computer: measurements go out over UDP, the commands come back; the simulation waits in between.

Lockstep: the answer to a datagram carries its sequence number, and nothing else counts. A datagram without an answer is sent
again with the same number, so that a lost one costs time and changes no result. Byte by byte: docs/flight_software.md.
"""

from __future__ import annotations

import socket
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from proxops.applications.mission.flight_judgement import FlightSoftwareFailed
from proxops.core.channel import LOOPBACK
from proxops.core.datagram import Malformed, Refusal
from proxops.core.errors import BadInput
from proxops.core.flight import Commands, Measurements
from proxops.core.flight_datagram import pack_measurements, unpack_commands

START_S: Final = 10.0  # for the other computer to come up
REPEAT_S: Final = 0.1
READ_SIZE: Final = 2048  # more than any datagram of ours
# What noise on the line looks like. Anything else wrong in a datagram is the computer's doing, and told.
DAMAGE: Final = (Refusal.MAGIC, Refusal.CRC)


@dataclass
class Ignored:
    """Datagrams that were passed over."""

    strangers: int = 0  # from another sender
    damaged: int = 0  # not ours, or a wrong CRC
    old: int = 0  # answers to a cycle that is over, or twice to this one

    @property
    def total(self) -> int:
        return self.strangers + self.damaged + self.old


class RemoteFlightSoftware:
    """A flight software whose ``step`` asks the computer at ``address``. Times in s, wall clock."""

    def __init__(self, address: tuple[str, int], wait_s: float, start_s: float = START_S) -> None:
        """``wait_s``: longest wait for an answer; ``start_s``: for the first one. Nothing is sent before the first step."""
        self._peer = _resolved(address)
        self._wait_s, self._start_s = wait_s, start_s
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind((_own_address(self._peer), 0))
        self._sequence = 0
        self._last: Measurements | None = None
        self.ignored = Ignored()
        self.repeated = 0  # datagrams sent again

    @property
    def address(self) -> tuple[str, int]:
        """Our own end."""
        host, port = self._socket.getsockname()
        return host, port

    def step(self, measurements: Measurements) -> Commands:
        """Send, and wait for the answer with the same sequence number."""
        self._sequence += 1
        self._last = measurements
        first = self._sequence == 1
        data = pack_measurements(self._sequence, measurements, start=first)
        commands = self._exchange(data, self._start_s if first else self._wait_s)
        if commands is None:
            raise FlightSoftwareFailed(self._silence(first))
        return commands

    def close(self) -> None:
        """Tell the computer that the flight is over; it need not answer."""
        if self._last is not None and self._socket.fileno() >= 0:
            with suppress(OSError):  # a courtesy: the computer finds out by the silence, too
                self._socket.sendto(pack_measurements(self._sequence + 1, self._last, end=True), self._peer)
        self._socket.close()

    def _exchange(self, data: bytes, limit_s: float) -> Commands | None:
        """The answer, or None when the time is over. Sends at once and again after each silence."""
        end_s = time.monotonic() + limit_s
        while True:
            self._send(data)
            pause_s = min(time.monotonic() + REPEAT_S, end_s)
            while (left_s := pause_s - time.monotonic()) > 0.0:
                commands = self._receive(left_s)
                if commands is not None:
                    return commands
            if time.monotonic() >= end_s:
                return None
            self.repeated += 1

    def _send(self, data: bytes) -> None:
        try:
            self._socket.sendto(data, self._peer)
        except OSError as error:
            host, port = self._peer
            raise FlightSoftwareFailed(f"cannot send to {host}:{port}: {error.strerror}") from None

    def _receive(self, left_s: float) -> Commands | None:
        """The next datagram if it is the answer; None if it is anything else or none comes in time."""
        self._socket.settimeout(left_s)
        try:
            data, sender = self._socket.recvfrom(READ_SIZE)
        except TimeoutError:
            return None
        if sender != self._peer:
            self.ignored.strangers += 1
            return None
        try:
            answer = unpack_commands(data)
        except Malformed as wrong:
            self._pass_over(wrong)
            return None
        if answer.sequence != self._sequence:
            self.ignored.old += 1
            return None
        if answer.failure is not None:
            raise FlightSoftwareFailed(f"the on-board computer reports: {answer.failure}")
        return answer.commands

    def _pass_over(self, wrong: Malformed) -> None:
        """A damaged or an old datagram is counted; one that is new, whole and wrong is the computer's failure."""
        if wrong.refusal in DAMAGE:
            self.ignored.damaged += 1
        elif wrong.refusal is not Refusal.VERSION and wrong.sequence != self._sequence:
            self.ignored.old += 1
        else:
            raise FlightSoftwareFailed(f"unreadable answer: {wrong}")

    def _silence(self, first: bool) -> str:
        host, port = self._peer
        i = self.ignored
        noise = f"; ignored: {i.strangers} of strangers, {i.damaged} damaged, {i.old} old" if i.total else ""
        if first:
            return f"no answer within {self._start_s:g} s from {host}:{port}: is the on-board computer running?{noise}"
        return f"no answer within {self._wait_s:g} s from {host}:{port}, cycle {self._sequence}{noise}"


def _resolved(address: tuple[str, int]) -> tuple[str, int]:
    """With the host as a number: senders are compared with it."""
    host, port = address
    try:
        return socket.gethostbyname(host), port
    except OSError:
        raise BadInput(
            "no such host", value=host, way_out="give a name or number that this machine can reach"
        ) from None


def _own_address(peer: tuple[str, int]) -> str:
    """Loopback for a computer on loopback, else the one interface that leads there: nobody from elsewhere gets in."""
    if peer[0].startswith("127."):
        return LOOPBACK
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(peer)  # sends nothing: only asks for the route
        except OSError as error:
            raise BadInput(f"no way to {peer[0]}", value=error.strerror, way_out="check the network") from None
        host: str = probe.getsockname()[0]
        return host

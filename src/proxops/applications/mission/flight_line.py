"""The line to a flight software on another computer: one UDP socket, the datagrams of ``core/flight_datagram.py``.

Who is not the computer, and what is damaged, is counted here and goes no further. Whether an answer is one that somebody waits
for is for the two who use the line: one waits for each answer (``flight_link.py``), one for none (``flight_free_running.py``).
"""

from __future__ import annotations

import socket
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from proxops.applications.mission.flight_judgement import FlightSoftwareFailed
from proxops.core.channel import LOOPBACK
from proxops.core.datagram import Malformed, Refusal
from proxops.core.errors import BadInput
from proxops.core.flight import Commands
from proxops.core.flight_datagram import CommandsReceived, unpack_commands

START_S: Final = 10.0  # for the other computer to come up
READ_SIZE: Final = 2048  # more than any datagram of ours
# What noise on the line looks like. Anything else wrong in a datagram is the computer's doing, and told.
DAMAGE: Final = (Refusal.MAGIC, Refusal.CRC)

Heard = CommandsReceived | Malformed


@dataclass
class Ignored:
    """Datagrams that were passed over."""

    strangers: int = 0  # from another sender
    damaged: int = 0  # not ours, or a wrong CRC
    old: int = 0  # answers to a cycle that is over or never was, or twice to one

    @property
    def total(self) -> int:
        return self.strangers + self.damaged + self.old

    def __str__(self) -> str:
        """As a failure tells it behind its cause; nothing if there is none."""
        told = f"; ignored: {self.strangers} of strangers, {self.damaged} damaged, {self.old} old"
        return told if self.total else ""


class FlightLine:
    """Our end of the line to the computer at ``address``."""

    def __init__(self, address: tuple[str, int]) -> None:
        self.peer = _resolved(address)
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind((_own_address(self.peer), 0))
        self.ignored = Ignored()

    @property
    def address(self) -> tuple[str, int]:
        """Our own end."""
        host, port = self._socket.getsockname()
        return host, port

    def send(self, data: bytes) -> None:
        try:
            self._socket.sendto(data, socket.MSG_DONTWAIT, self.peer)
        except BlockingIOError:
            pass  # no room in the socket: as good as lost on the way
        except OSError as error:
            host, port = self.peer
            raise FlightSoftwareFailed(f"cannot send to {host}:{port}: {error.strerror}") from None

    def read(self, timeout_s: float) -> Heard | None:
        """The next datagram of the computer: an answer, or what is wrong with one that is whole. None: a stranger's or a
        damaged one, which is counted. ``TimeoutError``: none has come; with 0 s it does not wait."""
        self._socket.settimeout(timeout_s)
        try:
            data, sender = self._socket.recvfrom(READ_SIZE)
        except BlockingIOError:
            raise TimeoutError from None
        if sender != self.peer:
            self.ignored.strangers += 1
            return None
        try:
            return unpack_commands(data)
        except Malformed as wrong:
            if wrong.refusal not in DAMAGE:
                return wrong
            self.ignored.damaged += 1
            return None

    def close(self, farewell: bytes | None) -> None:
        """With a last datagram, if there is one to send: it need not arrive."""
        if farewell is not None and self._socket.fileno() >= 0:
            with suppress(OSError):  # a courtesy: the computer finds out by the silence, too
                self._socket.sendto(farewell, self.peer)
        self._socket.close()


def of_another_version(heard: Heard) -> bool:
    """Then its sequence number means nothing."""
    return isinstance(heard, Malformed) and heard.refusal is Refusal.VERSION


def commands_of(heard: Heard) -> Commands:
    """Of an answer that counts; ``FlightSoftwareFailed`` if it has none."""
    if isinstance(heard, Malformed):
        raise FlightSoftwareFailed(f"unreadable answer: {heard}")
    if heard.failure is not None:
        raise FlightSoftwareFailed(f"the on-board computer reports: {heard.failure}")
    return heard.commands


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

"""Flight software on another computer: measurements go out over UDP, the commands come back; the simulation waits in between.

Lockstep: the answer to a datagram carries its sequence number, and nothing else counts. A datagram without an answer is sent
again with the same number, so that a lost one costs time and changes no result. Byte by byte: docs/flight_software.md.
"""

from __future__ import annotations

import time
from typing import Final

from proxops.applications.mission.flight_judgement import FlightSoftwareFailed
from proxops.applications.mission.flight_line import START_S, FlightLine, Ignored, commands_of, of_another_version
from proxops.core.flight import Commands, Measurements
from proxops.core.flight_datagram import pack_measurements

REPEAT_S: Final = 0.1


class RemoteFlightSoftware:
    """A flight software whose ``step`` asks the computer at ``address``. Times in s, wall clock."""

    def __init__(self, address: tuple[str, int], wait_s: float, start_s: float = START_S) -> None:
        """``wait_s``: longest wait for an answer; ``start_s``: for the first one. Nothing is sent before the first step."""
        self._line = FlightLine(address)
        self._wait_s, self._start_s = wait_s, start_s
        self._sequence = 0
        self._last: Measurements | None = None
        self.repeated = 0  # datagrams sent again

    @property
    def address(self) -> tuple[str, int]:
        """Our own end."""
        return self._line.address

    @property
    def ignored(self) -> Ignored:
        """Datagrams that were passed over."""
        return self._line.ignored

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
        last = self._last
        self._line.close(None if last is None else pack_measurements(self._sequence + 1, last, end=True))

    def _exchange(self, data: bytes, limit_s: float) -> Commands | None:
        """The answer, or None when the time is over. Sends at once and again after each silence."""
        end_s = time.monotonic() + limit_s
        while True:
            self._line.send(data)
            pause_s = min(time.monotonic() + REPEAT_S, end_s)
            while (left_s := pause_s - time.monotonic()) > 0.0:
                commands = self._receive(left_s)
                if commands is not None:
                    return commands
            if time.monotonic() >= end_s:
                return None
            self.repeated += 1

    def _receive(self, left_s: float) -> Commands | None:
        """The next datagram if it is the answer; None if it is anything else or none comes in time. An old one is counted; one
        that is new, whole and wrong is the computer's failure."""
        try:
            heard = self._line.read(left_s)
        except TimeoutError:
            return None
        if heard is None:
            return None
        if heard.sequence != self._sequence and not of_another_version(heard):
            self.ignored.old += 1
            return None
        return commands_of(heard)

    def _silence(self, first: bool) -> str:
        host, port = self._line.peer
        if first:
            return f"no answer within {self._start_s:g} s from {host}:{port}: is the on-board computer running?{self.ignored}"
        return f"no answer within {self._wait_s:g} s from {host}:{port}, cycle {self._sequence}{self.ignored}"

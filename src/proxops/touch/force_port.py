"""A user's own force sensor over UDP: its readings (core/force_datagram.py) behind the same face as the virtual sensor.

Nothing here waits. Readings are handed out once each (``arrived``), or the newest alone (``latest``); what comes late or twice is
dropped and counted. The first sender of a good
datagram is the sensor until ``reset``; others are strangers. The sensor's clock is tied to ours once, at its first datagram:
from then on its own times count, so that jitter on the line does not get into them. A sensor that restarts counts from
zero again and is old until ``reset``: the watch calls that a lost cable, which is what it is.
"""

from __future__ import annotations

import socket
from collections import deque
from typing import Final

import numpy as np

from proxops.core.datagram import LEAP_MAX, Malformed, Refusal
from proxops.core.errors import BadInput
from proxops.core.force_datagram import SIZE, ForceReading, unpack_force
from proxops.core.force_source import ForceSample

LOOPBACK: Final = ("127.0.0.1", 0)
DRAIN_LIMIT: Final = 256  # datagrams read per call at most: bounded work whatever arrives
Address = tuple[str, int]


class ForcePort:
    """One UDP socket, or none where a test hands datagrams to ``take``. Port 0: any free one, see ``address``."""

    def __init__(self, bind: Address | None = LOOPBACK) -> None:
        self._socket = _opened(bind) if bind else None
        self.address: Address = self._socket.getsockname() if self._socket else ("", 0)
        self.taken = 0  # good readings, newest when they came
        self.missed = 0  # numbers that never came, or came too late
        self.old = 0  # dropped: overtaken on the way
        self.doubled = 0  # dropped: the same number again
        self.strangers = 0  # dropped: from another sender
        self.refused = dict.fromkeys(Refusal, 0)  # dropped: malformed, by what was wrong
        self.last_refusal = ""
        self.reset()

    def reset(self) -> None:
        """Forget sender, times and numbers: after the sensor was started anew. Counters stay."""
        self.sender: Address | None = None
        self._sample: ForceSample | None = None
        self._arrived: deque[ForceSample] = deque(maxlen=DRAIN_LIMIT)
        self._first_ns, self._first_t = 0, 0.0

    def latest(self, t: float) -> ForceSample | None:
        """Read what has come by now, ``t`` s on our clock; the newest reading, None before the first."""
        self._drain(t)
        return self._sample

    def arrived(self, t: float) -> tuple[ForceSample, ...]:
        """Likewise, but all readings since the last call, oldest first; of very many the newest."""
        self._drain(t)
        out = tuple(self._arrived)
        self._arrived.clear()
        return out

    def _drain(self, t: float) -> None:
        for _ in range(DRAIN_LIMIT if self._socket else 0):
            assert self._socket is not None
            try:
                data, sender = self._socket.recvfrom(SIZE + 1)
            except BlockingIOError:
                break
            except ConnectionError:  # an answer of the operating system to something else: no datagram
                continue
            self.take(data, t, sender)

    def take(self, data: bytes, t: float, sender: Address = ("", 0)) -> None:
        """One datagram that has arrived at ``t``."""
        try:
            reading = unpack_force(data)
        except Malformed as error:
            self.refused[error.refusal] += 1
            self.last_refusal = str(error)
            return
        if self.sender is not None and sender != self.sender:
            self.strangers += 1
        elif self._sample is None:
            self.sender = sender
            self._first_ns, self._first_t = reading.measured_ns, t
            self._keep(reading)
        elif reading.sequence > self._sample.sequence + LEAP_MAX:
            self.refused[Refusal.LEAP] += 1
            self.last_refusal = f"seq {reading.sequence}: more than {LEAP_MAX} ahead of {self._sample.sequence}"
        elif reading.sequence > self._sample.sequence:
            self.missed += reading.sequence - self._sample.sequence - 1
            self._keep(reading)
        elif reading.sequence == self._sample.sequence:
            self.doubled += 1
        else:
            self.old += 1

    def close(self) -> None:
        """Give the port back."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def _keep(self, reading: ForceReading) -> None:
        t = self._first_t + (reading.measured_ns - self._first_ns) * 1e-9  # whole numbers first: no digits are lost
        self._sample = ForceSample(t, np.array(reading.wrench), reading.sequence)
        self._arrived.append(self._sample)
        self.taken += 1


def _opened(bind: Address) -> socket.socket:
    opened = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    try:
        opened.bind(bind)
    except (OSError, OverflowError) as error:
        opened.close()
        raise BadInput(f"cannot open the force port: {error}", value=f"{bind[0]}:{bind[1]}") from None
    opened.setblocking(False)
    return opened

"""The bridge's end of the network: packets of one master in, a status every cycle out.

Datagrams come from a UDP socket or, in lockstep, from whoever calls ``take``: the same checks, the same counters. The first
sender of a good packet is master until it has been silent for two seconds; others are refused by name.
"""

from __future__ import annotations

import socket
import time
from collections import deque
from typing import Final

import numpy as np

from proxops.bridge.input_filter import Sample
from proxops.bridge.relative import relative_sample
from proxops.core.bridge_datagram import (
    COMMAND_MAGIC,
    SUN_VALID,
    VALUES,
    VALUES_AT,
    VELOCITIES_VALID,
    finish_status,
    for_others,
    unpack_command,
    unpack_head,
)
from proxops.core.datagram import Malformed, Refusal
from proxops.core.errors import BadInput
from proxops.core.vocabulary import Severity
from proxops.facility.sync import Address, Tell

DRAIN_LIMIT: Final = 512  # datagrams read per cycle, at most, and
DRAIN_NS: Final = 1_200_000  # time spent on reading them: bounded work whatever arrives
TAKEN_LIMIT: Final = 64  # good packets handed on per cycle: the newest
BUFFER_BYTES: Final = 1 << 20
MASTER_PATIENCE: Final = 500  # cycles of silence after which the master's place is free
REFUSED_ANSWERS: Final = 4  # statuses per cycle to senders that are not master
NAME_EVERY: Final = 250  # cycles between two tellings of the same kind of refusal
LOCKSTEP: Final[Address] = ("lockstep", 0)


class BridgePort:
    """One UDP socket (or none, in lockstep) and the state of the exchange with the client."""

    def __init__(self, bind: Address | None, tell: Tell, scale: float = 1.0) -> None:
        self._socket = self._open(bind) if bind else None
        self.address: Address = self._socket.getsockname() if self._socket else LOCKSTEP
        self._tell, self.scale = tell, scale
        self._told: dict[str, int] = {}
        self._cycle = 0
        self._refused_now: list[tuple[Address, Refusal]] = []
        self.samples: deque[Sample] = deque(maxlen=TAKEN_LIMIT)  # of this cycle
        self.counts = dict.fromkeys(Refusal, 0)
        self.refused = 0  # datagrams that were not taken, of every kind
        self.flooded = 0
        self.master: Address | None = None
        self.silent_cycles = 0
        self._sent_ns = -(2**63)  # of the newest packet, by the client's clock
        self.unsent = 0  # statuses that could not be sent

    @staticmethod
    def _open(bind: Address) -> socket.socket:
        opened = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            opened.bind(bind)
        except OSError as error:
            opened.close()
            raise BadInput(f"cannot open the bridge: {error.strerror}", value=f"{bind[0]}:{bind[1]}") from None
        opened.setblocking(False)
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER_BYTES)
        return opened

    def begin_cycle(self) -> None:
        """Forget the last cycle's packets and read what has come since."""
        self._cycle += 1
        self.silent_cycles = 0 if self.samples else self.silent_cycles + 1
        self.samples.clear()
        self._refused_now.clear()
        if self.master and self.silent_cycles > MASTER_PATIENCE:
            self._tell(Severity.INFO, "bridge.client", f"client {_name(self.master)} silent: its place is free")
            self.master = None
        if self._socket:
            self._drain(self._socket)

    def _drain(self, opened: socket.socket) -> None:
        began = time.monotonic_ns()
        for count in range(DRAIN_LIMIT):
            try:
                data, sender = opened.recvfrom(2048)
            except (BlockingIOError, InterruptedError):
                return
            except ConnectionError:  # a status met a closed port (ICMP): silence will tell
                continue
            self.take(data, sender)
            if count % 16 == 15 and time.monotonic_ns() - began > DRAIN_NS:
                break
        self.flooded += 1
        if self._due("flood"):
            text = f"more datagrams than one cycle reads ({self.flooded} such cycles so far)"
            self._tell(Severity.WARNING, "bridge.flood", text)

    def take(self, data: bytes, sender: Address = LOCKSTEP) -> None:
        """Sort one datagram: taken, or refused with a reason."""
        if data[:4] != COMMAND_MAGIC:  # by far the cheapest test, for floods of anything; it gets no answer
            self._refuse(Refusal.MAGIC, f"{len(data)} bytes that are no command", sender, answer=False)
            return
        if self.master and sender != self.master:
            self._refuse(Refusal.NOT_MASTER, f"{_name(self.master)} is master", sender)
            return
        try:
            sample = sample_of(data, self.scale)
        except Malformed as error:
            self._refuse(error.refusal, str(error), sender)
            return
        if self.master is None:
            self.master, self._sent_ns = sender, sample.sent_ns
            self._tell(Severity.INFO, "bridge.client", f"client {_name(sender)} has the bridge")
        if sample.sent_ns < self._sent_ns and self._due("time"):
            text = f"seq {sample.sequence}: its clock runs backwards by {(self._sent_ns - sample.sent_ns) * 1e-9:.3f} s"
            self._tell(Severity.WARNING, "bridge.time", text)
        self._sent_ns = sample.sent_ns
        self.samples.append(sample)

    def _refuse(self, refusal: Refusal, text: str, sender: Address, answer: bool = True) -> None:
        self.counts[refusal] += 1
        self.refused += 1
        if answer and len(self._refused_now) < REFUSED_ANSWERS:
            self._refused_now.append((sender, refusal))
        if self._due(refusal.name):
            name = f"bridge.{refusal.name.lower()}"
            self._tell(Severity.WARNING, name, f"{_name(sender)}: {text} (number {self.counts[refusal]} of its kind)")

    def _due(self, name: str) -> bool:
        if self._cycle - self._told.get(name, -NAME_EVERY) < NAME_EVERY:
            return False
        self._told[name] = self._cycle
        return True

    @property
    def listening(self) -> bool:
        """Someone is there to be answered."""
        return self._socket is not None and (self.master is not None or bool(self._refused_now))

    def answer(self, body: bytes) -> None:
        """The status of this cycle (without address) to the master and to some of those that were refused; never blocks."""
        if self.master and self.master is not LOCKSTEP:
            self._send(finish_status(body, True, self.refusal), self.master)
        for sender, refusal in self._refused_now:
            if sender != self.master:
                self._send(finish_status(for_others(body), False, refusal), sender)

    @property
    def refusal(self) -> Refusal:
        """Why the master's datagram of this cycle was not taken, if so."""
        return next(
            (refusal for sender, refusal in self._refused_now if sender in (self.master, LOCKSTEP)), Refusal.NONE
        )

    def _send(self, data: bytes, to: Address) -> None:
        assert self._socket is not None
        try:
            self._socket.sendto(data, to)
        except OSError:  # the client is gone or the buffer full: its silence will be noticed
            self.unsent += 1

    def close(self) -> None:
        if self._socket:
            self._socket.close()


def _name(address: Address) -> str:
    return f"{address[0]}:{address[1]}"


def sample_of(data: bytes, scale: float) -> Sample:
    """What a datagram says, positions subtracted before anything else. One that a kernel's glance does not pass is read again,
    slowly, to say what is wrong with it."""
    sequence, sent_ns, flags = unpack_head(data)
    out, with_velocity = np.empty(20), bool(flags & VELOCITIES_VALID)
    good = relative_sample(np.frombuffer(data, "<f8", VALUES, VALUES_AT), with_velocity, scale, out)
    sun = None
    if not good or flags & SUN_VALID:
        told = unpack_command(data).sun
        sun = None if told is None else np.array(told)
    return Sample(sequence, sent_ns, out[0:7], out[7:14], out[14:20] if with_velocity else None, sun)

"""The bridge on the network: packets of one master in, a status every cycle out.

Datagrams come from a UDP socket or, in lockstep, from whoever calls ``take``: the same checks, the same counters. One client has
the place (client_place.py); others are refused by name. Under a key only what its holders have made is looked into.
"""

from __future__ import annotations

import socket
from collections import deque
from collections.abc import Callable
from typing import Final

import numpy as np

from proxops.bridge.arrivals import Arrivals
from proxops.bridge.client_place import LOCKSTEP, ClientPlace, name_of
from proxops.bridge.input_filter import SEEN, TAKEN_LIMIT
from proxops.bridge.relative import relative_sample
from proxops.bridge.roles import exchange_values
from proxops.bridge.sample import PacketBlock, Sample
from proxops.core.authenticator import NO_SESSION, UNPROVEN, Authenticator
from proxops.core.bridge_datagram import (
    COMMAND_MAGIC,
    COMMAND_SIZE,
    SUN_VALID,
    VALUES,
    VALUES_AT,
    VELOCITIES_VALID,
    finish_status,
    for_others,
    unpack_command,
    unpack_head,
)
from proxops.core.channel import Address
from proxops.core.datagram import LEAP_MAX, Malformed, Refusal
from proxops.core.drain import drain, flush
from proxops.core.errors import BadInput
from proxops.core.keyed_datagram import BRIDGE_LABEL, is_keyed
from proxops.core.vocabulary import Severity, Tell

DRAIN_LIMIT: Final = 512  # datagrams read per cycle, at most, and
DRAIN_NS: Final = 1_200_000  # time spent on reading them: bounded work whatever arrives
DRAIN_LOOK: Final = 16  # datagrams between two looks at the clock
BUFFER_BYTES: Final = 1 << 20
REFUSED_ANSWERS: Final = 4  # statuses per cycle to senders that are not master
NAME_EVERY_NS: Final = 1_000_000_000  # between two tellings of the same kind of refusal
FLOODS: Final = (Refusal.MAGIC, Refusal.KEY)  # what costs nothing to send must cost next to nothing here
NOT_ANSWERED: Final = frozenset({Refusal.MAGIC, Refusal.CODE, Refusal.OLD_SEQUENCE})  # of whom nobody knows who it is


class BridgePort:
    """One UDP socket (or none, in lockstep) and the state of the exchange with the client. ``timeout_ns``: silence after which a
    client is gone, and packets that waited are old. ``ask``: new clients need the operator. ``exchanged``: see ``roles``."""

    def __init__(
        self, bind: Address | None, tell: Tell, scale: float = 1.0, *, timeout_ns: int = 100_000_000, ask: bool = True,
        key: bytes | None = None, exchanged: bool = False,
    ) -> None:  # fmt: skip
        self._keys = Authenticator(key, BRIDGE_LABEL, COMMAND_SIZE, SEEN, timeout_ns) if key else None
        self._socket = self._open(bind) if bind else None
        self.address: Address = self._socket.getsockname() if self._socket else LOCKSTEP
        self._tell, self.scale, self.exchanged, self._timeout_ns = tell, scale, exchanged, timeout_ns
        self.place = ClientPlace(tell, ask, timeout_ns)
        self._told: dict[str, int] = {}
        self._now_ns = -1
        self._refused_now: list[tuple[Address, Refusal, int]] = []  # and their session
        self._session = NO_SESSION  # of the master
        self.samples: deque[Sample] = deque(maxlen=TAKEN_LIMIT)  # of this cycle
        self.counts = dict.fromkeys(Refusal, 0)
        self.refused = 0  # datagrams that were not taken, of every kind
        self.flooded = 0
        self._sent_ns = 0  # of the newest packet, by the client's clock
        self.unsent = 0  # statuses that could not be sent
        self.arrivals: Arrivals | None = None  # in the cycles to come: lockstep may know

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

    @property
    def master(self) -> Address | None:
        """Who has the place."""
        return self.place.master

    def poll(self, now_ns: int, selected: bool = True) -> None:
        """Forget the last cycle's packets and read what has come since. ``selected``: the bridge has the hall."""
        stood_ns = now_ns - self._now_ns if self._now_ns >= 0 else 0
        self._now_ns = now_ns
        self.samples.clear()
        self._refused_now.clear()
        freed = self.place.begin_cycle(now_ns, selected)
        if self._keys:
            self._keys.begin_cycle()
            if freed:
                self._keys.renew()
        if self._socket:
            if stood_ns > self._timeout_ns:
                self._drop_waiting(self._socket, stood_ns)
            if drain(self._socket, self.take, DRAIN_LIMIT, DRAIN_NS, DRAIN_LOOK):
                self._flood()

    def _drop_waiting(self, opened: socket.socket, stood_ns: int) -> None:
        """The facility itself stood still: what waited in the socket is older than the time-out, or nobody can tell."""
        dropped = flush(opened)
        self.counts[Refusal.OLD_SEQUENCE] += dropped
        self.refused += dropped
        text = f"{dropped} datagrams waited while the facility stood still for {stood_ns * 1e-9:.3f} s: dropped"
        self._tell(Severity.WARNING, "bridge.stall", text)

    def _flood(self) -> None:
        """More came than one cycle reads; the rest waits or is dropped by the system, and the cycle keeps its time."""
        self.flooded += 1
        if self._due("flood"):
            text = f"more datagrams than one cycle reads ({self.flooded} such cycles so far)"
            self._tell(Severity.WARNING, "bridge.flood", text)

    def take(self, data: bytes, sender: Address = LOCKSTEP) -> None:
        """Sort one datagram: taken, or refused with a reason."""
        if data[:4] != COMMAND_MAGIC:  # by far the cheapest test, for floods of anything; it gets no answer
            self._refuse(Refusal.MAGIC, sender, NO_SESSION, lambda: f"{len(data)} bytes that are no command")
            return
        session = NO_SESSION
        if self._keys:
            refusal, session = self._keys.judge(data, self._now_ns)
            if refusal is not Refusal.NONE:
                self._refuse(refusal, sender, session, lambda: UNPROVEN[refusal])
                return
            data = data[:COMMAND_SIZE]
        elif is_keyed(data, COMMAND_SIZE):
            self._refuse(Refusal.KEY, sender, NO_SESSION, lambda: "a code, but this facility has no key (--key-file)")
            return
        if self.place.taken_from(sender):
            self._refuse(Refusal.NOT_MASTER, sender, session, lambda: f"{self._master_name} is master")
            return
        try:
            sample = sample_of(data, self.scale, self.exchanged)
        except Malformed as error:
            text = str(error)
            self._refuse(error.refusal, sender, session, lambda: text)
            return
        self._keep(sample, sender, session)

    def _keep(self, sample: Sample, sender: Address, session: int) -> None:
        """A good packet of whoever has the place, or comes to it."""
        if self.place.leaps(sender, sample.sequence):
            text = f"seq {sample.sequence}: more than {LEAP_MAX} ahead of the newest"
            self._refuse(Refusal.LEAP, sender, session, lambda: text)
            return
        came = sender != self.master
        moves = self.place.take(sender, sample.sequence, session != NO_SESSION)
        if not came and sample.sent_ns < self._sent_ns and self._due("time"):
            text = f"seq {sample.sequence}: its clock runs backwards by {(self._sent_ns - sample.sent_ns) * 1e-9:.3f} s"
            self._tell(Severity.WARNING, "bridge.time", text)
        self._sent_ns, self._session = sample.sent_ns, session
        if moves:
            self.samples.append(sample)

    # ------------------------------------------------------------------ cycles that pass in one call
    @property
    def alone(self) -> bool:
        """Nothing can come but what is handed in."""
        return self._socket is None and self._keys is None

    def foreseen(self, most: int) -> int:
        """For how many cycles, up to ``most``, it is known what arrives, and nothing is to be said of it."""
        if self.arrivals is None or self.master != LOCKSTEP or self.place.waiting:
            return 0
        return self.arrivals.in_order(self.place.newest, self._sent_ns, most)

    def hear(self, packets: PacketBlock, first_ns: int, period_ns: int) -> None:
        """These came, in order: as ``poll`` and ``take`` would leave it."""
        last = packets.cycles - 1
        came = int(packets.begins.searchsorted(packets.begins[-1])) - 1  # the last cycle with a packet
        for k in sorted({max(came, 0), last}):
            self.poll(first_ns + k * period_ns)
            for sample in packets.of(k):
                self._keep(sample, LOCKSTEP, NO_SESSION)

    def _refuse(self, refusal: Refusal, sender: Address, session: int, text: Callable[[], str]) -> None:
        """Count, and now and then tell. Who has not proven to hold the key is answered as rarely."""
        self.counts[refusal] += 1
        self.refused += 1
        due = self._due(refusal.name)
        if not due and refusal in FLOODS:
            return
        unproven = refusal in NOT_ANSWERED or (refusal is Refusal.CHALLENGE and not session)
        if not unproven and len(self._refused_now) < REFUSED_ANSWERS:
            self._refused_now.append((sender, refusal, session))
        if due:
            name = f"bridge.{refusal.name.lower()}"
            self._tell(
                Severity.WARNING, name, f"{name_of(sender)}: {text()} (number {self.counts[refusal]} of its kind)"
            )

    def _due(self, name: str) -> bool:
        told_ns = self._told.get(name)
        if told_ns is not None and self._now_ns - told_ns < NAME_EVERY_NS:
            return False
        self._told[name] = self._now_ns
        return True

    @property
    def _master_name(self) -> str:
        return name_of(self.master) if self.master else "nobody"

    @property
    def listening(self) -> bool:
        """Someone is there to be answered."""
        return self._socket is not None and (self.master is not None or bool(self._refused_now))

    def answer(self, body: bytes) -> None:
        """The status of this cycle (without address) to the master and to some of those that were refused; never blocks."""
        if self.master and self.master != LOCKSTEP:
            self._send(self._sealed(finish_status(body, True, self.refusal), self._session), self.master)
        for sender, refusal, session in self._refused_now:
            if refusal is Refusal.CHALLENGE:
                if self._keys and session:
                    self._send(self._keys.tell_challenge(session), sender)
            elif sender != self.master:
                self._send(self._sealed(finish_status(for_others(body), False, refusal), session), sender)

    def _sealed(self, status: bytes, session: int) -> bytes:
        return self._keys.seal(status, session) if self._keys and session else status

    @property
    def refusal(self) -> Refusal:
        """Why the master's datagram of this cycle was not taken, if so."""
        return next(
            (refusal for sender, refusal, _ in self._refused_now if sender in (self.master, LOCKSTEP)), Refusal.NONE
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


def sample_of(data: bytes, scale: float, exchanged: bool = False) -> Sample:
    """What a datagram says, positions subtracted before anything else. One that a kernel's glance does not pass is read again,
    slowly, to say what is wrong with it."""
    sequence, sent_ns, flags = unpack_head(data)
    values = np.frombuffer(data, "<f8", VALUES, VALUES_AT)
    if exchanged:
        told, values = values, np.empty(VALUES)
        exchange_values(told, values)
    out, with_velocity, with_sun = np.empty(20), bool(flags & VELOCITIES_VALID), bool(flags & SUN_VALID)
    if not relative_sample(values, with_velocity, with_sun, scale, out):
        unpack_command(data)  # says what is wrong
    sun = values[26:29] if with_sun else None
    return Sample(sequence, sent_ns, out[0:7], out[7:14], out[14:20] if with_velocity else None, sun)

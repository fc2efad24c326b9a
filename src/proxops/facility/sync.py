"""Synchronous interface: UDP commands every 4 ms from one master, each answered in the same cycle.

Sockets are drained every tick without blocking; the newest good command of the master counts. Whatever cannot be taken is
counted, named once (then rarely), and answered with the reason where the sender speaks our format.
"""

from __future__ import annotations

import socket
from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.authenticator import NO_SESSION, UNPROVEN, Authenticator
from proxops.core.channel import Address
from proxops.core.clock import STALL_NS
from proxops.core.datagram import (
    COMMAND_MAGIC,
    COMMAND_SIZE,
    LEAP_MAX,
    Answer,
    Command,
    Malformed,
    Refusal,
    pack_answer,
    unpack_command,
)
from proxops.core.drain import drain, flush
from proxops.core.errors import BadInput
from proxops.core.keyed_datagram import SYNC_LABEL, is_keyed
from proxops.core.vocabulary import Mode, Severity, Tell
from proxops.lab.coordinates import NOT_FINITE, NOT_UNIT, OK, check_values
from proxops.lab.trajectory import explain_values

DRAIN_LIMIT: Final = 1024  # datagrams read per tick, at most, and
DRAIN_NS: Final = 1_500_000  # time spent on reading them: bounded work whatever arrives
DRAIN_LOOK: Final = 32  # datagrams between two looks at the clock
REFUSED_ANSWERS: Final = 8  # answers per tick to what was not taken
BUFFER_BYTES: Final = 4 << 20  # asked of the system for what waits between two ticks
MASTER_PATIENCE_NS: Final = 2_000_000_000  # a master that is silent for longer outside a run gives up its place
NAME_EVERY_NS: Final = 1_000_000_000  # between two tellings of the same kind of refusal
FLOODS: Final = (Refusal.MAGIC, Refusal.KEY)  # what costs nothing to send must cost next to nothing here
NOT_ANSWERED: Final = frozenset({Refusal.MAGIC, Refusal.CODE})  # of whom nobody knows who it is


class SyncPort:
    """One UDP socket and the state of the exchange with the master. Silence is counted by the clock of whoever polls."""

    def __init__(self, bind: Address, tell: Tell, key: bytes | None = None, stall_ns: int = STALL_NS) -> None:
        # A facility that stood still for longer drops what waited: it is old, or nobody can tell.
        self._stall_ns = stall_ns
        self._keys = Authenticator(key, SYNC_LABEL, COMMAND_SIZE) if key else None
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            self._socket.bind(bind)
        except OSError as error:
            raise BadInput(
                f"cannot open the synchronous interface: {error.strerror}", value=f"{bind[0]}:{bind[1]}"
            ) from None
        self._socket.setblocking(False)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER_BYTES)
        self.address: Address = self._socket.getsockname()
        self._tell = tell
        self._told: dict[str, int] = {}
        self._now_ns = -1
        self._selected = False  # this interface has the hall, in the present tick
        self._pending: list[tuple[Address, int, int, int, Refusal, int]] = []
        self.counts = dict.fromkeys(Refusal, 0)
        self.flooded = 0
        self.values = np.zeros(22)
        self.forget()

    def forget(self) -> None:
        """No master, no command: after deselection or when the master has been silent for long."""
        self.master: Address | None = None
        self.command: Command | None = None
        self._heard_ns = self._now_ns
        self.fresh = False
        self.bad: tuple[Refusal, str] | None = None
        self.steps = 1  # sequence numbers since the command before
        if self._keys:
            self._keys.renew()

    @property
    def silent_ns(self) -> int:
        """Since the newest command that was taken."""
        return self._now_ns - self._heard_ns

    def poll(self, selected: bool, running: bool, now_ns: int) -> None:
        """Read what has come since the last tick. ``now_ns``: the tick's time."""
        stood_ns = now_ns - self._now_ns if self._now_ns >= 0 else 0
        if self._now_ns < 0:
            self._heard_ns = now_ns
        self._now_ns = now_ns
        if self._keys:
            self._keys.begin_cycle()
        if stood_ns > self._stall_ns:
            self._drop_waiting(stood_ns)
        self.fresh, self.bad, self.steps = False, None, 0
        self._selected = selected
        read = drain(self._socket, self._take, DRAIN_LIMIT, DRAIN_NS, DRAIN_LOOK)
        if read:
            self._flood(read)
        if self.fresh:
            self._heard_ns = now_ns
        if self.master and not running and self.silent_ns > MASTER_PATIENCE_NS:
            silent_s = MASTER_PATIENCE_NS * 1e-9
            text = f"master {self.master[0]}:{self.master[1]} silent for {silent_s:.0f} s: its place is free"
            self._tell(Severity.INFO, "sync", text)
            self.forget()

    def _drop_waiting(self, stood_ns: int) -> None:
        dropped = flush(self._socket)
        self.counts[Refusal.OLD_SEQUENCE] += dropped
        text = f"{dropped} datagrams waited while the facility stood still for {stood_ns * 1e-9:.3f} s: dropped"
        self._tell(Severity.WARNING, "sync.stall", text)

    def _take(self, data: bytes, sender: Address) -> None:
        """Sort one datagram: taken, or refused with a reason."""
        if data[:4] != COMMAND_MAGIC:  # by far the cheapest test, for floods of anything; it gets no answer
            self._refuse(Refusal.MAGIC, f"{len(data)} bytes that are no command", sender)
            return
        session = NO_SESSION
        if self._keys:
            refusal, session = self._keys.judge(data, self._now_ns)
            if refusal is not Refusal.NONE:
                self._refuse(refusal, UNPROVEN[refusal], sender, session=session)
                return
            data = data[:COMMAND_SIZE]
        elif is_keyed(data, COMMAND_SIZE):
            self._refuse(Refusal.KEY, "a code, but this facility has no key (--key-file)", sender)
            return
        self._take_plain(data, sender, session)

    def _take_plain(self, data: bytes, sender: Address, session: int) -> None:
        try:
            command = unpack_command(data)
        except Malformed as error:
            self._refuse(error.refusal, str(error), sender, error.sequence, session=session)
            if sender == self.master and error.refusal is Refusal.MODE_WORD:
                self.bad = (error.refusal, str(error))
            return
        refusal, text = self._objection(command, sender)
        if refusal is not Refusal.NONE:
            self._refuse(refusal, text, sender, command.sequence, command.sent_utc_ns, command.system, session)
            return
        if self.command:
            self.steps += command.sequence - self.command.sequence
        self.master, self.command, self.fresh = sender, command, True
        self.values[:] = command.values
        self._pending.append((sender, command.sequence, command.sent_utc_ns, command.system, Refusal.NONE, session))

    def _objection(self, command: Command, sender: Address) -> tuple[Refusal, str]:
        """Why a well-formed command is not taken."""
        name = f"seq {command.sequence} from {sender[0]}:{sender[1]}"
        if not self._selected:
            return (
                Refusal.NOT_SELECTED,
                f"{name}: the synchronous interface is not selected (proxops ctl select sync)",
            )
        if self.master and sender != self.master:
            return Refusal.NOT_MASTER, f"{name}: {self.master[0]}:{self.master[1]} is master"
        if self.command and command.sequence <= self.command.sequence:
            return Refusal.OLD_SEQUENCE, f"{name}: not newer than seq {self.command.sequence}"
        if self.command and command.sequence > self.command.sequence + LEAP_MAX:
            return Refusal.LEAP, f"{name}: more than {LEAP_MAX} ahead of seq {self.command.sequence}"
        code, index, value = check_values(command.system, np.array(command.values))
        if code != OK:
            refusal = {NOT_FINITE: Refusal.NOT_FINITE, NOT_UNIT: Refusal.NOT_UNIT}.get(code, Refusal.MODE_WORD)
            text = str(explain_values(code, index, value, name))
            self.bad = (refusal, text)
            return refusal, text
        return Refusal.NONE, ""

    def _flood(self, count: int) -> None:
        """More came than one tick reads; the rest waits or is dropped by the system, and the tick keeps its time."""
        self.flooded += 1
        if self._due("flood"):
            text = f"{count} datagrams and more in one cycle ({self.flooded} such cycles so far)"
            self._tell(Severity.WARNING, "sync.flood", text)

    def _due(self, name: str) -> bool:
        """Whether to tell of ``name`` (again)."""
        told_ns = self._told.get(name)
        if told_ns is not None and self._now_ns - told_ns < NAME_EVERY_NS:
            return False
        self._told[name] = self._now_ns
        return True

    def _refuse(
        self, refusal: Refusal, text: str, sender: Address, sequence: int = 0, sent: int = 0, system: int = 0,
        session: int = NO_SESSION,
    ) -> None:  # fmt: skip
        """Count, and now and then tell. Who has not proven to hold the key is answered as rarely."""
        self.counts[refusal] += 1
        due = self._due(refusal.name)
        if not due and refusal in FLOODS:
            return
        if due:
            count = f"number {self.counts[refusal]} of its kind"
            self._tell(Severity.WARNING, f"sync.{refusal.name.lower()}", f"{sender[0]}:{sender[1]}: {text} ({count})")
        unproven = refusal in NOT_ANSWERED or (refusal is Refusal.CHALLENGE and session == NO_SESSION)
        if not unproven and len(self._pending) < REFUSED_ANSWERS:
            self._pending.append((sender, max(sequence, 0), sent, system, refusal, session))

    def answer(self, values_of: Callable[[int], NDArray[np.float64]], mode: Mode, rule: int, utc_ns: int) -> None:
        """Answer everything that came this tick with the actual values; a full send buffer never blocks."""
        for sender, sequence, sent, system, refusal, session in self._pending:
            values = values_of(system) if system else np.zeros(22)
            alive = self.master is not None and self.fresh
            moving = mode is Mode.MOVING_TO_START
            answer = Answer(system, alive, moving, sequence, utc_ns, tuple(values.tolist()), sent, mode, rule, refusal)
            try:
                self._socket.sendto(self._sealed(pack_answer(answer), refusal, session), sender)
            except OSError:  # the sender is gone or the buffer full: its silence will be noticed
                self.counts[Refusal.NONE] += 1
        self._pending.clear()

    def _sealed(self, answer: bytes, refusal: Refusal, session: int) -> bytes:
        """Under a key: the answer with its code, or the challenge alone, which is smaller than what it answers."""
        if self._keys is None or session == NO_SESSION:
            return answer
        return self._keys.tell_challenge(session) if refusal is Refusal.CHALLENGE else self._keys.seal(answer, session)

    def close(self) -> None:
        self._socket.close()

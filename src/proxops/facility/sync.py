"""Synchronous interface: UDP commands every 4 ms from one master, each answered in the same cycle.

Sockets are drained every tick without blocking; the newest good command of the master counts. Whatever cannot be taken is
counted, named once (then rarely), and answered with the reason where the sender speaks our format.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.datagram import COMMAND_MAGIC, Answer, Command, Malformed, Refusal, pack_answer, unpack_command
from proxops.core.errors import BadInput
from proxops.core.messages import PERIOD_S
from proxops.core.vocabulary import Mode, Severity
from proxops.lab.coordinates import NOT_FINITE, NOT_UNIT, OK, check_values
from proxops.lab.trajectory import explain_values

Address = tuple[str, int]
DRAIN_LIMIT: Final = 1024  # datagrams read per tick, at most, and
DRAIN_NS: Final = 1_500_000  # time spent on reading them: bounded work whatever arrives
REFUSED_ANSWERS: Final = 8  # answers per tick to what was not taken
BUFFER_BYTES: Final = 4 << 20  # asked of the system for what waits between two ticks
MASTER_PATIENCE_CYCLES: Final = 500  # a master that is silent for 2 s outside a run gives up its place
NAME_EVERY: Final = 250  # the same kind of refusal is told again after this many cycles

Tell = Callable[[Severity, str, str], None]


class SyncPort:
    """One UDP socket and the state of the exchange with the master."""

    def __init__(self, bind: Address, tell: Tell) -> None:
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
        self._tick = 0
        self._pending: list[tuple[Address, int, int, int, Refusal]] = []
        self.counts = dict.fromkeys(Refusal, 0)
        self.flooded = 0
        self.values = np.zeros(22)
        self.forget()

    def forget(self) -> None:
        """No master, no command: after deselection or when the master has been silent for long."""
        self.master: Address | None = None
        self.command: Command | None = None
        self.silent_cycles = 0
        self.fresh = False
        self.bad: tuple[Refusal, str] | None = None
        self.steps = 1  # sequence numbers since the command before

    def poll(self, selected: bool, running: bool) -> None:
        """Read what has come since the last tick."""
        self._tick += 1
        self.fresh, self.bad, self.steps = False, None, 0
        began = time.monotonic_ns()
        for count in range(DRAIN_LIMIT):
            try:
                data, sender = self._socket.recvfrom(2048)
            except (BlockingIOError, InterruptedError):
                break
            except ConnectionError:  # an answer met a closed port (ICMP): the sender is gone, silence will tell
                continue
            self._take(data, sender, selected)
            if count % 32 == 31 and time.monotonic_ns() - began > DRAIN_NS:
                self._flood(count + 1)
                break
        else:
            self._flood(DRAIN_LIMIT)
        self.silent_cycles = 0 if self.fresh else self.silent_cycles + 1
        if self.master and not running and self.silent_cycles > MASTER_PATIENCE_CYCLES:
            silent = MASTER_PATIENCE_CYCLES * PERIOD_S
            text = f"master {self.master[0]}:{self.master[1]} silent for {silent:.0f} s: its place is free"
            self._tell(Severity.INFO, "sync", text)
            self.forget()

    def _take(self, data: bytes, sender: Address, selected: bool) -> None:
        """Sort one datagram: taken, or refused with a reason."""
        if data[:4] != COMMAND_MAGIC:  # by far the cheapest test, for floods of anything; it gets no answer
            self.counts[Refusal.MAGIC] += 1
            self._name(Refusal.MAGIC, f"{len(data)} bytes that are no command", sender)
            return
        try:
            command = unpack_command(data)
        except Malformed as error:
            self._refuse(error.refusal, str(error), sender, error.sequence, 0, 0)
            if sender == self.master and error.refusal is Refusal.MODE_WORD:
                self.bad = (error.refusal, str(error))
            return
        refusal, text = self._objection(command, sender, selected)
        if refusal is not Refusal.NONE:
            self._refuse(refusal, text, sender, command.sequence, command.sent_utc_ns, command.system)
            return
        if self.command:
            self.steps += command.sequence - self.command.sequence
        self.master, self.command, self.fresh = sender, command, True
        self.values[:] = command.values
        self._answer_later(sender, command.sequence, command.sent_utc_ns, command.system, Refusal.NONE)

    def _objection(self, command: Command, sender: Address, selected: bool) -> tuple[Refusal, str]:
        """Why a well-formed command is not taken."""
        name = f"seq {command.sequence} from {sender[0]}:{sender[1]}"
        if not selected:
            return (
                Refusal.NOT_SELECTED,
                f"{name}: the synchronous interface is not selected (proxops ctl select sync)",
            )
        if self.master and sender != self.master:
            return Refusal.NOT_MASTER, f"{name}: {self.master[0]}:{self.master[1]} is master"
        if self.command and command.sequence <= self.command.sequence:
            return Refusal.OLD_SEQUENCE, f"{name}: not newer than seq {self.command.sequence}"
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
        if self._tick - self._told.get(name, -NAME_EVERY) < NAME_EVERY:
            return False
        self._told[name] = self._tick
        return True

    def _refuse(self, refusal: Refusal, text: str, sender: Address, sequence: int, sent: int, system: int) -> None:
        self.counts[refusal] += 1
        self._name(refusal, text, sender)
        if len(self._pending) < REFUSED_ANSWERS:
            self._answer_later(sender, max(sequence, 0), sent, system, refusal)

    def _name(self, refusal: Refusal, text: str, sender: Address) -> None:
        if self._due(refusal.name):
            count = f"number {self.counts[refusal]} of its kind"
            self._tell(Severity.WARNING, f"sync.{refusal.name.lower()}", f"{sender[0]}:{sender[1]}: {text} ({count})")

    def _answer_later(self, sender: Address, sequence: int, sent: int, system: int, refusal: Refusal) -> None:
        self._pending.append((sender, sequence, sent, system, refusal))

    def answer(self, values_of: Callable[[int], NDArray[np.float64]], mode: Mode, rule: int, utc_ns: int) -> None:
        """Answer everything that came this tick with the actual values; a full send buffer never blocks."""
        for sender, sequence, sent, system, refusal in self._pending:
            values = values_of(system) if system else np.zeros(22)
            alive = self.master is not None and self.silent_cycles == 0
            moving = mode is Mode.MOVING_TO_START
            answer = Answer(system, alive, moving, sequence, utc_ns, tuple(values.tolist()), sent, mode, rule, refusal)
            try:
                self._socket.sendto(pack_answer(answer), sender)
            except OSError:  # the sender is gone or the buffer full: its silence will be noticed
                self.counts[Refusal.NONE] += 1
        self._pending.clear()

    def close(self) -> None:
        self._socket.close()

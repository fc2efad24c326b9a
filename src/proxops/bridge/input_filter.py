"""Input filter: from packets that come when they like to at most one sample a cycle (the paper's section 3.2).

The buffer holds one packet. Of the buffered packet and those that came in this cycle the newest two count: the older
goes out, the newer waits. That is the paper's machine, every row of it:

                 n = 0 packets came                n = 1                      n = 2 (more: the newest two count)
    EMPTY        nothing                           out, → DIRECT              older out, newer waits, → BUFFERED
    DIRECT       nothing due: nothing              out                        older out, newer waits, → BUFFERED
                 due: cubic, → EXTRAPOLATING       (a hole: see below)
    BUFFERED     buffered out, → DIRECT            buffered out, new waits    buffered dropped, older out, newer waits
    EXTRAPOL.    due: cubic, at most 5, → DRY      out, → DIRECT              older out, newer waits, → BUFFERED
    DRY          nothing                           out, → DIRECT              older out, newer waits, → BUFFERED
    any          silent for longer than the time-out → DRY; the next packet starts anew, whatever its number

Why one place is enough. Let packet i come between i + f and i + f + 1 cycles (jitter up to one whole cycle). It is then
seen in one of two neighbouring cycles, and one schedule takes both: what comes in the earlier cycle waits, what comes in
the later one goes straight through. The machine falls into that schedule at the first gap or double and stays. Drift
moves f; when it has moved by a cycle, one schedule ends and its neighbour begins: a client that is faster brings two
packets while one waits (one is dropped, ``doubled``), a slower one leaves one gap (one extrapolation). Nothing else.

One addition, for losses under jitter. As printed, the buffer fills the gap of a packet that is lost, not late; the next
one then goes out a cycle early (two steps in one cycle), and later a packet that is merely late leaves a gap: two
disturbances for one loss. So a hole is filled before the machine sees it: when a packet comes to an empty buffer and
exactly the number before it is missing, the cubic stands for the missing one and the packet waits, just as if both had
come. The rows above remain true with "came" read so.

Numbers count packets. What came in one cycle is sorted; doubles are refused, and so is a packet that was overtaken once
a newer one (or the cubic in its place) has gone out: numbers of real packets only rise.

A packet is due each cycle with clients near 250 Hz or faster; with slower ones, once its period and a cycle of jitter
are over. What is extrapolated carries the number and send time that the missing packet would have; velocity and sun are
those of the newest packet. A real packet outranks a guess: it goes out even if the guess was further on.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.bridge.filter_machine import FILTER_DTYPE, begin_numbering, silent_ns, step
from proxops.bridge.filter_machine import SEEN as SEEN
from proxops.bridge.packet_history import HISTORY_DTYPE
from proxops.bridge.sample import PacketBlock, Sample
from proxops.core.messages import PERIOD_NS
from proxops.core.vocabulary import InputState

TIMEOUT_NS: Final = 50 * PERIOD_NS
TAKEN_LIMIT: Final = 64  # packets of one cycle that a port hands on: the newest
U32: Final = 0xFFFFFFFF
COUNTS: Final = ("taken", "lost", "extrapolated_count", "stale", "doubled")
STATES: Final = tuple(InputState)
Kept = tuple[NDArray[np.uint8], NDArray[np.uint8]]


class InputFilter:
    """Call ``step`` every cycle with what came since the last one. Silence is counted by the clock that is handed in: cycles that
    were missed count too. ``machine`` and ``history`` are for kernels that go through several cycles."""

    def __init__(self, timeout_ns: int = TIMEOUT_NS) -> None:
        self.machine, self.history = np.zeros(1, FILTER_DTYPE), np.zeros(1, HISTORY_DTYPE)
        self.machine["timeout_ns"] = timeout_ns
        # Copied as bytes: numpy walks every field of a record otherwise.
        self._bytes = self.machine.view(np.uint8), self.history.view(np.uint8)
        self._counts = self.machine.view(np.int64)[: len(COUNTS)]
        self._states = self.machine.view(np.int64)[len(COUNTS) : len(COUNTS) + 2]
        self._last = self.machine["passed"], self.machine["last_head"][0], self.machine["last"][0]
        self._arrived = PacketBlock.room(TAKEN_LIMIT)
        self.forget()

    def forget(self) -> None:
        """As if nothing had ever come; counters too."""
        timeout_ns = self.timeout_ns
        for part in self._bytes:
            part[:] = 0
        self.machine["timeout_ns"] = timeout_ns
        begin_numbering(self.machine, self.history)

    @property
    def timeout_ns(self) -> int:
        return int(self.machine["timeout_ns"][0])

    @property
    def taken(self) -> int:
        """Packets that went out."""
        return int(self._counts[0])

    @property
    def lost(self) -> int:
        """Numbers that never came."""
        return int(self._counts[1])

    @property
    def extrapolated_count(self) -> int:
        return int(self._counts[2])

    @property
    def stale(self) -> int:
        """Packets refused: doubles, and old ones that came after newer ones had gone out."""
        return int(self._counts[3])

    @property
    def doubled(self) -> int:
        """Packets dropped because two newer ones were there."""
        return int(self._counts[4])

    @property
    def state(self) -> InputState:
        state: InputState = STATES[self._states[0]]
        return state

    @property
    def extrapolated(self) -> bool:
        """What went out in this cycle is a guess."""
        return bool(self._states[1])

    def counters(self, refused: int) -> tuple[int, ...]:
        """As they are told, 32 bits each: taken, lost, extrapolated, stale, ``refused`` (by the port), doubled."""
        taken, lost, extrapolated, stale, doubled = self._counts.tolist()
        return taken & U32, lost & U32, extrapolated & U32, stale & U32, refused & U32, doubled & U32

    def kept(self) -> Kept:
        """All that it knows now, to be handed back to ``restore``."""
        machine, history = self._bytes
        return machine.copy(), history.copy()

    def restore(self, kept: Kept) -> None:
        """As if nothing had come since."""
        for part, was in zip(self._bytes, kept, strict=True):
            part[:] = was

    @property
    def silent_ns(self) -> int:
        """Since the newest packet; 0 before the first."""
        return int(silent_ns(self.machine))

    @property
    def gone(self) -> bool:
        """Silent for longer than the time-out."""
        return self.silent_ns > self.timeout_ns

    @property
    def period_s(self) -> float:
        """Client's sending period; 0 while unknown."""
        return float(self.history["period_s"][0])

    @property
    def last(self) -> Sample | None:
        """The newest that went out."""
        passed, head, numbers = self._last
        return Sample.of(head, numbers.copy()) if passed[0] else None

    def step(self, arrived: Sequence[Sample], now_ns: int) -> Sample | None:
        """The sample for this cycle, None when there is nothing new. ``arrived``: in any order, doubles included; ``now_ns``: the
        cycle's time."""
        return self.last if step(self.machine, self.history, self.block(arrived), 0, now_ns) else None

    def block(self, arrived: Sequence[Sample]) -> PacketBlock:
        """Packets of one cycle as kernels take them, until the next call."""
        if len(arrived) > len(self._arrived.heads):
            self._arrived = PacketBlock.room(len(arrived))
        self._arrived.fill(arrived)
        return self._arrived

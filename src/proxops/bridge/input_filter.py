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
from operator import attrgetter
from typing import Any, Final, NamedTuple

import numpy as np

from proxops.bridge.packet_history import DEPTH, HISTORY_DTYPE, History, ahead, forget, remember, remember_all
from proxops.core.messages import PERIOD_NS, PERIOD_S
from proxops.core.vocabulary import InputState
from proxops.maths.rotation import Array

GUESSES: Final = 5  # extrapolations in a row
TIMEOUT_NS: Final = 50 * PERIOD_NS
SLOW: Final = 1.5 * PERIOD_S  # from here on a client is not near 250 Hz: cycles without packet are its habit
FAST: Final = 0.7 * PERIOD_S  # up to here it brings more than one packet a cycle as its habit
LEAP: Final = 1000  # numbers: further ahead is a new numbering, not a loss
SEEN: Final = 64  # numbers behind the newest of which it is known whether they came
U32: Final = 0xFFFFFFFF
ALL_SEEN: Final = (1 << SEEN) - 1
_BY_NUMBER: Final = attrgetter("sequence")


class Sample(NamedTuple):
    """What the client says in one packet. Poses packed (x, y, z, qw, qx, qy, qz), finite, quaternions of length 1."""

    sequence: int
    sent_ns: int  # client's clock, within TIME_MAX_NS of zero
    relative: Array  # T_target_chaser
    T_client_target: Array  # in the client's frame, whatever that is
    velocity: Array | None = None  # v, w of the chaser relative to the target, in the target's frame
    sun: Array | None = None  # direction in the client's frame


Kept = tuple[dict[str, Any], History]


class InputFilter:
    """Call ``step`` every cycle with what came since the last one. Silence is counted by the clock that is handed in: cycles that
    were missed count too."""

    def __init__(self, timeout_ns: int = TIMEOUT_NS) -> None:
        self.timeout_ns = timeout_ns
        self._history = np.zeros(1, HISTORY_DTYPE)
        self._h = self._history[0]
        self._poses = np.empty((2, 7))
        self.forget()

    def forget(self) -> None:
        """As if nothing had ever come; counters too."""
        self.taken = 0  # packets that went out
        self.lost = 0  # numbers that never came
        self.extrapolated_count = 0
        self.stale = 0  # packets refused: doubles, and old ones that came after newer ones had gone out
        self.doubled = 0  # packets dropped because two newer ones were there
        self._now_ns = 0
        self._begin()
        self.state = InputState.EMPTY
        self.extrapolated = False

    def _begin(self) -> None:
        """A new numbering."""
        forget(self._history)
        self._buffer: Sample | None = None
        self._newest: Sample | None = None
        self._out = -1  # number that went out last
        self._seen = ALL_SEEN  # bit k: number newest - k has come, or lies before the first
        self._guesses = 0  # in a row
        self._heard_ns = self._now_ns

    def counters(self, refused: int) -> tuple[int, ...]:
        """As they are told, 32 bits each: taken, lost, extrapolated, stale, ``refused`` (by the port), doubled."""
        counts = self.taken, self.lost, self.extrapolated_count, self.stale, refused, self.doubled
        return tuple(count & U32 for count in counts)

    def kept(self) -> Kept:
        """All that it knows now, to be handed back to ``restore``."""
        return self.__dict__.copy(), self._history.copy()

    def restore(self, kept: Kept) -> None:
        """As if nothing had come since."""
        names, history = kept
        self.__dict__.update(names)
        self._history[0] = history[0]

    @property
    def silent_ns(self) -> int:
        """Since the newest packet; 0 before the first."""
        return 0 if self._newest is None else self._now_ns - self._heard_ns

    @property
    def gone(self) -> bool:
        """Silent for longer than the time-out."""
        return self.silent_ns > self.timeout_ns

    @property
    def period_s(self) -> float:
        """Client's sending period; 0 while unknown."""
        return float(self._h["period_s"])

    def step(self, arrived: Sequence[Sample], now_ns: int) -> Sample | None:
        """The sample for this cycle, None when there is nothing new. ``arrived``: in any order, doubles included; ``now_ns``: the
        cycle's time."""
        self._now_ns = now_ns
        self.extrapolated = False
        fresh = self._fresh(arrived) if arrived else None
        return self._pass(fresh) if fresh else self._gap()

    def pass_on(self, packets: Sequence[Sample], samples: Array, now_ns: int) -> bool:
        """As a step for each of ``packets``, one a cycle from ``now_ns`` on, if they and those before count up by ones and go
        straight through; else nothing happens. ``samples``: the same, a row each, poses first."""
        newest, last, count = self._newest, packets[-1], len(packets)
        if newest is None or self._buffer is not None or self._guesses or self.state is not InputState.DIRECT:
            return False
        if not self._out == newest.sequence == packets[0].sequence - 1 == last.sequence - count:
            return False
        if now_ns - self._heard_ns > PERIOD_NS:
            return False
        sent_ns = np.array([packet.sent_ns for packet in packets])
        remember_all(self._history, packets[0].sequence, sent_ns, now_ns // PERIOD_NS, samples)
        self._seen = (self._seen << count | (1 << count) - 1) & ALL_SEEN
        self.taken += count
        self._newest, self._out, self.extrapolated = last, last.sequence, False
        self._now_ns = self._heard_ns = now_ns + (count - 1) * PERIOD_NS
        return True

    def _fresh(self, arrived: Sequence[Sample]) -> list[Sample]:
        """What may still go out, oldest first."""
        # Silent until the cycle before this one, in which something came.
        if self.silent_ns - PERIOD_NS > self.timeout_ns:
            self._begin()
        fresh = []
        in_order = sorted(arrived, key=_BY_NUMBER) if len(arrived) > 1 else arrived
        for left, sample in enumerate(in_order, -len(arrived)):
            if self._newest is None or sample.sequence > self._newest.sequence:
                self._number(sample.sequence)
                if left >= -DEPTH:  # a burst costs no more than what the fit can hold
                    self._remember(sample)
                self._newest = sample
                fresh.append(sample)
            elif self._came_late(sample.sequence) and sample.sequence > self._out:
                fresh.append(sample)
            else:
                self.stale += 1
        return fresh

    def _number(self, sequence: int) -> None:
        """Keep the books for a number higher than all before."""
        step = sequence - self._newest.sequence if self._newest else LEAP
        if step < LEAP:
            self.lost += step - 1
            self._seen = (self._seen << step | 1) & ALL_SEEN
        else:
            forget(self._history)
            self._seen = ALL_SEEN

    def _came_late(self, sequence: int) -> bool:
        """Was this number missing until now? (Otherwise it is a double, or too old to tell.)"""
        assert self._newest is not None
        behind = 1 << min(self._newest.sequence - sequence, SEEN)
        if (ALL_SEEN ^ self._seen) & behind:
            self._seen |= behind
            self.lost -= 1
            return True
        return False

    def _remember(self, sample: Sample) -> None:
        # Copied first: the kernel is compiled for one kind of array, whatever the packet was unpacked from.
        self._poses[0], self._poses[1] = sample.relative, sample.T_client_target
        remember(self._history, sample.sequence, sample.sent_ns, self._now_ns // PERIOD_NS, self._poses)

    def _pass(self, fresh: list[Sample]) -> Sample:
        """A cycle with packets: the newest two count, the older goes out."""
        self._heard_ns = self._now_ns
        if self._buffer is not None:
            fresh = sorted([self._buffer, *fresh], key=_BY_NUMBER)
        elif len(fresh) == 1 and self._hole_before(fresh[0]):
            self._buffer, self.state = fresh[0], InputState.BUFFERED
            self._out = fresh[0].sequence - 1
            self._guesses = 0
            return self._guess(-1)
        self._guesses = 0
        if len(fresh) == 1:
            self.state = InputState.DIRECT
            return self._send(fresh[0])
        self.doubled += len(fresh) - 2
        self._buffer, self.state = fresh[-1], InputState.BUFFERED
        return self._send(fresh[-2])

    def _gap(self) -> Sample | None:
        """A cycle without packet: the buffered one, or the cubic if one is due."""
        if self._newest is None:
            return None
        if self.gone:
            self._buffer, self.state = None, InputState.DRY  # what still waited is as old
        if self._buffer is not None:
            sample, self._buffer, self.state = self._buffer, None, InputState.DIRECT
            return self._send(sample)
        if self.state is InputState.DRY or not self._due():
            return None
        if self._guesses == GUESSES:
            self.state = InputState.DRY
            return None
        self._guesses += 1
        self.state = InputState.EXTRAPOLATING
        return self._guess(self._guesses * max(1, round(PERIOD_S / self.period_s)))

    def _due(self) -> bool:
        """Should a packet have come by now? Unknown before the second packet."""
        period_s = self.period_s
        if period_s < SLOW:
            return period_s > 0.0
        return self.silent_ns / PERIOD_NS >= (self._guesses + 1) * period_s / PERIOD_S + 1.0

    def _hole_before(self, sample: Sample) -> bool:
        """Is exactly one packet missing between what went out and ``sample``, at one packet a cycle, with no jump?"""
        return (
            sample.sequence - self._out - self._guesses == 2
            and self._guesses < GUESSES
            and FAST < self.period_s < SLOW
            and int(self._h["posed"]) > 1
        )

    def _send(self, sample: Sample) -> Sample:
        self.taken += 1
        self._out = sample.sequence
        return sample

    def _guess(self, numbers: int) -> Sample:
        """The packet ``numbers`` after the newest one, from the cubic."""
        newest = self._newest
        assert newest is not None
        out = np.empty((2, 7))
        ahead(self._history, numbers, out)
        self.extrapolated = True
        self.extrapolated_count += 1
        sent_ns = newest.sent_ns + round(numbers * self.period_s * 1e9)
        return Sample(newest.sequence + numbers, sent_ns, out[0], out[1], newest.velocity, newest.sun)

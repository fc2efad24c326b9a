"""The input filter's machine as kernels (``input_filter`` says what it does and why): one cycle, or the cycles to come."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.bridge.packet_history import DEPTH, History, ahead, forget, remember
from proxops.bridge.sample import HEADS, NUMBERS, SENT_NS, SEQUENCE, Heads, PacketBlock
from proxops.core.messages import PERIOD_NS, PERIOD_S
from proxops.core.vocabulary import InputState
from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array, copy_to
from proxops.maths.stack import matrix

GUESSES: Final = 5  # extrapolations in a row
SLOW: Final = 1.5 * PERIOD_S  # from here on a client is not near 250 Hz: cycles without packet are its habit
FAST: Final = 0.7 * PERIOD_S  # up to here it brings more than one packet a cycle as its habit
LEAP: Final = 1000  # numbers: further ahead is a new numbering, not a loss
SEEN: Final = 64  # numbers behind the newest of which it is known whether they came: as many as a word has bits
ALL_SEEN: Final = np.uint64(2**SEEN - 1)
ONE, NONE = np.uint64(1), np.uint64(0)
EMPTY, DIRECT, BUFFERED, EXTRAPOLATING, DRY = map(int, InputState)

FILTER_DTYPE = np.dtype(
    [
        # Packets that went out; numbers that never came; extrapolations; packets refused (doubles, and old ones that came after
        # newer ones had gone out); packets dropped because two newer ones were there.
        ("taken", "i8"), ("lost", "i8"), ("extrapolated_count", "i8"), ("stale", "i8"), ("doubled", "i8"),
        ("state", "i8"), ("extrapolated", "i8"),  # InputState; what went out in this cycle was
        ("timeout_ns", "i8"), ("now_ns", "i8"), ("heard_ns", "i8"),  # when the newest came
        ("out", "i8"),  # number that went out last
        ("seen", "u8"),  # bit k: number newest - k has come, or lies before the first
        ("guesses", "i8"),  # in a row
        ("heard", "i8"), ("buffered", "i8"), ("passed", "i8"),  # whether there is a newest, a buffered one, one that went out
        ("newest_head", "i8", (HEADS,)), ("newest", "f8", (NUMBERS,)),
        ("buffer_head", "i8", (HEADS,)), ("buffer", "f8", (NUMBERS,)),
        ("last_head", "i8", (HEADS,)), ("last", "f8", (NUMBERS,)),  # that went out
    ]
)  # fmt: skip
Filter = NDArray[np.void]


@kernel
def begin_numbering(filter: Filter, history: History) -> None:
    """As if nothing had come, counters and what went out apart."""
    f = filter[0]
    forget(history)
    f.heard, f.buffered, f.out, f.seen, f.guesses, f.heard_ns = 0, 0, -1, ALL_SEEN, 0, f.now_ns


@kernel
def silent_ns(filter: Filter) -> int:
    """Since the newest packet; 0 before the first."""
    f = filter[0]
    silent: int = f.now_ns - f.heard_ns
    return silent if f.heard else 0


@kernel
def step(filter: Filter, history: History, packets: PacketBlock, cycle: int, now_ns: int) -> bool:
    """Whether a sample goes out in this cycle; it is the filter's ``last`` then. Packets of the cycle come in any order."""
    f = filter[0]
    f.now_ns, f.extrapolated = now_ns, 0
    first, end = packets.begins[cycle], packets.begins[cycle + 1]
    if end > first:
        # Silent until the cycle before this one, in which something came.
        if silent_ns(filter) - PERIOD_NS > f.timeout_ns:
            begin_numbering(filter, history)
        fresh, newest, older = _fresh(filter, history, packets, first, end)
        if fresh > 0:
            return _pass(filter, history, packets, fresh, newest, older)
    return _gap(filter, history)


@kernel
def _fresh(filter: Filter, history: History, packets: PacketBlock, first: int, end: int) -> tuple[int, int, int]:
    """How many may still go out, and the rows of the newest two of them."""
    f, heads = filter[0], packets.heads
    fresh, newest, older, before = 0, -1, -1, first - 1
    for left in range(first - end, 0):
        row = _next_row(heads, first, end, before)
        before, number = row, heads[row, SEQUENCE]
        if not f.heard or number > f.newest_head[SEQUENCE]:
            _number(filter, history, number)
            if left >= -DEPTH:  # a burst costs no more than what the fit can hold
                remember(history, number, heads[row, SENT_NS], f.now_ns // PERIOD_NS, packets.numbers[row])
            f.heard = 1
            _put(heads[row], packets.numbers[row], f.newest_head, f.newest)
        elif not (_came_late(filter, number) and number > f.out):
            f.stale += 1
            continue
        fresh, newest, older = fresh + 1, row, newest
    return fresh, newest, older


@kernel
def _next_row(heads: Heads, first: int, end: int, before: int) -> int:
    """Row of the next higher number after that of row ``before`` (the lowest after ``first - 1``), equal ones as they came."""
    found = -1
    for row in range(first, end):
        number = heads[row, SEQUENCE]
        done = before >= first and (
            number < heads[before, SEQUENCE] or (number == heads[before, SEQUENCE] and row <= before)
        )
        if not done and (found < 0 or number < heads[found, SEQUENCE]):
            found = row
    return found


@kernel
def _number(filter: Filter, history: History, number: int) -> None:
    """Keep the books for a number higher than all before."""
    f = filter[0]
    ahead_by = number - f.newest_head[SEQUENCE] if f.heard else LEAP
    if ahead_by < LEAP:
        f.lost += ahead_by - 1
        f.seen = (f.seen << np.uint64(ahead_by) if ahead_by < SEEN else NONE) | ONE
    else:
        forget(history)
        f.seen = ALL_SEEN


@kernel
def _came_late(filter: Filter, number: int) -> bool:
    """Was this number missing until now? (Otherwise it is a double, or too old to tell.)"""
    f = filter[0]
    behind = f.newest_head[SEQUENCE] - number
    if behind >= SEEN:
        return False
    bit = ONE << np.uint64(behind)
    if f.seen & bit:
        return False
    f.seen |= bit
    f.lost -= 1
    return True


@kernel
def _pass(filter: Filter, history: History, packets: PacketBlock, fresh: int, newest: int, older: int) -> bool:
    """A cycle with packets: the newest two count, the older goes out."""
    f, heads, numbers = filter[0], packets.heads, packets.numbers
    f.heard_ns = f.now_ns
    if not f.buffered and fresh == 1 and _hole_before(filter, history, heads[newest, SEQUENCE]):
        f.out = heads[newest, SEQUENCE] - 1
        f.guesses = 0
        _hold(filter, heads[newest], numbers[newest])
        return _guess(filter, history, -1)
    f.guesses = 0
    if not f.buffered and fresh == 1:
        f.state = DIRECT
        return _send(filter, heads[newest], numbers[newest])
    f.doubled += fresh + f.buffered - 2
    waiting = f.buffer_head[SEQUENCE] if f.buffered else -1
    if waiting > heads[newest, SEQUENCE]:  # what waits stays the newest
        f.state = BUFFERED
        return _send(filter, heads[newest], numbers[newest])
    if older < 0 or waiting > heads[older, SEQUENCE]:
        _send(filter, f.buffer_head, f.buffer)
    else:
        _send(filter, heads[older], numbers[older])
    _hold(filter, heads[newest], numbers[newest])
    return True


@kernel
def _gap(filter: Filter, history: History) -> bool:
    """A cycle without packet: the buffered one, or the cubic if one is due."""
    f = filter[0]
    if not f.heard:
        return False
    if silent_ns(filter) > f.timeout_ns:
        f.buffered, f.state = 0, DRY  # what still waited is as old
    if f.buffered:
        f.buffered, f.state = 0, DIRECT
        return _send(filter, f.buffer_head, f.buffer)
    if f.state == DRY or not _due(filter, history):
        return False
    if f.guesses == GUESSES:
        f.state = DRY
        return False
    f.guesses += 1
    f.state = EXTRAPOLATING
    return _guess(filter, history, f.guesses * max(1, int(np.rint(PERIOD_S / history[0].period_s))))


@kernel
def _due(filter: Filter, history: History) -> bool:
    """Should a packet have come by now? Unknown before the second packet."""
    period_s: float = history[0].period_s
    if period_s < SLOW:
        return period_s > 0.0
    due: bool = silent_ns(filter) / PERIOD_NS >= (filter[0].guesses + 1) * period_s / PERIOD_S + 1.0
    return due


@kernel
def _hole_before(filter: Filter, history: History, number: int) -> bool:
    """Is exactly one packet missing between what went out and ``number``, at one packet a cycle, with no jump?"""
    f, h = filter[0], history[0]
    one_missing = number - f.out - f.guesses == 2 and f.guesses < GUESSES
    hole: bool = one_missing and FAST < h.period_s < SLOW and h.posed > 1
    return hole


@kernel
def _hold(filter: Filter, head: Heads, numbers: Array) -> None:
    """It waits for the next cycle."""
    f = filter[0]
    f.buffered, f.state = 1, BUFFERED
    _put(head, numbers, f.buffer_head, f.buffer)


@kernel
def _send(filter: Filter, head: Heads, numbers: Array) -> bool:
    f = filter[0]
    f.taken += 1
    f.out, f.passed = head[SEQUENCE], 1
    _put(head, numbers, f.last_head, f.last)
    return True


@kernel
def _guess(filter: Filter, history: History, numbers: int) -> bool:
    """The packet ``numbers`` after the newest one, from the cubic; velocity and sun are those of the newest."""
    f, poses = filter[0], matrix(2, 7)
    ahead(history, numbers, poses)
    f.extrapolated, f.passed = 1, 1
    f.extrapolated_count += 1
    _put(f.newest_head, f.newest, f.last_head, f.last)
    f.last_head[SEQUENCE] += numbers
    f.last_head[SENT_NS] += int(np.rint(numbers * history[0].period_s * 1e9))
    for i in range(7):
        f.last[i], f.last[7 + i] = poses[0, i], poses[1, i]
    return True


@kernel
def _put(head: Heads, numbers: Array, to_head: Heads, to: Array) -> None:
    for i in range(HEADS):
        to_head[i] = head[i]
    copy_to(numbers, to)

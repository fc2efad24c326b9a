"""The recorder's own loop: rings to file, through full disks, overtaking and the death of its parent.

Time is used only to pace (sleep, retry, fsync), never in the bytes: the same records give the same file.
"""

from __future__ import annotations

import contextlib
import errno
import os
import select
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np
from mcap.records import Attachment, Metadata
from numpy.typing import NDArray

from proxops.core.ending import ENDED, Ending, EndReason
from proxops.core.errors import ProxopsError
from proxops.core.messages import EVENT_DTYPE
from proxops.core.ring import Ring
from proxops.core.vocabulary import Severity
from proxops.ground.blocks import BLOCK_RECORDS, VIEWED_NS, Block, Interleaver, joined
from proxops.ground.column_packer import ColumnPacker
from proxops.ground.mcap_file import ChunkData, McapFile, Preamble
from proxops.ground.overview_writer import RecordersOverview
from proxops.ground.stage import Stage, StageMessages
from proxops.ground.viewer_message import ViewerMessages
from proxops.ground.watchdog_events import WatchdogEvents
from proxops.ground.wire import Layout, pool_layout

READ_LIMIT: Final = 1250  # records read at once: 5 s of data
WAITING_BLOCKS: Final = 20  # 20 s of data kept in memory while the disk refuses
WAITING_IMAGE_BYTES: Final = 64 * 1024 * 1024  # of images, at most: ten seconds of two cameras at 10 Hz
WORTH_READING: Final = 125  # records, half a block; fewer wait unless they fill one: a read costs as much as twenty
BORROWED_SLOTS: Final = 8 * BLOCK_RECORDS
PATIENCE: Final = 5  # looks after which fewer are read as well
IDLE_S: Final = 0.05  # from one look to the next: to be woken costs the tick its cache
LOCKSTEP_IDLE_S: Final = 0.02  # in which the quickest runs fill a tenth of a ring
SYNC_S: Final = 1.0
LAST_TRIES: Final = 3  # refusals at the end of a run before the recorder gives up

EXIT_WHOLE: Final = 0
EXIT_CUT: Final = 3  # the file is readable but lacks its end and its summary


@dataclass(frozen=True)
class _Waiting:
    """A block with what viewers get of its time, and the chunks of images that are still to stand before it."""

    block: Block
    shown: ChunkData
    images: deque[ChunkData]


class Recording:
    """One recording: two rings, one file. ``run`` returns the exit code of the recorder."""

    def __init__(
        self, pool: Ring, events: Ring, out: McapFile, overview: RecordersOverview, preamble: Preamble, retry_s: float,
        *, durable: bool = True, watchdog: Ring | None = None, stage: Stage | None = None, table: Layout | None = None,
        last_words: Callable[[], tuple[Metadata | Attachment, ...]] = tuple, viewer: ViewerMessages | None = None,
        viewed_ns: int = VIEWED_NS,
    ) -> None:  # fmt: skip
        """``table``: of the pool ring's variables, the facility's unless given. ``last_words``: to be asked when all is read."""
        self._pool, self._events, self._file, self._overview, self._preamble = pool, events, out, overview, preamble
        self._retry_s, self._durable = retry_s, durable
        # A run in lockstep waits for ``tail``, so its records need not be copied; a short ring would not hold a block and more.
        self._borrows = not durable and pool.slots >= BORROWED_SLOTS
        self._watchdog = WatchdogEvents(watchdog) if watchdog else None
        self._stage = StageMessages(stage) if stage else None
        self._table, self._last_words = table or pool_layout(), last_words
        self._interleaver = Interleaver(self._table)
        self._viewer, self._viewed_ns = viewer, viewed_ns
        self._packer = ColumnPacker.of(self._table.dtype)
        self._waiting: deque[_Waiting] = deque()
        self._words: tuple[Metadata | Attachment, ...] = ()
        self._begun = self._last = self._done = False
        self._looks = 0  # since the last read
        self._end_told = False  # the facility has said how it ended
        self._refusals = 0  # in a row, since the end of the run began
        self._cursor = self._event_cursor = 0
        self._lost = self._event_lost = 0
        self._next_try = self._next_sync = 0.0

    def run(self, parent_gone: Callable[[], bool], parent: int = 0, bell: int | None = None) -> int:
        """Record until the pool ring is closed (or ``parent`` gone) and drained; then finish the file. ``bell``: a file that can
        be read from when the end has come."""
        ending, idle_s = False, IDLE_S if self._durable else LOCKSTEP_IDLE_S
        self._write()
        while not self._done:
            # Asked before looking: nothing comes after it.
            if not ending and (self._pool.closed or parent_gone()):
                ending, self._refusals = True, 0
            more = self._look(hurry=ending)
            over = self._watchdog is None or self._watchdog.over()  # asked before looking for its last words
            if ending and over and not self._last and self._drained():
                self._last = True
                if not (self._pool.closed or self._end_told):
                    gone = Ending(EndReason.FACILITY_KILLED, f"process {parent} was killed or crashed")
                    self._interleaver.add(np.empty(0, self._table.dtype), _end(gone, self._pool))
                self._wait(last=True)
            self._write()
            if ending and self._refusals >= LAST_TRIES:
                return self._give_up()
            if not (more or self._done):
                rung = select.select([] if bell is None else [bell], [], [], idle_s)[0]
                bell = None if rung else bell  # once: it does not fall silent again
        return EXIT_WHOLE

    def _look(self, *, hurry: bool) -> bool:
        """Read both rings when that is worth it (or in a ``hurry``); True when more waits than is read at once."""
        self._pool.heartbeat += 1
        self._looks += 1
        fresh = self._pool.head - self._cursor
        if self._full():
            self._pool.lost = self._lost + max(0, fresh - self._pool.slots)
            return False
        self._look_at_viewer()
        worth = fresh >= min(WORTH_READING, self._pool.slots // 4) or self._interleaver.waiting + fresh > BLOCK_RECORDS
        if not (worth or self._looks >= PATIENCE or hurry) or self._drained():
            return False
        self._looks = 0
        pool, lost = self._borrowed() if self._borrows else self._read_pool()
        events, event_lost = self._read_events()
        self._look_at_viewer()  # once more: what belongs to a record was pushed before it
        self._lost += lost
        self._event_lost += event_lost
        self._pool.lost, self._events.lost = self._lost, self._event_lost
        if lost or event_lost:
            events = joined(_gap(lost, event_lost, pool, self._pool), events)
        self._interleaver.add(pool[:0], events)
        self._wait()
        return fresh > READ_LIMIT

    def _read_pool(self) -> tuple[NDArray[np.void], int]:
        """New records, which are ours, and how many were lost before them."""
        pool, self._cursor, lost = self._pool.read(self._cursor, READ_LIMIT)
        self._interleaver.add(pool, np.empty(0, EVENT_DTYPE))
        return pool, lost

    def _borrowed(self) -> tuple[NDArray[np.void], int]:
        """The same where they lie, from a writer that waits until they are written: none is lost. One that has not waited is
        not borrowed from again, and what it has overwritten is lost as it is to anybody who reads too late."""
        stop, waiting = min(self._pool.head, self._cursor + READ_LIMIT), self._interleaver.waiting
        if self._pool.overtaken(self._cursor - waiting):
            self._borrows = False
            self._interleaver.lend(np.empty(0, self._table.dtype))
            pool, lost = self._read_pool()
            return pool, waiting + lost
        pool = self._pool.lend(self._cursor - waiting, stop)
        self._interleaver.lend(pool)
        self._cursor = stop
        return pool[waiting:], 0

    def _own_all(self) -> None:
        """Borrow no longer: who sees that the disk refuses waits for us no more."""
        if self._borrows:
            self._borrows = False
            self._interleaver.own()
            self._waiting = deque(
                replace(one, block=replace(one.block, pool=one.block.pool.copy())) for one in self._waiting
            )

    def _look_at_viewer(self) -> None:
        if self._viewer and (lost := self._viewer.read()):
            text = f"overtaken: {lost} pieces of images or frames for viewers are lost"
            self._interleaver.add(np.empty(0, self._table.dtype), _said(self._pool, text))

    def _wait(self, *, last: bool = False) -> None:
        """Blocks that are closed wait for the disk, with what viewers get of their time: made here, for all that have come, since
        the same work several times in a row finds its code in the processor's memory."""
        blocks = list(self._interleaver.blocks(last=last))
        for left, block in zip(reversed(range(len(blocks))), blocks, strict=True):
            tick = None if last and not left else int(block.pool["clock"]["tick"][-1])
            beside, images = self._viewer.until(tick) if self._viewer else ([], [])
            beside = [*(self._stage.beside(block) if self._stage else ()), *beside]
            self._waiting.append(_Waiting(block, block.shown(beside, self._viewed_ns), deque(images)))

    def _read_events(self) -> tuple[NDArray[np.void], int]:
        """All events of now: those of a tick must not come later than its pool record."""
        events, lost, head = np.empty(0, EVENT_DTYPE), 0, self._events.head
        while self._event_cursor < head:
            part, self._event_cursor, overtaken = self._events.read(self._event_cursor)
            events = joined(events, part)
            lost += overtaken
        self._end_told |= bool((events["name"] == ENDED.encode()).any())
        if self._watchdog and self._watchdog.waiting:
            told, overtaken = self._watchdog.read()
            events, lost = joined(events, told), lost + overtaken
            events = events[np.argsort(events["utc_ns"], kind="stable")]
        return events, lost

    def _drained(self) -> bool:
        read = self._pool.head == self._cursor and self._events.head == self._event_cursor
        read = read and not (self._viewer and not self._viewer.drained)
        return read and not (self._watchdog and self._watchdog.waiting)

    def _full(self) -> bool:
        images = sum(sum(map(len, chunk.pieces)) for one in self._waiting for chunk in one.images)
        return len(self._waiting) >= WAITING_BLOCKS or images > WAITING_IMAGE_BYTES

    def _write(self) -> None:
        """Hand waiting blocks to the file. A refusal raises the flag; the next try comes after a pause."""
        now, lent = time.monotonic(), self._borrows and bool(self._waiting)
        if self._pool.trouble and now < self._next_try:
            return
        try:
            self._write_waiting()
            if self._durable and (self._done or now >= self._next_sync):
                self._file.sync()
                self._next_sync = now + SYNC_S
        except OSError as refusal:
            self._own_all()
            self._pool.trouble = refusal.errno or errno.EIO
            self._next_try = time.monotonic() + self._retry_s
            self._refusals += 1
            return
        self._pool.trouble = 0
        if lent and self._borrows and self._pool.overtaken(self._pool.tail):  # what was not yet lent is counted as lost
            raise ProxopsError("the run did not wait for its recorder: what was recorded last is not what it was")
        borrowed = self._interleaver.waiting if self._borrows else 0
        self._pool.tail, self._events.tail = self._cursor - borrowed, self._event_cursor

    def _write_waiting(self) -> None:
        if not self._begun:
            self._file.begin(self._preamble)
            self._begun = True
        while self._waiting:
            first = self._waiting[0]
            while first.images:  # before the rows of their time: what has been written is not tried again
                self._file.add(first.images[0])
                first.images.popleft()
            block, columns = first.block, self._packer.columns_of(first.block.pool)
            place = self._file.add(block.with_columns(first.shown, columns))
            self._waiting.popleft()
            self._overview.add(place, block.pool, block.events, columns)
            self._pool.heartbeat += 1
        if self._last:
            self._words = self._words or self._last_words()
            if self._words:  # refused by a full disk, they are tried again: they can be asked for only once
                self._file.append(*self._words)
                self._words, self._last_words = (), tuple
            self._file.finish()
            self._done = True

    def _give_up(self) -> int:
        """The disk stays full: the file remains readable, without summary; what it lacks is counted."""
        unread = max(0, self._pool.head - self._cursor)
        self._pool.lost = self._lost + unread + sum(one.block.pool.size for one in self._waiting)
        self._say_full()
        return EXIT_CUT

    def _say_full(self) -> None:
        """Where a block has no room, an event of a few hundred bytes mostly has. If not, the log does not say how it ended."""
        text = f"the disk had no room (errno {self._pool.trouble}): {self._pool.lost} cycles are not in the log"
        end = _end(Ending(EndReason.DISK_FULL, text), self._pool)
        with contextlib.suppress(OSError):
            if self._begun:
                block = Block(np.empty(0, self._table.dtype), end, np.zeros(1, np.int64), table=self._table)
                self._file.add(block.encode(None))


def _gap(lost: int, event_lost: int, pool: NDArray[np.void], ring: Ring) -> NDArray[np.void]:
    """Event that says what was overwritten before it could be recorded, stamped like the next record."""
    clock = (pool[0] if pool.size else ring.records[(ring.head - 1) % ring.slots])["clock"]
    text = f"overtaken: {lost} pool records and {event_lost} events before tick {int(clock['tick'])} are lost"
    return _event(clock, Severity.ERROR, "recorder", text)


def _said(ring: Ring, text: str) -> NDArray[np.void]:
    """An error of the recorder's own, stamped like the last record."""
    return _event(ring.records[(ring.head - 1) % ring.slots]["clock"], Severity.ERROR, "recorder", text)


def _end(ended: Ending, ring: Ring) -> NDArray[np.void]:
    """The last event, where the facility can no longer say it; stamped like the last record."""
    return _event(ring.records[(ring.head - 1) % ring.slots]["clock"], ended.severity, ENDED, str(ended))


def _event(clock: np.void, severity: Severity, name: str, text: str) -> NDArray[np.void]:
    event = np.zeros(1, EVENT_DTYPE)
    event["utc_ns"], event["tick"], event["severity"] = clock["utc_ns"], clock["tick"], severity
    event["name"], event["text"] = name.encode(), text.encode()
    return event


def orphaned(parent: int) -> Callable[[], bool]:
    """Tells whether process ``parent`` is still the one that started us."""
    return lambda: os.getppid() != parent


def attach(pool: Path, events: Path, table: Layout) -> tuple[Ring, Ring]:
    """Both rings of a run."""
    return Ring.attach(pool, table.dtype), Ring.attach(events, EVENT_DTYPE)

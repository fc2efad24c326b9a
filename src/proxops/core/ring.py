"""Ring of records in shared memory: one writer that never waits, any number of readers that can fall behind.

Layout of the file (little-endian): a header of 64-bit words, then ``slots`` records. ``head`` counts the records ever
written and is stored after the record itself, so a reader never sees half a record unless it is overtaken, which it
notices and counts: many records at once are announced (``begun``) before they are copied. A reader in lockstep publishes its own
position; then the *caller* of the writer may wait for it.
"""

from __future__ import annotations

import fcntl
import mmap
import os
import sys
import tempfile
import zlib
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

WORDS: Final = 9
_HEAD, _CLOSED, _TAIL, _TROUBLE, _LOST, _HEARTBEAT, _LAYOUT, _BEGUN, _MAGIC = range(WORDS)
PREFIX: Final = "proxops-"  # of the names of all that we put into the shared folder
MAGIC: Final = int.from_bytes(b"pxring02", "little")  # tells a ring from any other file of that name


def shared_folder() -> Path:
    """Memory-backed folder where there is one."""
    shm = Path("/dev/shm")
    return shm if shm.is_dir() and os.access(shm, os.W_OK) else Path(tempfile.gettempdir())


def bytes_of(record: NDArray[np.void]) -> memoryview:
    """View of an array's bytes, to be made once and pushed often."""
    return record.view(np.uint8).data


def layout_of(dtype: np.dtype[np.void]) -> int:
    """Number that tells one table of variables from another, also when their sizes agree."""
    return zlib.crc32(repr(dtype.descr).encode())


class Ring:
    """A mapped ring. ``create`` makes it (and owns the file); ``attach`` opens one that another process made."""

    def __init__(self, path: Path, dtype: np.dtype[np.void], slots: int, *, owner: bool) -> None:
        self.path, self.slots, self._owner = path, slots, owner
        size = WORDS * 8 + slots * dtype.itemsize
        with open(path, "r+b") as file:
            # Held by the map's own copy of the descriptor until the process ends, however it does: nobody removes a ring that
            # is in use (``core/abandoned_rings.py``). Only a ring that is being removed is locked by another.
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            self._map = mmap.mmap(file.fileno(), size)
        self.words = np.frombuffer(self._map, "<i8", WORDS)
        # Quicker than an element of an array.
        self._head, self._begun = (memoryview(self._map)[at * 8 : at * 8 + 8].cast("q") for at in (_HEAD, _BEGUN))
        self.records: NDArray[np.void] = np.frombuffer(self._map, dtype, slots, offset=WORDS * 8)
        # Copies go through plain bytes: numpy walks every field of a nested record type otherwise.
        self._written, self._size = int(self.words[_HEAD]), dtype.itemsize
        self._raw = np.frombuffer(self._map, f"V{dtype.itemsize}", slots, offset=WORDS * 8)

    @classmethod
    def create(cls, name: str, dtype: np.dtype[np.void], slots: int) -> Ring:
        """New ring. Its memory is taken now, so that the tick never wants for any; its pages, thousands of them, are zeroed when
        they are touched first, which takes less than a microsecond each."""
        handle, path = tempfile.mkstemp(prefix=f"{PREFIX}{name}-", dir=shared_folder())
        size = WORDS * 8 + slots * dtype.itemsize
        with os.fdopen(handle, "wb") as file:
            if sys.platform == "linux":
                os.posix_fallocate(file.fileno(), 0, size)
            else:
                file.write(bytes(size))
        ring = cls(Path(path), dtype, slots, owner=True)
        ring.words[_LAYOUT], ring.words[_MAGIC] = layout_of(dtype), MAGIC
        return ring

    @classmethod
    def attach(cls, path: Path, dtype: np.dtype[np.void]) -> Ring:
        """Open an existing ring; its size tells the number of slots."""
        slots, rest = divmod(path.stat().st_size - WORDS * 8, dtype.itemsize)
        ring = cls(path, dtype, slots, owner=False) if slots > 0 and not rest else None
        if ring is None or (ring.words[_LAYOUT], ring.words[_MAGIC]) != (layout_of(dtype), MAGIC):
            raise ValueError(f"{path}: records are laid out otherwise (another version of proxops?)")
        return ring

    # --- writer ---
    def push(self, record: memoryview | bytes) -> None:
        """Copy one record in. Never blocks; an old one is overwritten when the ring is full.

        The tick hands in a view of plain bytes (``bytes_of``) made once: describing a nested record costs 10 us."""
        head = self._written
        at = WORDS * 8 + head % self.slots * self._size
        self._map[at : at + self._size] = record
        self._written = self._head[0] = head + 1

    def push_all(self, rows: NDArray[np.uint8]) -> None:
        """Copy records in, one a row (contiguous), as ``push`` would one by one; at most as many as there are slots."""
        head, count = self._written, len(rows)
        assert count <= self.slots
        first = head % self.slots
        at, fit = WORDS * 8 + first * self._size, min(count, self.slots - first)
        self._begun[0] = head + count  # before the first of them is overwritten
        self._map[at : at + fit * self._size] = rows[:fit].data.cast("B") if fit else b""
        if fit < count:
            self._map[WORDS * 8 : WORDS * 8 + (count - fit) * self._size] = rows[fit:].data.cast("B")
        self._written = self._head[0] = head + count

    def close(self) -> None:
        """Say that nothing more will come; remove the file if it is ours."""
        self.words[_CLOSED] = 1
        if self._owner:
            self.path.unlink(missing_ok=True)

    # --- state words shared by both sides ---
    @property
    def head(self) -> int:
        return int(self.words[_HEAD])

    @property
    def closed(self) -> bool:
        return bool(self.words[_CLOSED])

    @property
    def tail(self) -> int:
        """How far the recorder has read: what may be overwritten without loss."""
        return int(self.words[_TAIL])

    @tail.setter
    def tail(self, value: int) -> None:
        self.words[_TAIL] = value

    @property
    def trouble(self) -> int:
        """errno of the recorder's present trouble with the disk, 0 when all is well."""
        return int(self.words[_TROUBLE])

    @trouble.setter
    def trouble(self, errno: int) -> None:
        self.words[_TROUBLE] = errno

    @property
    def lost(self) -> int:
        """Records that were overwritten before the recorder could read them."""
        return int(self.words[_LOST])

    @lost.setter
    def lost(self, count: int) -> None:
        self.words[_LOST] = count

    @property
    def heartbeat(self) -> int:
        """Counted up by the recorder whenever it looks at the ring; standing still means that it is gone."""
        return int(self.words[_HEARTBEAT])

    @heartbeat.setter
    def heartbeat(self, value: int) -> None:
        self.words[_HEARTBEAT] = value

    # --- reader ---
    def read(self, cursor: int, limit: int = 4096) -> tuple[NDArray[np.void], int, int]:
        """Copy of the records from ``cursor`` on (at most ``limit``), the next cursor, and how many were overtaken."""
        head = self.head
        overtaken = max(0, head - self.slots - cursor)
        start = cursor + overtaken
        stop = min(head, start + limit)
        copy = self._copied(start, max(stop - start, 0))
        # The writer may have gone round while we copied: what it reached is no longer what we asked for.
        late = max(0, max(self.head + 1, self._begun[0]) - self.slots - start)
        late = min(late, stop - start) if stop > start else 0
        return copy[late:], stop, overtaken + late

    def lend(self, start: int, stop: int) -> NDArray[np.void]:
        """Records where they lie (a copy only where they go round the end): they stay what they are while the writer is made to
        wait for ``tail`` and that is not beyond them. ``overtaken`` tells whether it did."""
        first, count = start % self.slots, stop - start
        return self.records[first : first + count] if first + count <= self.slots else self._copied(start, count)

    def overtaken(self, cursor: int) -> bool:
        """Whether the writer has begun to overwrite the record of this number."""
        return max(self.head + 1, self._begun[0]) - self.slots > cursor

    def _copied(self, start: int, count: int) -> NDArray[np.void]:
        """Records from number ``start`` on, at most as many as there are slots."""
        copy, first = np.empty(count, self._raw.dtype), start % self.slots
        fit = min(count, self.slots - first)
        copy[:fit], copy[fit:] = self._raw[first : first + fit], self._raw[: count - fit]
        return copy.view(self.records.dtype)

    def newest_bytes(self, head: int) -> memoryview:
        """The newest record as plain bytes, where it lies; ``head`` is the ring's."""
        at = WORDS * 8 + (head - 1) % self.slots * self._size
        return memoryview(self._map)[at : at + self._size]

    def latest(self) -> NDArray[np.void] | None:
        """Copy of the newest record, for displays."""
        head = self.head
        return self.records[(head - 1) % self.slots].copy() if head else None

"""A trajectory in sealed memory: how one that was checked reaches the tick, which maps it and copies nothing.

Layout, little-endian: 64 bytes of head (magic, version, values in a line, lines, SHA-256 of the rest, zeros), then 22 doubles of
every line, then the int16 coordinate system of every line.
"""

from __future__ import annotations

import hashlib
import mmap
import os
import struct
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.errors import BadInput
from proxops.core.messages import N_VALUES
from proxops.core.sealed_memory import is_sealed, sealed_memory
from proxops.core.trajectory_size import MOST_LINES
from proxops.lab.trajectory import Trajectory

HEAD: Final = struct.Struct("<8sIIQ32s8x")
MAGIC: Final = b"PROXTRAJ"
VERSION: Final = 1
LINE_BYTES: Final = 8 * N_VALUES + 2
PORTION_BYTES: Final = 64 * mmap.PAGESIZE
_DONTNEED_LOCKED: Final = 24  # MADV_DONTNEED_LOCKED, Linux 5.18: the mmap module has no name for it


def digest_of(trajectory: Trajectory) -> bytes:
    """SHA-256 of the lines as they lie in memory: all values, then all systems."""
    digest = hashlib.sha256()
    for part in _parts(trajectory):
        digest.update(part.data)
    return digest.digest()


def _parts(trajectory: Trajectory) -> tuple[NDArray[np.float64], NDArray[np.int16]]:
    return np.ascontiguousarray(trajectory.values, "<f8"), np.ascontiguousarray(trajectory.systems, "<i2")


def seal(trajectory: Trajectory) -> tuple[int, bytes]:
    """(descriptor of the sealed memory, SHA-256)."""
    digest = digest_of(trajectory)
    head = HEAD.pack(MAGIC, VERSION, N_VALUES, len(trajectory), digest)
    return sealed_memory("trajectory", (head, *_parts(trajectory))), digest


class SealedTrajectory:
    """A mapping of ``seal``'s memory. ``fd`` stays the caller's.

    A mapping is nothing until its pages are touched: 64 of them cost 40 us, and as many to let go of. Done at once, 100 minutes
    of lines would hold a tick up for 18 to 70 ms. So both are done in portions, one a cycle, before and after use: then no page
    is missing when a line is played, and under ``mlockall`` none is swapped out.
    """

    def __init__(self, fd: int, lines: int, digest: bytes, source: str) -> None:
        """``BadInput`` unless every seal is set and size and head are those of ``lines`` with ``digest``."""
        size = HEAD.size + lines * LINE_BYTES
        if not is_sealed(fd):
            raise BadInput("the memory is not sealed", where=source)
        if not 0 < lines <= MOST_LINES or os.fstat(fd).st_size != size:
            value = f"{lines} lines in {os.fstat(fd).st_size} bytes"
            raise BadInput("not a sealed trajectory", where=source, value=value, bound=f"1 … {MOST_LINES} lines")
        try:
            self._memory = mmap.mmap(fd, size, flags=mmap.MAP_SHARED, prot=mmap.PROT_READ)
        except OSError as error:  # more than may be locked, most likely
            bound = "what may be mapped (and locked: ulimit -l)"
            raise BadInput(f"cannot map: {error.strerror}", where=source, value=f"{size} bytes", bound=bound) from None
        if self._memory[: HEAD.size] != HEAD.pack(MAGIC, VERSION, N_VALUES, lines, digest):
            raise BadInput("not a sealed trajectory: its head says otherwise", where=source)
        self.digest = digest
        self._lines, self._source, self._size, self._touched, self._released = lines, source, size, 0, 0

    def trajectory(self) -> Trajectory:
        """Its arrays are views of the mapping and cannot be written to."""
        count = self._lines * N_VALUES
        values = np.frombuffer(self._memory, "<f8", count, HEAD.size).reshape(self._lines, N_VALUES)
        systems = np.frombuffer(self._memory, "<i2", self._lines, HEAD.size + 8 * count)
        return Trajectory(systems, values, self._source)

    def touch(self) -> bool:
        """Bring the next portion in; True once all are."""
        end = min(self._touched + PORTION_BYTES, self._size)
        self._memory[self._touched : end : mmap.PAGESIZE]
        self._touched = end
        return end == self._size

    def let_go(self) -> bool:
        """Give the next portion back; True once the mapping is gone. It stays while somebody still looks at its arrays."""
        if self._memory.closed:
            return True
        if self._released < self._size:
            length = min(PORTION_BYTES, self._size - self._released)
            try:
                self._memory.madvise(_DONTNEED_LOCKED, self._released, length)
                self._released += length
            except OSError:  # an older kernel does not know how: all at once then
                self._released = self._size
            return False
        try:
            self._memory.close()
        except BufferError:
            return False
        return True

"""A log opened for pieces of it: what stands at its beginning, where its chunks lie, and any chunk by its place.

Chunks are read, never mapped: the recorder of a growing log may cut a piece off again (full disk), and touching a mapped page
behind the end of a file ends the process.
"""

from __future__ import annotations

import fcntl
import os
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from google.protobuf.message import DecodeError
from mcap.opcode import Opcode
from numpy.typing import NDArray

from proxops.core.errors import BadInput
from proxops.ground.chunk import events_in, layout_in, pool_records, sorted_messages
from proxops.ground.log import unknown_name
from proxops.ground.mcap_file import MAGIC, Place
from proxops.ground.scan import CHUNK, RECORD, Scan, end_note, records, unpacked
from proxops.ground.wire import Column

INDEX_DTYPE: Final = np.dtype([("offset", "<i8"), ("length", "<i8"), ("utc_first", "<i8"), ("utc_last", "<i8")])
"""Where a chunk lies (its whole record) and the span of its log times, ns."""
_CHUNK_INDEX: Final = struct.Struct("<QQQQ")  # first and last log time, offset, length; the rest is not needed
_FOOTER: Final = struct.Struct("<QQI")
_END: Final = RECORD.size + _FOOTER.size + len(MAGIC)


@dataclass(frozen=True)
class Chunk:
    """Pool records (with the log's groups and names, maybe with gaps between them) and events of one chunk."""

    records: NDArray[np.void]
    events: NDArray[np.void]


@dataclass(frozen=True)
class Tail:
    """Chunks from some byte on, and how the file ends after them."""

    places: tuple[Place, ...]
    ended: bool
    rest: int  # bytes after the last whole record


class LogFile:
    """An open log; BadInput when there is none or it is not one of ours. ``decoded`` counts the chunks unpacked so far."""

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self.decoded = 0
        try:
            self._fd = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            raise BadInput("no such log", where=str(path)) from None
        except OSError as reason:
            raise BadInput(f"cannot be read: {reason.strerror}", where=str(path)) from reason
        try:
            self._begin()
        except BaseException:
            self.close()
            raise

    def _begin(self) -> None:
        """Schemas, metadata and the time of the first record: a walk that goes no further than to that record."""
        self.scan = Scan(self.path)
        self.begin_ns: int | None = None
        try:
            for part in self.scan.parts():
                _, spots, _ = sorted_messages(part, self.scan)
                if spots:
                    first = pool_records(part, spots[:1], layout_in(self.scan))
                    self.begin_ns = int(first["clock"]["utc_ns"][0])
                    break
        except (OSError, DecodeError, struct.error, ValueError) as reason:
            raise BadInput(f"cannot be read: {reason}", where=str(self.path)) from reason
        self.table = layout_in(self.scan)

    def __enter__(self) -> LogFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        os.close(self._fd)

    @property
    def size(self) -> int:
        """Bytes, now."""
        return os.fstat(self._fd).st_size

    @property
    def metadata(self) -> dict[str, str]:
        return {key: value for record in self.scan.metadata for key, value in record.metadata.items()}

    def columns(self, names: list[str] | tuple[str, ...]) -> list[Column]:
        """Variables ``group.variable`` by name; BadInput with near names for one that does not exist."""
        known = {column.path: column for column in self.table.columns}
        for name in names:
            if name not in known:
                raise unknown_name(name, self.table.columns, str(self.path))
        return [known[name] for name in names]

    def recording(self) -> bool:
        """True while somebody writes it (see ``McapFile``)."""
        try:
            fcntl.flock(self._fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        except OSError:
            return False  # a file system without locks: nobody can know
        fcntl.flock(self._fd, fcntl.LOCK_UN)
        return False

    def place(self, offset: int) -> Place | None:
        """The chunk whose record begins at ``offset``; None when there is no whole one."""
        head = os.pread(self._fd, RECORD.size + CHUNK.size, offset) if offset >= 0 else b""
        if len(head) < RECORD.size + CHUNK.size:
            return None
        opcode, length = RECORD.unpack_from(head)
        if opcode != Opcode.CHUNK or offset + RECORD.size + length > self.size:
            return None
        return Place(offset, RECORD.size + length, CHUNK.unpack_from(head, RECORD.size)[3])

    def first_place(self) -> Place | None:
        """The first chunk."""
        return next((self.place(at) for opcode, at, _ in self._heads(len(MAGIC)) if opcode == Opcode.CHUNK), None)

    def chunk(self, place: Place) -> Chunk:
        """Its records and events; one of DAMAGE when it is not whole."""
        self.decoded += 1
        data = os.pread(self._fd, place.length, place.offset)
        if len(data) != place.length or data[0] != Opcode.CHUNK:
            raise ValueError("no longer there")
        body = unpacked(data, RECORD.size, len(data))
        _, spots, bodies = sorted_messages(body, self.scan)
        return Chunk(pool_records(body, spots, self.table), events_in(bodies, self.scan))

    def tail(self, start: int = len(MAGIC)) -> Tail:
        """Chunks from byte ``start`` (the beginning of a record) to the end of the file."""
        places: list[Place] = []
        at = start
        for opcode, first, after in self._heads(start):
            at = after
            if opcode == Opcode.DATA_END:
                return Tail(tuple(places), True, self.size - at)
            if opcode == Opcode.MESSAGE:
                raise BadInput(
                    "has messages outside of chunks", where=str(self.path), way_out="proxops log recover puts them into chunks"
                )  # fmt: skip
            if opcode == Opcode.CHUNK and (place := self.place(first)):
                places.append(place)
        return Tail(tuple(places), False, self.size - at)

    def end_note(self, tail: Tail) -> str | None:
        """What is wrong with the file's end, in the words of ``Log``; None when it is whole."""
        size = self.size
        whole = tail.ended and tail.rest and os.pread(self._fd, len(MAGIC), size - len(MAGIC)) == MAGIC
        return None if whole else end_note(tail.ended, tail.rest)

    def _heads(self, at: int) -> Iterator[tuple[int, int, int]]:
        """Opcode, first byte and end of every whole record from ``at`` on."""
        size = self.size
        while at + RECORD.size <= size:
            opcode, length = RECORD.unpack(os.pread(self._fd, RECORD.size, at))
            after = at + RECORD.size + length
            if opcode == 0 or after > size:
                return
            yield opcode, at, after
            at = after

    def index(self) -> NDArray[np.void]:
        """All chunks with their times (INDEX_DTYPE): from the summary, or by a walk where there is none."""
        found = self._summary()
        if found is None:
            found = [self._indexed(place) for place in self.tail().places]
        return np.array(found, INDEX_DTYPE)

    def summarised(self) -> bool:
        """True when the file has its end: written whole."""
        return self._summary_place() is not None

    def span(self) -> tuple[int, int] | None:
        """First and last UTC in the log, ns, without unpacking anything; None when it holds nothing yet.

        A log without its end is walked from head to head."""
        if self.begin_ns is None:
            return None
        last = int(self.index()["utc_last"].max())
        return self.begin_ns, max(last, self.begin_ns)

    def _indexed(self, place: Place) -> tuple[int, int, int, int]:
        first, last = struct.unpack("<QQ", os.pread(self._fd, 16, place.offset + RECORD.size))
        return place.offset, place.length, first, last

    def _summary_place(self) -> tuple[int, int] | None:
        """Beginning and bytes of the summary; None when the file has none."""
        size = self.size
        end = os.pread(self._fd, _END, size - _END) if size > _END + len(MAGIC) else b""
        if len(end) != _END or end[0] != Opcode.FOOTER or end[-len(MAGIC) :] != MAGIC:
            return None
        start = _FOOTER.unpack_from(end, RECORD.size)[0]
        return (start, size - _END - start) if 0 < start < size - _END else None

    def _summary(self) -> list[tuple[int, int, int, int]] | None:
        """Chunk indexes of the summary; None when there are none."""
        if (where := self._summary_place()) is None:
            return None
        data = os.pread(self._fd, where[1], where[0])
        found = [
            _CHUNK_INDEX.unpack_from(data, at)
            for code, at, _ in records(data, 0, len(data))
            if code == Opcode.CHUNK_INDEX
        ]
        return [(offset, length, first, last) for first, last, offset, length in found] or None

"""A log opened for pieces of it: what stands at its beginning, where its chunks lie, and any chunk by its place."""

from __future__ import annotations

import fcntl
import os
import struct
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from mcap.opcode import Opcode
from numpy.typing import NDArray

from proxops.core.errors import BadInput
from proxops.core.user_file import opened
from proxops.ground.chunk import events_in, in_columns, layout_in, pool_records, sorted_messages
from proxops.ground.image_chunks import counted_images, image_channels, indexed_channels
from proxops.ground.log import unknown_name
from proxops.ground.mcap_file import MAGIC, ChunkPlace
from proxops.ground.scan import Scan, end_note, heads
from proxops.ground.unpacking import CHUNK, DAMAGE, LARGEST_CHUNK, RECORD, records, unpacked
from proxops.ground.wire import Column

INDEX_DTYPE: Final = np.dtype([("offset", "<i8"), ("length", "<i8"), ("utc_first", "<i8"), ("utc_last", "<i8")])
"""Where a chunk lies (its whole record) and the span of its log times, ns."""
_CHUNK_INDEX: Final = struct.Struct("<QQQQ")  # first and last log time, offset, length; the rest is not needed
_LATEST: Final = 2**63 - 1  # ns
_LARGEST: Final = RECORD.size + LARGEST_CHUNK
_LARGEST_SUMMARY: Final = 64 * 1024 * 1024  # bytes; a day's log has 35 MB
_TIMES: Final = struct.Struct("<QQ")
Indexed = tuple[int, int, int, int]  # offset, length, first and last log time
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

    places: tuple[ChunkPlace, ...]
    ended: bool
    rest: int  # bytes after the last whole record


class LogFile:
    """An open log; BadInput when there is none or it is not one of ours. ``decoded`` counts the chunks unpacked so far."""

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self.decoded = 0
        self._fd = opened(self.path, "the log")
        try:
            self._begin()
        except BaseException:
            self.close()
            raise

    def _begin(self) -> None:
        """Schemas, metadata and the time of the first record: a walk that goes no further than to that record."""
        self.scan = Scan(self.path, images=False)
        self.begin_ns: int | None = None
        try:
            for part in self.scan.parts():
                _, spots, _ = sorted_messages(part, self.scan)
                if spots:
                    first = pool_records(part, spots[:1], layout_in(self.scan), packed=in_columns(self.scan))
                    self.begin_ns = int(first["clock"]["utc_ns"][0])
                    break
        except (OSError, *DAMAGE) as reason:
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

    def place(self, offset: int) -> ChunkPlace | None:
        """The chunk whose record begins at ``offset``; None when there is no whole one."""
        head = os.pread(self._fd, RECORD.size + CHUNK.size, offset) if 0 <= offset < self.size else b""
        if len(head) < RECORD.size + CHUNK.size:
            return None
        opcode, length = RECORD.unpack_from(head)
        if opcode != Opcode.CHUNK or offset + RECORD.size + length > self.size:
            return None
        return ChunkPlace(offset, RECORD.size + length, CHUNK.unpack_from(head, RECORD.size)[3])

    def first_place(self) -> ChunkPlace | None:
        """The first chunk with records; those of images are passed over here and below."""
        found = heads(self._fd, len(MAGIC), self.size)
        chunks = (at for opcode, at, end in found if opcode == Opcode.CHUNK and not self._only_images(end))
        return next((self.place(at - RECORD.size) for at in chunks), None)

    def _only_images(self, end: int) -> bool:
        return bool(counted_images(self._fd, end, image_channels(self.scan.channels.values())))

    def chunk(self, place: ChunkPlace) -> Chunk:
        """Its records and events; one of DAMAGE when it is not whole."""
        self.decoded += 1
        if not (0 <= place.offset < self.size and RECORD.size + CHUNK.size < place.length <= _LARGEST):
            raise ValueError("no place of a chunk")
        data = os.pread(self._fd, place.length, place.offset)
        if len(data) != place.length or data[0] != Opcode.CHUNK:
            raise ValueError("no longer there")
        body = unpacked(data, RECORD.size, len(data))
        _, spots, bodies = sorted_messages(body, self.scan)
        found = pool_records(body, spots, self.table, packed=in_columns(self.scan))
        return Chunk(found, events_in(bodies, self.scan))

    def tail(self, start: int = len(MAGIC)) -> Tail:
        """Chunks from byte ``start`` (the beginning of a record) to the end of the file."""
        places: list[ChunkPlace] = []
        at = start
        for opcode, first, after in heads(self._fd, start, self.size):
            at = after
            if opcode == Opcode.DATA_END:
                return Tail(tuple(places), True, self.size - at)
            if opcode == Opcode.MESSAGE:
                raise BadInput(
                    "has messages outside of chunks", where=str(self.path), way_out="proxops log recover puts them into chunks"
                )  # fmt: skip
            if opcode == Opcode.CHUNK and not self._only_images(after) and (place := self.place(first - RECORD.size)):
                places.append(place)
        return Tail(tuple(places), False, self.size - at)

    def end_note(self, tail: Tail) -> str | None:
        """What is wrong with the file's end, in the words of ``Log``; None when it is whole."""
        size = self.size
        whole = tail.ended and tail.rest and os.pread(self._fd, len(MAGIC), size - len(MAGIC)) == MAGIC
        return None if whole else end_note(tail.ended, tail.rest)

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
        return self.begin_ns, int(self.index()["utc_last"].max(initial=self.begin_ns))

    def _indexed(self, place: ChunkPlace) -> Indexed:
        first, last = _TIMES.unpack(os.pread(self._fd, _TIMES.size, place.offset + RECORD.size))
        return place.offset, place.length, min(first, _LATEST), min(last, _LATEST)

    def _summary_place(self) -> tuple[int, int] | None:
        """Beginning and bytes of the summary; None when the file has none."""
        size = self.size
        end = os.pread(self._fd, _END, size - _END) if size > _END + len(MAGIC) else b""
        if len(end) != _END or end[0] != Opcode.FOOTER or end[-len(MAGIC) :] != MAGIC:
            return None
        start = _FOOTER.unpack_from(end, RECORD.size)[0]
        return (start, size - _END - start) if 0 < start < size - _END else None

    def _summary(self) -> list[Indexed] | None:
        """Chunk indexes of the summary; None when there are none, or when they are not to be believed."""
        if (where := self._summary_place()) is None or where[1] > _LARGEST_SUMMARY:
            return None
        data = os.pread(self._fd, where[1], where[0])
        end = os.pread(self._fd, RECORD.size + _FOOTER.size, where[0] + where[1])
        crc = _FOOTER.unpack_from(end, RECORD.size)[2]
        if crc and zlib.crc32(end[:-4], zlib.crc32(data)) != crc:
            return None
        images = image_channels(self.scan.channels.values())
        found = [
            _CHUNK_INDEX.unpack_from(data, at)
            for code, at, after in records(data, 0, len(data))
            if code == Opcode.CHUNK_INDEX and after - at >= _CHUNK_INDEX.size
            if not (images and (held := indexed_channels(data[at + _CHUNK_INDEX.size : after])) and held <= images)
        ]
        return _in_order([(at, length, first, last) for first, last, at, length in found], where[0]) or None


def _in_order(found: list[Indexed], stop: int) -> list[Indexed]:
    """Chunks one after the other, all before byte ``stop``; none when a single one is not: then the file itself must tell."""
    at = len(MAGIC)
    for offset, length, first, last in found:
        if offset < at or offset + length > stop or length <= RECORD.size + CHUNK.size or max(first, last) > _LATEST:
            return []
        at = offset + length
    return found

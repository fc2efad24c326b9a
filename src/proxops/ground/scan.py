"""Walking through an MCAP file record by record, as far as it is whole.

Nothing here needs the summary: a log whose recorder was killed reads the same way, it only ends earlier. A damaged chunk is
left out and named; so is any record that is larger than ours can be. The file is read, never mapped: the recorder of a
growing log may cut a piece off again (full disk), and touching a mapped page behind the end of a file ends the process.
"""

from __future__ import annotations

import os
import struct
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any, Final

from mcap.data_stream import ReadDataStream
from mcap.exceptions import McapError
from mcap.opcode import Opcode
from mcap.records import Attachment, Channel, Metadata, Schema

from proxops.core.errors import BadInput
from proxops.core.user_file import opened
from proxops.ground.image_chunks import counted_images, image_channels
from proxops.ground.mcap_file import MAGIC
from proxops.ground.unpacking import DAMAGE, LARGEST_CHUNK, MESSAGE, RECORD, records, unpacked

_KEPT: Final = {
    Opcode.SCHEMA: Schema,
    Opcode.CHANNEL: Channel,
    Opcode.METADATA: Metadata,
    Opcode.ATTACHMENT: Attachment,
}
_MEGA: Final = 1024 * 1024
LARGEST: Final = {  # bytes of a record's body; our schema has 0.02 MB, the largest trajectory to attach 64 MB
    Opcode.SCHEMA: _MEGA,
    Opcode.CHANNEL: _MEGA,
    Opcode.METADATA: 16 * _MEGA,
    Opcode.ATTACHMENT: 128 * _MEGA,
    Opcode.CHUNK: LARGEST_CHUNK,
    Opcode.MESSAGE: _MEGA,
}
_WINDOW: Final = 4096  # bytes looked at at once for heads: small records stand close together
KEPT_BYTES: Final = 256 * _MEGA  # of all records that are kept
MOST_KEPT: Final = 10_000  # of them
MOST_NOTES: Final = 100


@dataclass
class Scan:
    """What a file holds besides messages, and how the walk ended."""

    path: Path
    schemas: dict[int, Schema] = field(default_factory=dict)
    channels: dict[int, Channel] = field(default_factory=dict)
    metadata: list[Metadata] = field(default_factory=list)
    attachments: list[Attachment] = field(default_factory=list)
    complete: bool = False
    notes: list[str] = field(default_factory=list)
    images: bool = True  # false: chunks that hold only images are counted, not unpacked
    left_out: Counter[int] = field(default_factory=Counter)  # messages of those, by channel
    _kept: int = 0
    _kept_bytes: int = 0

    def parts(self) -> Iterator[bytes]:
        """Runs of schema, channel and message records: the content of every whole chunk, in order."""
        fd = opened(self.path, "the log")
        try:
            yield from self._walk(fd)
        finally:
            os.close(fd)

    def _walk(self, fd: int) -> Iterator[bytes]:
        if os.pread(fd, len(MAGIC), 0) != MAGIC:
            bound = "a file that starts with the bytes 89 4D 43 41 50"
            raise BadInput("not an MCAP log", where=str(self.path), bound=bound)
        size, end, ended = os.fstat(fd).st_size, len(MAGIC), False
        for opcode, start, end in heads(fd, len(MAGIC), size):
            if opcode == Opcode.DATA_END:
                ended = True
                break
            if opcode not in LARGEST or not self._fits(opcode, start, end):
                continue
            if opcode in _KEPT and not self._room(opcode, end - start):
                continue
            if opcode == Opcode.CHUNK and self._only_images(fd, end):
                continue
            body = os.pread(fd, end - start, start)
            if opcode == Opcode.CHUNK:
                yield from self._chunk(body, start)
            elif opcode == Opcode.MESSAGE:
                yield RECORD.pack(opcode, len(body)) + body
            else:
                self.keep(opcode, body)
        if not ended or size == end or os.pread(fd, len(MAGIC), size - len(MAGIC)) != MAGIC:
            self._note(end_note(ended, size - end))
        self.complete = not self.notes

    def _fits(self, opcode: int, start: int, end: int) -> bool:
        least = MESSAGE.size if opcode == Opcode.MESSAGE else 0
        if least <= end - start <= LARGEST[Opcode(opcode)]:
            return True
        self._note(f"a {Opcode(opcode).name.lower()} record at byte {start} is left out: it has {end - start} bytes")
        return False

    def _only_images(self, fd: int, end: int) -> bool:
        """Whether the chunk that ends there is one that nobody wants; then it is counted."""
        counts = {} if self.images else counted_images(fd, end, image_channels(self.channels.values()))
        self.left_out += Counter(counts)
        return bool(counts)

    def _note(self, text: str) -> None:
        if len(self.notes) < MOST_NOTES:
            self.notes.append(text)

    def _room(self, opcode: int, size: int) -> bool:
        """Whether one more record of ``size`` bytes can be kept; then it is counted."""
        if self._kept >= MOST_KEPT or self._kept_bytes + size > KEPT_BYTES or size > LARGEST[Opcode(opcode)]:
            self._note(f"a {Opcode(opcode).name.lower()} record is left out: there are too many, or too large ones")
            return False
        self._kept, self._kept_bytes = self._kept + 1, self._kept_bytes + size
        return True

    def keep(self, opcode: int, body: bytes) -> None:
        """Remember a schema, channel, metadata or attachment record."""
        try:
            record: Any = _KEPT[Opcode(opcode)].read(ReadDataStream(BytesIO(body)))
        except (struct.error, ValueError, McapError) as reason:
            self._note(f"a damaged {Opcode(opcode).name.lower()} record is left out ({reason!r})")
            return
        if isinstance(record, Schema):
            self.schemas[record.id] = record
        elif isinstance(record, Channel):
            self.channels[record.id] = record
        elif isinstance(record, Metadata):
            self.metadata.append(record)
        else:
            self.attachments.append(record)

    def _chunk(self, data: bytes, start: int) -> Iterator[bytes]:
        try:
            body = unpacked(data, 0, len(data))
        except DAMAGE as reason:
            self._note(f"chunk at byte {start} is damaged and left out ({reason})")
            return
        for opcode, first, last in records(body, 0, len(body)):
            if opcode in (Opcode.SCHEMA, Opcode.CHANNEL) and self._room(opcode, last - first):
                self.keep(opcode, body[first:last])
        yield body


def heads(fd: int, at: int, size: int) -> Iterator[tuple[int, int, int]]:
    """Opcode, beginning and end of the body of every whole record of a file of ``size`` bytes from byte ``at`` on."""
    window, begin = b"", at
    while at + RECORD.size <= size:
        if not begin <= at <= begin + len(window) - RECORD.size:
            window, begin = os.pread(fd, _WINDOW, at), at
            if len(window) < RECORD.size:
                return  # cut off meanwhile
        opcode, length = RECORD.unpack_from(window, at - begin)
        at += RECORD.size
        if opcode == 0 or at + length > size:
            return
        yield opcode, at, at + length
        at += length


def end_note(ended: bool, rest: int) -> str:
    """What to say of a log without its end; ``rest`` is what follows the last whole record, bytes."""
    if ended:
        return "the summary is not whole"
    cut = f", {rest} bytes of a record that was being written are left out" if rest else ""
    return f"the log has no end: the recorder was killed, the disk was full, or it is still recording{cut}"

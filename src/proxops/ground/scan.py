"""Walking through an MCAP file record by record, as far as it is whole.

Nothing here needs the summary: a log whose recorder was killed reads the same way, it only ends earlier. A
damaged chunk is left out and named. Compressions: lz4 (ours), zstd (what other tools like to write) and none.
"""

from __future__ import annotations

import mmap
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any, Final

import lz4.frame
import zstandard
from mcap.data_stream import ReadDataStream
from mcap.exceptions import McapError
from mcap.opcode import Opcode
from mcap.records import Attachment, Channel, Metadata, Schema

from proxops.core.errors import BadInput
from proxops.ground.mcap_file import MAGIC

RECORD: Final = struct.Struct("<BQ")
CHUNK: Final = struct.Struct("<QQQII")  # start, end, uncompressed size, crc, length of the method's name
MESSAGE: Final = struct.Struct("<HIQQ")  # channel, sequence, log time, publish time
DAMAGE: Final = (ValueError, RuntimeError, struct.error, zstandard.ZstdError)  # what a broken chunk raises
_KEPT: Final = {
    Opcode.SCHEMA: Schema,
    Opcode.CHANNEL: Channel,
    Opcode.METADATA: Metadata,
    Opcode.ATTACHMENT: Attachment,
}


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

    def parts(self) -> Iterator[bytes]:
        """Runs of schema, channel and message records: the content of every whole chunk, in order."""
        with open(self.path, "rb") as file, _mapped(file, self.path) as data:
            end = len(MAGIC)
            ended = False
            for opcode, start, end in records(data, len(MAGIC), len(data)):
                if opcode == Opcode.DATA_END:
                    ended = True
                    break
                if opcode == Opcode.CHUNK:
                    yield from self._chunk(data, start, end)
                elif opcode == Opcode.MESSAGE:
                    yield data[start - RECORD.size : end]
                elif opcode in _KEPT:
                    self.keep(opcode, data[start:end])
            if not ended or len(data) == end or data[-len(MAGIC) :] != MAGIC:
                self.notes.append(end_note(ended, len(data) - end))
            self.complete = not self.notes

    def keep(self, opcode: int, body: bytes) -> None:
        """Remember a schema, channel, metadata or attachment record."""
        try:
            record: Any = _KEPT[Opcode(opcode)].read(ReadDataStream(BytesIO(body)))
        except (struct.error, ValueError, McapError) as reason:
            self.notes.append(f"a damaged {Opcode(opcode).name.lower()} record is left out ({reason!r})")
            return
        if isinstance(record, Schema):
            self.schemas[record.id] = record
        elif isinstance(record, Channel):
            self.channels[record.id] = record
        elif isinstance(record, Metadata):
            self.metadata.append(record)
        else:
            self.attachments.append(record)

    def _chunk(self, data: mmap.mmap, start: int, end: int) -> Iterator[bytes]:
        try:
            body = unpacked(data, start, end)
        except DAMAGE as reason:
            self.notes.append(f"chunk at byte {start} is damaged and left out ({reason})")
            return
        for opcode, first, last in records(body, 0, len(body)):
            if opcode in (Opcode.SCHEMA, Opcode.CHANNEL):
                self.keep(opcode, body[first:last])
        yield body


def records(data: bytes | mmap.mmap, start: int, stop: int) -> Iterator[tuple[int, int, int]]:
    """Opcode, beginning and end of the body of every whole record between two positions."""
    size, unpack = RECORD.size, RECORD.unpack_from
    while start + size <= stop:
        opcode, length = unpack(data, start)
        start += size
        if opcode == 0 or start + length > stop:
            return
        yield opcode, start, start + length
        start += length


def _mapped(file: Any, path: Path) -> mmap.mmap:
    """The file as memory, after a look at its first bytes."""
    if file.read(len(MAGIC)) != MAGIC:
        raise BadInput("not an MCAP log", where=str(path), bound="a file that starts with the bytes 89 4D 43 41 50")
    return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def unpacked(data: bytes | mmap.mmap, start: int, end: int) -> bytes:
    """Records inside a chunk. ValueError when their checksum is wrong."""
    _, _, size, crc, length = CHUNK.unpack_from(data, start)
    start += CHUNK.size
    kind = data[start : start + length].decode("ascii", "replace")
    packed = data[start + length + 8 : end]
    if kind == "lz4":
        body: bytes = lz4.frame.decompress(packed)
    elif kind == "zstd":
        body = zstandard.decompress(packed, size)
    elif kind == "":
        body = packed
    else:
        raise ValueError(f"compression {kind!r} is unknown")
    if len(body) != size or (crc and zlib.crc32(body) != crc):
        raise ValueError("checksum does not match")
    return body


def end_note(ended: bool, rest: int) -> str:
    """What to say of a log without its end; ``rest`` is what follows the last whole record, bytes."""
    if ended:
        return "the summary is not whole"
    cut = f", {rest} bytes of a record that was being written are left out" if rest else ""
    return f"the log has no end: the recorder was killed, the disk was full, or it is still recording{cut}"

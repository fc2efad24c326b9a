"""Writing MCAP piece by piece so that a full disk or a kill never leaves an unreadable file.

Every write is a whole piece (the beginning, a chunk with its indexes, the summary). A piece that does not fit
is cut off again and nothing of it is remembered, so the caller may simply try once more. The records
themselves are those of the ``mcap`` package; chunks come ready-made because building them message by message
would cost more than all the rest. Format: https://mcap.dev/spec
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import struct
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
import zstandard
from mcap.data_stream import RecordBuilder
from mcap.opcode import Opcode
from mcap.records import (
    Attachment,
    AttachmentIndex,
    Channel,
    ChunkIndex,
    DataEnd,
    Footer,
    Header,
    McapRecord,
    Metadata,
    MetadataIndex,
    Schema,
    Statistics,
    SummaryOffset,
)
from numpy.typing import NDArray

MAGIC: Final = b"\x89MCAP0\r\n"
LIBRARY: Final = "proxops"
# Of zstd: the way of looking for repetitions of its lowest levels, in a table of 32 kB, which stays in a processor's own memory.
# What is not repeated is kept as it is (by a target length above 0): to give its bytes codes of their own would make a log a
# thirtieth smaller and take a third longer.
PACKING: Final = zstandard.ZstdCompressionParameters(
    strategy=zstandard.STRATEGY_FAST,
    window_log=20,
    hash_log=13,
    chain_log=10,
    search_log=1,
    min_match=6,
    target_length=1,
)
PLAIN_BLOCK: Final = 2**17  # bytes of a block of zstd, at most
RATIO: Final = 256  # bytes to packed bytes, at most: a reader takes more for an attack
_RECORD: Final = struct.Struct("<BQ")  # opcode, bytes behind it
_CHUNK: Final = struct.Struct(
    "<QQQII"
)  # first and last time, bytes and checksum of what is packed, length of the way of packing
_LONG: Final = struct.Struct("<Q")
_FOOTER_BODY: Final = 20  # bytes of a footer after opcode and length


@dataclass(frozen=True)
class ChunkData:
    """Message records of one chunk, uncompressed, and per channel an (n, 2) table of log time and offset. ``pieces``: kinds of
    data, each packed by its own statistics. Those of columns lie in memory that the next block takes. ``noise``: the last one is
    kept as it is."""

    pieces: tuple[bytes | memoryview, ...]
    index: dict[int, NDArray[np.uint64]]
    noise: bool = False

    @property
    def data(self) -> bytes:
        """All of it."""
        return b"".join(self.pieces)

    @property
    def times(self) -> tuple[int, int]:
        """Earliest and latest log time."""
        times = np.concatenate([table[:, 0] for table in self.index.values()])
        return int(times.min()), int(times.max())


class ChunkPlace(NamedTuple):
    """Where a chunk lies: first byte of its record, bytes of the whole record, checksum of what is packed in it."""

    offset: int
    length: int
    crc: int


@dataclass(frozen=True)
class Preamble:
    """All that stands before the first chunk."""

    schemas: tuple[Schema, ...]
    channels: tuple[Channel, ...]
    metadata: tuple[Metadata, ...] = ()
    attachments: tuple[Attachment, ...] = ()


def serialised(*records: McapRecord) -> bytes:
    """Bytes of records, one after the other."""
    builder = RecordBuilder()
    for record in records:
        record.write(builder)
    data: bytes = builder.end()
    return data


class McapFile:
    """A growing MCAP file. A method writes its whole piece, or raises OSError and leaves all as it was.

    It is locked while it grows, so that readers can tell a log that is being recorded from one that was cut off."""

    def __init__(self, path: Path, *, replace: bool = False) -> None:
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | (os.O_TRUNC if replace else os.O_EXCL)
        self._fd = os.open(path, flags, 0o644)
        with contextlib.suppress(OSError):  # not every file system knows locks; the log matters more
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        self.size = 0
        self._packer = zstandard.ZstdCompressor(compression_params=PACKING)
        self._preamble = Preamble((), ())
        self._chunks: list[ChunkIndex] = []
        self._pieces: list[MetadataIndex | AttachmentIndex] = []
        self._counts: dict[int, int] = {}

    def begin(self, preamble: Preamble) -> None:
        """Header, schemas, channels, metadata and attachments."""
        data = MAGIC + serialised(Header("", LIBRARY), *preamble.schemas, *preamble.channels)
        pieces: list[MetadataIndex | AttachmentIndex] = []
        for record in (*preamble.metadata, *preamble.attachments):
            raw = serialised(record)
            pieces.append(_index_of(record, len(data), len(raw)))
            data += raw
        self._append(data)
        self._preamble, self._pieces = preamble, pieces

    def add(self, chunk: ChunkData) -> ChunkPlace:
        """A chunk and its message indexes; where it lies."""
        (start, end), (crc, size) = chunk.times, _sum_and_size(chunk)
        compression, packed = self._packed(chunk, size)
        kind = compression.encode()
        body = _CHUNK.pack(start, end, size, crc, len(kind)) + kind + _LONG.pack(len(packed))
        raw = b"".join([_RECORD.pack(Opcode.CHUNK, len(body) + len(packed)), body, packed])
        indexes, offsets = b"", {}
        for channel, table in chunk.index.items():
            offsets[channel] = self.size + len(raw) + len(indexes)
            indexes += _message_index(channel, table)
        entry = ChunkIndex(
            chunk_length=len(raw),
            chunk_start_offset=self.size,
            compression=compression,
            compressed_size=len(packed),
            message_start_time=start,
            message_end_time=end,
            message_index_length=len(indexes),
            message_index_offsets=offsets,
            uncompressed_size=size,
        )
        self._append(raw + indexes)
        self._chunks.append(entry)
        for channel, table in chunk.index.items():
            self._counts[channel] = self._counts.get(channel, 0) + len(table)
        return ChunkPlace(entry.chunk_start_offset, entry.chunk_length, crc)

    def append(self, *records: Metadata | Attachment) -> None:
        """What is known only when the run is over."""
        data, pieces = b"", []
        for record in records:
            raw = serialised(record)
            pieces.append(_index_of(record, self.size + len(data), len(raw)))
            data += raw
        self._append(data)
        self._pieces += pieces

    def finish(self) -> None:
        """Summary and footer. Nothing may be added afterwards."""
        data_end = serialised(DataEnd(0))
        start = self.size + len(data_end)
        groups: list[tuple[Opcode, Sequence[McapRecord]]] = [
            (Opcode.SCHEMA, self._preamble.schemas),
            (Opcode.CHANNEL, self._preamble.channels),
            (Opcode.STATISTICS, [self._statistics()]),
            (Opcode.CHUNK_INDEX, self._chunks),
            (Opcode.ATTACHMENT_INDEX, [p for p in self._pieces if isinstance(p, AttachmentIndex)]),
            (Opcode.METADATA_INDEX, [p for p in self._pieces if isinstance(p, MetadataIndex)]),
        ]
        summary, offsets = b"", []
        for opcode, records in groups:
            raw = serialised(*records)
            if raw:
                offsets.append(SummaryOffset(opcode, start + len(summary), len(raw)))
            summary += raw
        offset_start = start + len(summary)
        summary += serialised(*offsets)
        head = struct.pack("<BQQQ", Opcode.FOOTER, _FOOTER_BODY, start, offset_start)
        footer = serialised(Footer(start, offset_start, zlib.crc32(head, zlib.crc32(summary))))
        self._append(data_end + summary + footer + MAGIC)

    def sync(self) -> None:
        """Make the operating system put all on the disk."""
        os.fsync(self._fd)

    def close(self) -> None:
        with contextlib.suppress(OSError):
            fcntl.flock(self._fd, fcntl.LOCK_UN)  # also for children that hold the same opening
        os.close(self._fd)

    def _append(self, data: bytes) -> None:
        view, position = memoryview(data), self.size
        try:
            while view:
                written = os.pwrite(self._fd, view, position)
                if written == 0:
                    raise OSError(errno.EIO, os.strerror(errno.EIO))
                position += written
                view = view[written:]
        except OSError:
            # A disk that refuses even this leaves a cut piece, which readers skip.
            with contextlib.suppress(OSError):
                os.ftruncate(self._fd, self.size)
            raise
        self.size = position

    def _packed(self, chunk: ChunkData, size: int) -> tuple[str, bytes]:
        """The way of packing, and what it makes of a chunk: one frame, a new block of it for every piece. Noise is put behind
        the packer's last block by hand: it would look for what cannot be there, as long as for all the rest."""
        packer, noise = self._packer.compressobj(size=size), chunk.pieces[-1] if chunk.noise else b""
        pieces: list[bytes | memoryview] = []
        for piece in chunk.pieces[:-1] if noise else chunk.pieces:
            pieces += [packer.compress(piece), packer.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)]
        packed = b"".join([*pieces, *(_plain_blocks(noise) if noise else [packer.flush()])])
        return ("zstd", packed) if size <= RATIO * len(packed) else ("", chunk.data)

    def _statistics(self) -> Statistics:
        return Statistics(
            attachment_count=sum(isinstance(piece, AttachmentIndex) for piece in self._pieces),
            channel_count=len(self._preamble.channels),
            channel_message_counts=dict(sorted(self._counts.items())),
            chunk_count=len(self._chunks),
            message_count=sum(self._counts.values()),
            message_start_time=min((c.message_start_time for c in self._chunks), default=0),
            message_end_time=max((c.message_end_time for c in self._chunks), default=0),
            metadata_count=sum(isinstance(piece, MetadataIndex) for piece in self._pieces),
            schema_count=len(self._preamble.schemas),
        )


def _message_index(channel: int, table: NDArray[np.uint64]) -> bytes:
    """MessageIndex record: (log time, offset in the chunk) of every message of one channel."""
    body = table.astype("<u8").tobytes()
    return struct.pack("<BQHI", Opcode.MESSAGE_INDEX, 6 + len(body), channel, len(body)) + body


def _plain_blocks(data: bytes | memoryview) -> Iterator[bytes | memoryview]:
    """The end of a frame of zstd (RFC 8878, 3.1.1.2): blocks of bytes that are not packed."""
    for at in range(0, len(data), PLAIN_BLOCK):
        part = data[at : at + PLAIN_BLOCK]
        yield (len(part) << 3 | (at + PLAIN_BLOCK >= len(data))).to_bytes(3, "little")
        yield part


def _sum_and_size(chunk: ChunkData) -> tuple[int, int]:
    """CRC-32 and bytes of all pieces together."""
    crc = size = 0
    for piece in chunk.pieces:
        crc, size = zlib.crc32(piece, crc), size + len(piece)
    return crc, size


def _index_of(record: Metadata | Attachment, offset: int, length: int) -> MetadataIndex | AttachmentIndex:
    if isinstance(record, Metadata):
        return MetadataIndex(offset=offset, length=length, name=record.name)
    return AttachmentIndex(
        offset=offset,
        length=length,
        log_time=record.log_time,
        create_time=record.create_time,
        data_size=len(record.data),
        name=record.name,
        media_type=record.media_type,
    )

"""The overview of a log: least and greatest value of every variable in every chunk, so that an hour is seen at once.

The recorder writes it beside the log (``run.overview``). Where it is missing, too short, of another version or damaged, it is
made from the log, chunk by chunk, once: beside the log, or in the user's cache folder where that cannot be written.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import IO, Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.errors import BadInput
from proxops.core.messages import EVENT_DTYPE
from proxops.core.user_file import opened
from proxops.ground.block_bounds import Floats
from proxops.ground.log_file import LogFile, Tail
from proxops.ground.mcap_file import ChunkPlace
from proxops.ground.overview_file import (
    BLOCK_DTYPE,
    DAMAGED,
    TILE_BLOCKS,
    DamagedOverview,
    Read,
    Tile,
    head_bytes,
    read_head,
    read_tiles,
)
from proxops.ground.overview_writer import SUFFIX, OverviewWriter, overview_path
from proxops.ground.unpacking import DAMAGE
from proxops.ground.wire import Column

Progress = Callable[[int, int], None]
"""(bytes of the log read, of how many)."""
LOOKS: Final = 16  # chunks of the log that are compared with an overview before it is believed
KEPT_IN_MEMORY: Final = TILE_BLOCKS  # blocks that a growing log may be ahead of its overview without a new file
CACHED: Final = 16  # overviews that stay in the cache folder


@dataclass(frozen=True)
class OverviewPart:
    """Tiles of one file (or of a piece of memory), read through an open handle."""

    file: IO[bytes]
    tiles: tuple[Tile, ...]

    @property
    def read(self) -> Read:
        return partial(_read, self.file)


@dataclass(frozen=True)
class Overview:
    """An open overview: close it, or use it in a ``with``. ``blocks`` has a row for every chunk (BLOCK_DTYPE)."""

    log: Path
    columns: tuple[Column, ...]
    metadata: dict[str, str]
    parts: tuple[OverviewPart, ...]
    blocks: NDArray[np.void]
    events: NDArray[np.void]
    notes: tuple[str, ...]
    complete: bool
    recording: bool

    @property
    def begin_ns(self) -> int:
        """UTC of the first record; 0 in a log without."""
        filled = self.filled
        return int(filled["utc_first"][0]) if filled.size else 0

    @property
    def filled(self) -> NDArray[np.void]:
        """The blocks that have records."""
        return self.blocks[self.blocks["count"] > 0]

    def bounds(self, name: str) -> tuple[Floats, Floats]:
        """Least and greatest value of ``group.variable`` in every block, NaN where there is no number.

        DamagedOverview when the file is not what it says: then ``overview_of(log, trust=False)``."""
        number = [column.path for column in self.columns].index(name)
        pieces = [tile.bounds(part.read, number) for part in self.parts for tile in part.tiles]
        both = np.concatenate(pieces, axis=1) if pieces else np.empty((2, 0))
        return both[0], both[1]

    def __enter__(self) -> Overview:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        for part in self.parts:
            part.file.close()


def overview_of(log: Path | str, progress: Progress | None = None, *, trust: bool = True) -> Overview:
    """The overview of a log up to now; without ``trust`` made anew. BadInput when there is no log of ours."""
    with LogFile(log) as source:
        stored = _stored(source) if trust else None
        last = stored.tiles[-1].blocks[-1] if stored and stored.tiles else None
        tail = source.tail(int(last["offset"] + last["length"])) if last is not None else source.tail()
        recording = source.recording()
        if stored and not tail.places:
            return _overview(source, (stored,), tail, recording)
        return _overview(source, _grown(source, stored, tail, recording, progress), tail, recording)


def _overview(log: LogFile, parts: tuple[OverviewPart, ...], tail: Tail, recording: bool) -> Overview:
    tiles = [tile for part in parts for tile in part.tiles]
    blocks = np.concatenate([tile.blocks for tile in tiles]) if tiles else np.empty(0, BLOCK_DTYPE)
    events = np.concatenate([tile.events for tile in tiles]) if tiles else np.empty(0, EVENT_DTYPE)
    damaged = blocks["offset"][blocks["count"] == DAMAGED].tolist()
    end = log.end_note(tail)
    notes = (*(f"chunk at byte {at} is damaged and left out" for at in damaged), *([end] if end else []))
    return Overview(
        log.path, log.table.columns, log.metadata, parts, blocks, events, notes, not notes, recording,
    )  # fmt: skip


def _read(file: IO[bytes], count: int, at: int) -> bytes:
    """``count`` bytes from ``at``; of a file without moving anything, so that a growing one is read as it is now."""
    if isinstance(file, BytesIO):
        return file.getbuffer()[at : at + count].tobytes()
    return os.pread(file.fileno(), count, at)


def _stored(log: LogFile) -> OverviewPart | None:
    """What there is of this very log's overview: the longest of those beside it and in the cache."""
    found = [part for path in (overview_path(log.path), _cached(log.path)) if (part := _opened(path, log))]
    found.sort(key=lambda part: sum(tile.blocks.size for tile in part.tiles))
    for part in found[:-1]:
        part.file.close()
    return found[-1] if found else None


def _opened(path: Path, log: LogFile) -> OverviewPart | None:
    """An overview file as far as it is whole and fits the log; None when nothing of it can be used."""
    try:
        file = os.fdopen(opened(path, "the overview"), "rb")
    except BadInput:
        return None
    try:
        part = _part(file, os.fstat(file.fileno()).st_size, [column.path for column in log.table.columns])
    except (DamagedOverview, OSError, ValueError):
        part = None
    if part is None or not _fits(part, log):
        file.close()
        return None
    return part


def _part(file: IO[bytes], size: int, columns: list[str]) -> OverviewPart:
    read = partial(_read, file)
    names, at = read_head(read)
    if names != columns:
        raise DamagedOverview
    return OverviewPart(file, tuple(read_tiles(read, len(columns), at, size)))


def _fits(part: OverviewPart, log: LogFile) -> bool:
    """True when chunks of the log lie where the overview says, with the same checksums: a look at some, first and last always."""
    places = [_place(block) for tile in part.tiles for block in tile.blocks[[0, -1]]]
    spots = np.unique(np.linspace(0, len(places) - 1, LOOKS).astype(int)).tolist() if places else []
    return all(log.place(places[i].offset) == places[i] for i in spots) and (
        not places or places[0] == log.first_place()
    )


def _place(block: np.void) -> ChunkPlace:
    return ChunkPlace(int(block["offset"]), int(block["length"]), int(block["crc"]))


def _grown(
    log: LogFile, stored: OverviewPart | None, tail: Tail, recording: bool, progress: Progress | None
) -> tuple[OverviewPart, ...]:
    """The stored part and what is missing: in memory while the recorder is about to write it, in a new file otherwise."""
    if not (recording and len(tail.places) <= KEPT_IN_MEMORY):
        for path in (overview_path(log.path), _cached(log.path)):
            with contextlib.suppress(OSError):
                part = _written(path, log, stored, tail.places, progress)
                if stored:
                    stored.file.close()
                return (part,)
    memory = BytesIO()
    memory.write(head_bytes([column.path for column in log.table.columns]))
    _fill(memory, log, tail.places, progress)
    rest = _part(memory, memory.tell(), [column.path for column in log.table.columns])
    return (stored, rest) if stored else (rest,)


def _written(
    path: Path, log: LogFile, stored: OverviewPart | None, places: Iterable[ChunkPlace], progress: Progress | None
) -> OverviewPart:
    """A new file in the place of ``path``, complete before it gets that name."""
    columns = [column.path for column in log.table.columns]
    if path.parent != log.path.parent:
        _make_room(path.parent)
    if path.is_dir():
        raise IsADirectoryError(path)
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".", suffix=SUFFIX, delete=False) as file:
        try:
            if stored and stored.tiles:
                stored.file.seek(0)
                _copy(stored.file, file, stored.tiles[-1].end)
            else:
                file.write(head_bytes(columns))
            _fill(file, log, places, progress)
            file.flush()
            os.fchmod(file.fileno(), 0o644)
            os.replace(file.name, path)
        except BaseException:
            Path(file.name).unlink(missing_ok=True)
            raise
    whole = path.open("rb")
    return _part(whole, os.fstat(whole.fileno()).st_size, columns)


def _copy(source: IO[bytes], target: IO[bytes], count: int) -> None:
    while count > 0 and (data := source.read(min(count, 1 << 20))):
        target.write(data)
        count -= len(data)


def _fill(file: IO[bytes], log: LogFile, places: Iterable[ChunkPlace], progress: Progress | None) -> None:
    """Blocks of the chunks at ``places``, as tiles onto the end of ``file``."""
    writer, size = OverviewWriter(file.write, log.table.dtype), log.size
    for place in places:
        try:
            chunk = log.chunk(place)
            writer.add(place, chunk.records, chunk.events)
        except DAMAGE:
            writer.add_damaged(place)
        if progress:
            progress(place.offset + place.length, size)
    writer.flush()


def _cached(log: Path) -> Path:
    """Where the overview of a log in a read-only folder is kept."""
    root = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "proxops" / "overviews"
    return root / (hashlib.sha256(str(log.resolve()).encode()).hexdigest()[:32] + SUFFIX)


def _make_room(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for old in sorted(folder.glob(f"*{SUFFIX}"), key=lambda path: path.stat().st_mtime)[: -CACHED + 1]:
        old.unlink(missing_ok=True)

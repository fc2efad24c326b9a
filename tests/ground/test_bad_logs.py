"""Logs of strangers: flipped bits, cuts, splices and bombs end in BadInput or in what is whole, in bounded memory."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path

import lz4.frame
import numpy as np
import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from log_readers import READERS, read_all
from mcap.opcode import Opcode
from numpy.typing import NDArray
from small_log import START_NS, begun_log, small_pool, write_log

from proxops.core.errors import BadInput
from proxops.core.messages import EVENT_DTYPE
from proxops.ground.blocks import Block
from proxops.ground.column_packer import ColumnPacker
from proxops.ground.info import describe
from proxops.ground.log import Log
from proxops.ground.log_file import LogFile
from proxops.ground.overview import overview_of
from proxops.ground.overview_writer import overview_path
from proxops.ground.provenance import cell_of
from proxops.ground.unpacking import LARGEST_CHUNK

COUNT = 70
SCHEMAS_END = 26_000  # bytes at the beginning that hold header, schemas, channels and metadata
MUTATIONS = 400
NO_EVENTS = np.empty(0, EVENT_DTYPE)


def events() -> np.ndarray:  # type: ignore[type-arg]
    found = np.zeros(3, EVENT_DTYPE)
    found["utc_ns"], found["tick"], found["severity"] = START_NS, [0, 10, 65], 2
    found["name"], found["text"] = b"test", b"something happened"
    return found


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = write_log(tmp_path_factory.mktemp("good") / "run.mcap", small_pool(COUNT), events(), {"scenario": "hold"})
    assert read_all(path) == 0
    return path.read_bytes()


def place(rng: np.random.Generator, size: int) -> int:
    """Schemas, the summary and the rest in equal parts: most bytes are those of packed records, where little can happen."""
    return int(rng.integers(*((8, SCHEMAS_END), (size - 1500, size), (8, size))[rng.integers(3)]))


def mutated(good: bytes, rng: np.random.Generator, kind: int) -> bytes:
    """A bit, some bits, a piece of noise, a piece of itself somewhere else, a cut."""
    raw = bytearray(good)
    if kind == 4:
        return good[: place(rng, len(good))]
    for _ in range(1 if kind == 0 else 4):
        at, length = place(rng, len(raw)), int(rng.integers(1, 40))
        if kind < 2:
            raw[at] ^= 1 << int(rng.integers(8))
        elif kind == 2:
            raw[at : at + length] = rng.bytes(length)
        else:
            other = place(rng, len(raw))
            raw[at : at + int(rng.integers(0, 40))] = raw[other : other + length]
    return bytes(raw)


@pytest.mark.parametrize("part", range(4))
def test_mutations(good: bytes, tmp_path: Path, part: int) -> None:
    rng, others = np.random.default_rng(part), list(READERS.values())
    path = tmp_path / "run.mcap"
    for number in range(MUTATIONS // 4):
        path.write_bytes(mutated(good, rng, number % 5))
        for reader in (others[0], others[1 + number % (len(others) - 1)]):
            try:
                reader(path)
            except BadInput as refusal:
                assert len(str(refusal)) < 2000


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.tuples(st.integers(8, SCHEMAS_END), st.binary(max_size=12), st.integers(0, 12)), min_size=1, max_size=5)
)
def test_any_change_at_the_beginning(
    good: bytes, tmp_path_factory: pytest.TempPathFactory, changes: list[tuple[int, bytes, int]]
) -> None:
    raw = bytearray(good)
    for at, piece, cut in changes:
        raw[at : at + cut] = piece
    path = tmp_path_factory.mktemp("fuzz") / "run.mcap"
    path.write_bytes(raw)
    read_all(path)


def test_text_in_a_schema_that_is_no_utf8(good: bytes, tmp_path: Path) -> None:
    """What used to end in a TypeError: the package hands out bytes where it finds no text."""
    path = tmp_path / "run.mcap"
    for word in (b"[ns]", b"utc_ns", b"MODE_"):
        path.write_bytes(good.replace(word, b"\xff" + word[1:], 1))
        assert read_all(path) == len(READERS)


def test_an_events_schema_with_other_names(good: bytes, tmp_path: Path) -> None:
    path = tmp_path / "run.mcap"
    for word in (b"level", b"nanos", b"message"):
        path.write_bytes(
            good.replace(
                b"\x05" + word if len(word) == 5 else word, (b"\x05" if len(word) == 5 else b"") + b"x" * len(word)
            )
        )
        read_all(path)


def test_index_that_lies_is_not_believed(good: bytes, tmp_path: Path) -> None:
    """Chunks in the summary that are not where they should be: then the file itself is walked."""
    path = tmp_path / "run.mcap"
    path.write_bytes(good)
    with LogFile(path) as log:
        index = log.index()
    for offset in (0, 2**40, int(index["offset"][1]), 2**63):
        raw = bytearray(good)
        at = raw.rfind(struct.pack("<Q", int(index["offset"][0])) + struct.pack("<Q", int(index["length"][0])))
        struct.pack_into("<Q", raw, at, offset)
        raw[-12:-8] = bytes(4)  # no checksum of the summary
        path.write_bytes(raw)
        with LogFile(path) as log:
            assert (log.index() == index).all()
        read_all(path)


def chunk(packing: str, packed: bytes, size: int, crc: int = 0) -> bytes:
    """A chunk record that says ``size``."""
    name = packing.encode()
    body = struct.pack("<QQQII", START_NS, START_NS, size, crc, len(name)) + name
    body += struct.pack("<Q", len(packed)) + packed
    return struct.pack("<BQ", Opcode.CHUNK, len(body)) + body


def with_records(path: Path, *pieces: bytes) -> Path:
    """A log that begins well and goes on with ``pieces``."""
    begun_log(path).close()
    with open(path, "ab") as file:
        file.writelines(pieces)
    return path


def encoded(pool: NDArray[np.void]) -> bytes:
    """The messages of a chunk."""
    columns = ColumnPacker.of(pool.dtype).columns_of(pool)
    return Block(pool, NO_EVENTS, np.empty(0, np.int64)).encode(columns).data


def _records() -> bytes:
    """Pool messages, 200 MB."""
    one = encoded(small_pool(1))
    return one * (200_000_000 // len(one))


def _bombs() -> dict[str, Callable[[Path], Path]]:
    def large(path: Path) -> Path:  # 330 kB that are 3.2 GB
        data = _records()
        piece = chunk("zstd", zstandard.compress(data, 9), len(data))
        return with_records(path, *[piece] * 16)

    def lying(path: Path) -> Path:  # chunks that say they are small
        data = _records()
        plain = zstandard.ZstdCompressor(write_content_size=False).compress(data)
        pieces = zstandard.compress(data), plain, lz4.frame.compress(data), lz4.frame.compress(data, store_size=False)
        return with_records(
            path, *(chunk(k, p, 10_000) for k, p in zip(("zstd", "zstd", "lz4", "lz4"), pieces, strict=True))
        )

    def counting(path: Path) -> Path:  # a hundred thousand events in a kilobyte, again and again
        data = struct.pack("<BQHIQQ", Opcode.MESSAGE, 22, 2, 0, START_NS, START_NS) * 100_000
        piece = chunk("lz4", lz4.frame.compress(data, 9), len(data), zlib.crc32(data))
        return with_records(path, *[piece] * 20)

    def hollow(path: Path) -> Path:  # records of gigabytes in a file that has no such bytes
        begun_log(path).close()
        with open(path, "r+b") as file:
            for code, size in (
                (Opcode.ATTACHMENT, 2**33),
                (Opcode.CHUNK, 2**33),
                (Opcode.SCHEMA, 2**32),
                *[(Opcode.METADATA, 2**24)] * 40,
            ):
                file.seek(0, os.SEEK_END)
                file.write(struct.pack("<BQ", code, size))
                file.truncate(file.tell() + size)
        return path

    return {"large": large, "lying": lying, "counting": counting, "hollow": hollow}


PROGRAM = """
import resource, sys
from pathlib import Path
from log_readers import read_all
pages = int(Path("/proc/self/statm").read_text().split()[0])
limit = pages * resource.getpagesize() + 768 * 2**20
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
read_all(Path(sys.argv[1]))
# Not ru_maxrss: it begins with what the process that started this one had.
peak_kb = next(line.split()[1] for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
print("refused or read,", int(peak_kb) // 1024, "MB")
"""


@pytest.mark.parametrize("kind", _bombs())
def test_bombs_are_read_in_bounded_memory(tmp_path: Path, kind: str) -> None:
    path = _bombs()[kind](tmp_path / "run.mcap")
    paths = os.pathsep.join([str(Path(__file__).parents[1]), *sys.path])
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(path)], capture_output=True, text=True, env=os.environ | {"PYTHONPATH": paths}
    )  # fmt: skip
    assert done.returncode == 0 and "refused or read" in done.stdout, done.stderr[-2000:]
    assert int(done.stdout.split()[-2]) < 600


@pytest.mark.parametrize("kind", ["lz4", "zstd", ""])
def test_a_chunk_is_never_more_than_it_says(tmp_path: Path, kind: str) -> None:
    data = encoded(small_pool(5))
    packed = {"lz4": lz4.frame.compress, "zstd": zstandard.compress, "": bytes}[kind](data)
    path = with_records(tmp_path / "run.mcap", chunk(kind, packed, len(data), zlib.crc32(data)))
    assert len(Log.open(path).pool) == 5
    for size in (0, 1, len(data) - 1, len(data) + 1, LARGEST_CHUNK + 1, 2**63, 2**64 - 1):
        path.unlink()
        log = Log.open(with_records(path, chunk(kind, packed, size)))
        assert len(log.pool) == 0 and "damaged and left out" in log.notes[0]


def test_a_message_without_its_head(tmp_path: Path) -> None:
    data = struct.pack("<BQ", Opcode.MESSAGE, 3) + b"abc"
    path = with_records(tmp_path / "run.mcap", chunk("", data, len(data)), data)
    log = Log.open(path)
    assert "a message without its head" in log.notes[0] and "message record" in log.notes[1]
    assert read_all(path) < len(READERS)


def test_an_event_at_the_end_of_time(tmp_path: Path) -> None:
    body = b"\x0a\x0b\x08" + b"\xff" * 8 + b"\x7f" + b"\x10\x01"  # timestamp.seconds = 2^63 - 1
    data = struct.pack("<BQHIQQ", Opcode.MESSAGE, 22 + len(body), 2, 0, START_NS, 2**64 - 1) + body
    path = with_records(tmp_path / "run.mcap", chunk("", data, len(data)))
    with pytest.raises(BadInput, match="cannot be read"):
        Log.open(path)
    read_all(path)


def test_an_overview_that_is_no_file(good: bytes, tmp_path: Path) -> None:
    path = tmp_path / "run.mcap"
    path.write_bytes(good)
    os.mkfifo(overview_path(path))
    with overview_of(path) as overview:
        assert int(overview.blocks["count"].sum()) == COUNT


def test_tools_in_a_log_that_are_no_poses(tmp_path: Path) -> None:
    for number, text in enumerate(("[" * 5000, "[1, 2]", '"x"', "{}", "[[NaN, 0, 0, 0]]")):
        path = write_log(
            tmp_path / f"{number}.mcap", small_pool(2), metadata={f"T_flange_port{k}": text for k in (1, 2)}
        )
        with pytest.raises(BadInput, match="the recorded tool"):
            cell_of(Log.open(path))


def test_a_log_that_does_not_fit_into_memory(good: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "run.mcap"
    path.write_bytes(good)
    assert describe(Log.open(path))["complete"]
    monkeypatch.setattr("proxops.ground.log._memory", lambda: 200_000)
    with pytest.raises(BadInput, match=r"does not fit into memory.*log_window reads a span"):
        Log.open(path)

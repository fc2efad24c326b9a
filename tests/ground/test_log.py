"""Reading logs: cut, damaged, foreign and older ones; description and export."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from mcap.records import Schema
from mcap.writer import CompressionType, Writer
from numpy.typing import NDArray

from proxops.core.errors import BadInput
from proxops.core.messages import EVENT_DTYPE, POOL, POOL_DTYPE
from proxops.core.vocabulary import Mode
from proxops.ground.blocks import CHANNELS, SCHEMAS, Interleaver
from proxops.ground.column_packer import ColumnPacker
from proxops.ground.export import export_csv
from proxops.ground.info import describe
from proxops.ground.log import Log
from proxops.ground.mcap_file import ChunkData, McapFile, Preamble
from proxops.ground.recover import recover
from proxops.ground.schema import POOL_NAME, message_class, pool_schema
from proxops.ground.wire import encode_pool

MadeUp = Callable[..., NDArray[np.void]]


@pytest.fixture
def written(tmp_path: Path, made_up: MadeUp, event: Callable[..., np.void]) -> Path:
    """A whole log of 200 records and 4 events, without a process."""
    path = tmp_path / "whole.mcap"
    both = Interleaver(most=62)
    both.add(made_up(200), np.array([event(t) for t in (0, 62, 63, 199)], EVENT_DTYPE))
    file, packer = McapFile(path), ColumnPacker.of(POOL_DTYPE)
    file.begin(Preamble(SCHEMAS, CHANNELS))
    for block in both.blocks(last=True):
        file.add(block.encode(packer.columns_of(block.pool)))
    file.finish()
    file.close()
    return path


def test_cut_anywhere_reads_what_is_whole(written: Path, tmp_path: Path, made_up: MadeUp) -> None:
    data, pool = written.read_bytes(), made_up(200)
    cut = tmp_path / "cut.mcap"
    sizes = set()
    for length in np.linspace(8, len(data) - 1, 60).astype(int):
        cut.write_bytes(data[:length])
        try:
            log = Log.open(cut)
        except BadInput as error:
            assert "no topic /pool" in str(error) and not sizes
            continue
        assert not log.complete and log.notes
        assert log.pool.tobytes() == pool[: log.pool.size].tobytes()
        sizes.add(log.pool.size)
    assert sizes == {0, 62, 124, 186, 200}


def test_damage_never_crashes_and_never_lies(written: Path, tmp_path: Path, made_up: MadeUp) -> None:
    data, pool = written.read_bytes(), made_up(200)
    rng = np.random.default_rng(5)
    hurt = tmp_path / "hurt.mcap"
    for _ in range(80):
        raw = bytearray(data)
        raw[int(rng.integers(8, len(raw)))] ^= 1 << int(rng.integers(8))
        hurt.write_bytes(raw)
        try:
            log = Log.open(hurt)
        except BadInput:
            continue
        if log.pool.dtype == POOL_DTYPE:
            assert log.pool.tobytes() == pool[log.pool["clock"]["tick"]].tobytes()


def test_two_threads_read_at_once(written: Path) -> None:
    """As two pages of the console do; with one unpacker for both the process crashed."""
    with ThreadPoolExecutor(2) as readers:
        assert set(readers.map(lambda _: Log.open(written).count, range(400))) == {200}


def test_damaged_chunk_is_left_out_and_named(written: Path, tmp_path: Path) -> None:
    data = bytearray(written.read_bytes())
    data[len(data) // 2] ^= 0xFF
    (tmp_path / "hurt.mcap").write_bytes(data)
    log = Log.open(tmp_path / "hurt.mcap")
    assert not log.complete and "damaged and left out" in log.notes[0]
    assert log.pool.size == 200 - 62
    assert describe(log)["gaps"]["lost_ticks"] == 62


@pytest.mark.parametrize(
    ("content", "says"),
    [(b"", "not an MCAP log"), (b"tick,rail\n0,0\n", "not an MCAP log"), (None, "cannot read the log: no such file")],
)
def test_what_is_not_a_log(tmp_path: Path, content: bytes | None, says: str) -> None:
    path = tmp_path / "other.mcap"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(BadInput, match=says):
        Log.open(path)


def test_mcap_of_somebody_else(tmp_path: Path) -> None:
    path = tmp_path / "other.mcap"
    with open(path, "wb") as file:
        writer = Writer(file)
        writer.start()
        schema = writer.register_schema("Camera", "jsonschema", b"{}")
        channel = writer.register_channel("/camera", "json", schema)
        writer.add_message(channel, 1, b"{}", 1)
        writer.finish()
    with pytest.raises(BadInput, match=r"no topic /pool.*topics: /camera"):
        Log.open(path)


@pytest.mark.parametrize("compression", list(CompressionType))
def test_log_rewritten_by_another_tool(tmp_path: Path, made_up: MadeUp, compression: CompressionType) -> None:
    """Other compression, schemas inside chunks, zeros left out: still the same records."""
    path, pool = tmp_path / "rewritten.mcap", made_up(40)
    pool["wish"]["rail"] = 0.0
    kind = message_class(pool_schema(), POOL_NAME)
    with open(path, "wb") as file:
        writer = Writer(
            file, compression=compression, use_chunking=compression != CompressionType.NONE, chunk_size=9000
        )
        writer.start()
        channel = writer.register_channel(
            "/pool", "protobuf", writer.register_schema(POOL_NAME, "protobuf", pool_schema())
        )
        for i, row in enumerate(encode_pool(pool)):
            body = row.tobytes() if i < 20 else kind.FromString(row.tobytes()).SerializeToString()
            writer.add_message(channel, i, body, i, i)
        writer.finish()
    log = Log.open(path)
    assert log.complete and log.pool.tobytes() == pool.tobytes()
    assert recover(path, tmp_path / "again.mcap").messages == {"/pool": 40}
    assert Log.open(tmp_path / "again.mcap").pool.tobytes() == pool.tobytes()


def test_log_of_an_older_table(tmp_path: Path, made_up: MadeUp) -> None:
    """A table without its last group and with a variable less still reads, under its own names."""
    groups = (POOL[0], replace(POOL[1], variables=POOL[1].variables[:-1]), *POOL[2:-1])
    kind = message_class(pool_schema(groups), POOL_NAME)
    pool = made_up(3)
    bodies = []
    for row in encode_pool(pool):
        message = kind.FromString(row.tobytes())
        message.DiscardUnknownFields()
        bodies.append(message.SerializeToString())
    data, table = b"", []
    for i, body in enumerate(bodies):
        table.append((i, len(data)))
        data += b"\x05" + (22 + len(body)).to_bytes(8, "little") + (1).to_bytes(2, "little") + bytes(20) + body
    file = McapFile(tmp_path / "old.mcap")
    file.begin(Preamble((Schema(id=1, name=POOL_NAME, encoding="protobuf", data=pool_schema(groups)),), CHANNELS[:1]))
    file.add(ChunkData((data,), {1: np.array(table, np.uint64)}))
    file.finish()
    file.close()
    log = Log.open(tmp_path / "old.mcap")
    assert "timing" not in log.pool.dtype.names and "alarms" not in log.pool.dtype["state"].names
    assert log.pool["answer"].tobytes() == pool["answer"].tobytes()
    with pytest.raises(BadInput, match=r"state\.alarms.*state\.mode"):
        log.values("state.alarms")


def test_description(written: Path) -> None:
    log = Log.open(written)
    told = describe(log)
    json.dumps(told)
    assert told["duration_s"] == pytest.approx(199 * 0.004)
    assert told["start"]["utc"] == "2026-01-01T00:00:00.000000000Z"
    assert told["end"]["gps_ns"] == log.pool["clock"]["gps_ns"][-1]
    assert told["cycles"] == {"count": 200, "rate_hz": pytest.approx(250.0)}
    assert told["topics"]["/cycles"]["count"] == 4 and told["topics"]["/pool"]["count"] == 7, (
        "five a second, from the first of each block on"
    )
    assert told["gaps"] == {"count": 0, "lost_ticks": 0, "first": []}
    assert sum(told["events"].values()) == 4
    rail = told["variables"]["actual.rail"]
    assert rail["unit"] == "m" and rail["min"] == log.pool["actual"]["rail"].min()
    assert len(told["variables"]) == sum(len(g.variables) for g in POOL)


def test_description_counts_gaps_and_copes_with_nan(made_up: MadeUp, log_of: Callable[..., Log]) -> None:
    pool = np.delete(made_up(50), [10, 11, 30])
    pool["margin"]["wrist"] = np.nan
    log = log_of(pool)
    log.path.write_bytes(b"")
    told = describe(log)
    json.dumps(told, allow_nan=False)
    assert told["gaps"]["count"] == 2 and told["gaps"]["lost_ticks"] == 3
    assert told["gaps"]["first"][0] == {"after_tick": 9, "missing": 2}
    wrist = told["variables"]["margin.wrist"]
    assert wrist["max"] is None and wrist["not_finite"] == 47


def test_export_reads_back_exactly(made_up: MadeUp, log_of: Callable[..., Log], tmp_path: Path) -> None:
    pool = made_up(5000)
    out = tmp_path / "run.csv"
    assert export_csv(log_of(pool), out, ["clock", "actual.rail", "actual_port1.qw"]) == 5000
    lines = out.read_text().splitlines()
    clock = "clock.tick [1],clock.t_sim [s],clock.utc_ns [ns],clock.gps_ns [ns]"
    assert lines[0] == f"{clock},actual.rail [m],actual_port1.qw [1]"
    cells = [line.split(",") for line in lines[1:]]
    assert [int(row[2]) for row in cells] == pool["clock"]["utc_ns"].tolist()
    assert [float(row[4]) for row in cells] == pool["actual"]["rail"].tolist()


def test_export_all_with_words(made_up: MadeUp, log_of: Callable[..., Log], tmp_path: Path) -> None:
    pool = made_up(2)
    pool["state"]["mode"] = Mode.RUNNING, 99
    out = tmp_path / "run.csv"
    export_csv(log_of(pool), out, words=True)
    head, first, second = (line.split(",") for line in out.read_text().splitlines())
    assert len(head) == sum(len(g.variables) for g in POOL) == len(first)
    place = head.index("state.mode")
    assert (first[place], second[place]) == ("RUNNING", "99")


def test_export_of_an_unknown_name(made_up: MadeUp, log_of: Callable[..., Log], tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"actual\.raill.*actual\.rail"):
        export_csv(log_of(made_up(1)), tmp_path / "run.csv", ["actual.raill"])
    assert not (tmp_path / "run.csv").exists()

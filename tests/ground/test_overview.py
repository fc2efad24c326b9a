"""The overview against brute force over the whole log, and what becomes of missing, short, foreign and damaged ones."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from small_log import SMALL_BLOCK, begun_log, write_log

from proxops.core.errors import BadInput
from proxops.core.experiment_result import ExperimentResult, Series
from proxops.core.messages import EVENT_DTYPE
from proxops.ground import overview as overview_module
from proxops.ground.block_bounds import BlockBounds
from proxops.ground.blocks import BLOCK_NS, Interleaver
from proxops.ground.column_packer import ColumnPacker
from proxops.ground.experiment_log import write_experiment
from proxops.ground.log import Log
from proxops.ground.overview import Overview, overview_of
from proxops.ground.overview_file import TILE_BLOCKS, DamagedOverview
from proxops.ground.overview_writer import overview_path

MadeUp = Callable[..., NDArray[np.void]]
BLOCKS = TILE_BLOCKS + 6  # one whole tile and a bit
COUNT = BLOCKS * SMALL_BLOCK - 20  # the last block is not full


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache"


def records(made_up: MadeUp, count: int = COUNT) -> NDArray[np.void]:
    """Random numbers, a block a second. Some NaN, one variable without any number in the second block, one infinite value."""
    pool = made_up(count)
    pool["clock"]["utc_ns"] = pool["clock"]["utc_ns"][0] + np.arange(count) * (BLOCK_NS // SMALL_BLOCK + 1)
    pool["actual"]["rail"][::3] = np.nan
    pool["margin"]["wrist"][SMALL_BLOCK : 2 * SMALL_BLOCK] = np.nan
    pool["margin"]["elbow"][7] = np.inf
    pool["state"]["rule"][5] = 200  # more than viewers see: one byte of protobuf holds 127
    return pool


@pytest.fixture(scope="module")
def left(new_run: Callable[..., Any], made_up: MadeUp, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a recorder process has left: a log, with its overview."""
    run = new_run(tmp_path_factory.mktemp("left") / "run.mcap", slots=8192, forked=True)
    run.recorder.wait_ready()
    run.push(records(made_up), event_every=100)
    assert run.recorder.finish() == 0
    run.recorder.last_words()
    return Path(run.out)


@pytest.fixture(scope="module")
def written(made_up: MadeUp, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_log(tmp_path_factory.mktemp("written") / "plain.mcap", records(made_up))


@pytest.fixture
def recorded(left: Path, tmp_path: Path) -> Path:
    """A log of a recorder process, with the overview it has left; a test may harm both."""
    shutil.copy2(overview_path(left), overview_path(tmp_path / "run.mcap"))
    return Path(shutil.copy2(left, tmp_path / "run.mcap"))


@pytest.fixture
def plain(written: Path, tmp_path: Path) -> Path:
    """A log without an overview."""
    return Path(shutil.copy2(written, tmp_path / "plain.mcap"))


def check(overview: Overview, log: Log) -> None:
    """Every variable of every block, by brute force."""
    with overview:
        assert int(overview.blocks["count"].sum()) == log.pool.size
        assert overview.blocks["count"].min() > 0
        ends = np.cumsum(overview.blocks["count"])
        starts = ends - overview.blocks["count"]
        clock = log.pool["clock"]
        for name, field in (("utc", "utc_ns"), ("tick", "tick"), ("t_sim", "t_sim")):
            assert overview.blocks[f"{name}_first"].tolist() == clock[field][starts].tolist()
            assert overview.blocks[f"{name}_last"].tolist() == clock[field][ends - 1].tolist()
        assert overview.events.tobytes() == log.events.tobytes()
        assert overview.columns == log.columns and overview.metadata == log.metadata
        for column in log.columns:
            values = log.values(column.path).astype(float)
            for bound, of in zip(overview.bounds(column.path), (np.fmin, np.fmax), strict=True):
                # Of numbers; NaN where there is none.
                np.testing.assert_array_equal(bound, of.reduceat(values, starts), err_msg=column.path)


def test_the_recorders_overview_is_brute_force(recorded: Path) -> None:
    before = overview_path(recorded).read_bytes()
    with overview_of(recorded) as found:
        assert found.complete and not found.notes and not found.recording
        assert found.blocks.size == BLOCKS
    check(overview_of(recorded), Log.open(recorded))
    assert overview_path(recorded).read_bytes() == before, "what the recorder left was good enough"


def test_made_later_it_is_the_same_byte_for_byte(recorded: Path) -> None:
    made = overview_path(recorded)
    by_recorder = made.read_bytes()
    made.unlink()
    seen: list[tuple[int, int]] = []
    overview_of(recorded, lambda done, of: seen.append((done, of))).close()
    assert made.read_bytes() == by_recorder
    assert len(seen) == BLOCKS and seen == sorted(seen) and seen[-1][0] <= seen[-1][1] == recorded.stat().st_size


def cut(data: bytes) -> bytes:
    return data[: len(data) // 3]


def within_a_tile(data: bytes) -> bytes:
    return data[:-100]


def other_version(data: bytes) -> bytes:
    return data[:8] + b"\x63" + data[9:]


def damaged_head(data: bytes) -> bytes:
    return data[:60] + b"?" + data[61:]


def damaged_times(data: bytes) -> bytes:
    at = data.index(b"TILE") + 40
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


@pytest.mark.parametrize("harm", [cut, within_a_tile, other_version, damaged_head, damaged_times, lambda _: b""])
def test_a_harmed_overview_is_mended_from_the_log(recorded: Path, harm: Callable[[bytes], bytes]) -> None:
    path = overview_path(recorded)
    whole = path.read_bytes()
    path.write_bytes(harm(whole))
    check(overview_of(recorded), Log.open(recorded))
    assert path.read_bytes() == whole
    assert not list(path.parent.glob(".*")), "nothing is left lying about"


def test_damaged_values_are_never_shown(recorded: Path) -> None:
    path = overview_path(recorded)
    whole = path.read_bytes()
    path.write_bytes(whole[:-5] + bytes([whole[-5] ^ 4]) + whole[-4:])  # the very last variable
    with overview_of(recorded) as found:
        found.bounds("clock.tick")
        with pytest.raises(DamagedOverview):
            found.bounds(found.columns[-1].path)
    check(overview_of(recorded, trust=False), Log.open(recorded))
    assert path.read_bytes() == whole


def test_the_overview_of_another_log_is_not_believed(plain: Path, tmp_path: Path, made_up: MadeUp) -> None:
    overview_of(plain).close()
    pool = records(made_up)
    pool["actual"]["robot1_a1"][-1] += 1.0  # one value in the last chunk
    other = write_log(tmp_path / "other.mcap", pool)
    shutil.copy(overview_path(plain), overview_path(other))
    check(overview_of(other), Log.open(other))


def test_a_killed_recorders_overview_is_completed(
    start: Callable[..., object], made_up: MadeUp, wait: Callable[..., None]
) -> None:
    run = start(slots=8192)
    run.push(records(made_up), event_every=100)
    wait(run.taken, "all records taken")
    with overview_of(run.out) as growing:
        assert growing.recording and not growing.complete
        assert growing.blocks.size >= BLOCKS - 1
    beside = overview_path(run.out).stat().st_size
    check(overview_of(run.out), Log.open(run.out))
    assert overview_path(run.out).stat().st_size == beside, "the recorder's file is its own while it records"
    os.kill(run.recorder.pid, signal.SIGKILL)
    run.recorder.finish()
    with overview_of(run.out) as found:
        assert not found.recording and not found.complete and "no end" in found.notes[0]
    assert overview_path(run.out).stat().st_size > beside
    check(overview_of(run.out), Log.open(run.out))


def test_a_log_that_grows_without_a_recorders_overview(tmp_path: Path, made_up: MadeUp) -> None:
    """Far ahead of its overview it gets a file; a little ahead it is completed in memory."""
    path, pool = tmp_path / "growing.mcap", records(made_up, 100 * SMALL_BLOCK)
    file, interleaver, packer = begun_log(path), Interleaver(most=SMALL_BLOCK), ColumnPacker.of(pool.dtype)
    interleaver.add(pool, np.empty(0, EVENT_DTYPE))
    blocks = list(interleaver.blocks(last=True))
    for block in blocks[:70]:
        file.add(block.encode(packer.columns_of(block.pool)))
    with overview_of(path) as found:
        assert found.recording and found.blocks.size == 70
    stored = overview_path(path).read_bytes()
    for block in blocks[70:]:
        file.add(block.encode(packer.columns_of(block.pool)))
    with overview_of(path) as found:
        assert found.recording and found.blocks.size == 100 and len(found.parts) == 2
        low, _ = found.bounds("actual.rail")
        assert low[-1] == np.nanmin(pool["actual"]["rail"][-SMALL_BLOCK:])
    assert overview_path(path).read_bytes() == stored
    file.finish()
    file.close()
    with overview_of(path) as found:
        assert found.complete and not found.recording and len(found.parts) == 1


def test_a_folder_that_cannot_be_written(plain: Path, own_cache: Path) -> None:
    overview_path(plain).mkdir()  # even root cannot put a file there
    check(overview_of(plain), Log.open(plain))
    kept = list(own_cache.rglob("*.overview"))
    assert len(kept) == 1
    stamp = kept[0].stat().st_mtime_ns
    check(overview_of(plain), Log.open(plain))
    assert kept[0].stat().st_mtime_ns == stamp, "made once"


def test_nowhere_to_write_at_all(plain: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    overview_path(plain).mkdir()
    (tmp_path / "a file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "a file"))
    check(overview_of(plain), Log.open(plain))


def test_the_cache_does_not_grow_for_ever(plain: Path, own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(overview_module, "CACHED", 3)
    folder = own_cache / "proxops" / "overviews"
    folder.mkdir(parents=True)
    for k in range(5):
        (folder / f"{k}.overview").write_text("old")
        os.utime(folder / f"{k}.overview", (k, k))
    overview_path(plain).mkdir()
    overview_of(plain).close()
    assert len(list(folder.iterdir())) == 3
    assert {path.name for path in folder.iterdir()} >= {"3.overview", "4.overview"}


def test_a_damaged_chunk_is_left_out_and_named(plain: Path) -> None:
    with overview_of(plain) as found:
        place = int(found.blocks["offset"][3])
    overview_path(plain).unlink()
    data = bytearray(plain.read_bytes())
    data[place + 200] ^= 0xFF
    plain.write_bytes(data)
    with overview_of(plain) as found:
        assert not found.complete and str(place) in found.notes[0]
        assert found.blocks["count"][3] == -1 and np.isnan(found.bounds("clock.tick")[0][3])
        assert found.filled.size == BLOCKS - 1


@pytest.mark.parametrize("kept", [0.5, 0.999])
def test_a_log_cut_off_has_an_overview_of_what_is_left(plain: Path, kept: float) -> None:
    data = plain.read_bytes()
    plain.write_bytes(data[: int(len(data) * kept)])
    with overview_of(plain) as found:
        assert not found.complete and found.notes == Log.open(plain).notes
    check(overview_of(plain), Log.open(plain))


def test_an_overview_of_a_log_that_was_longer(plain: Path) -> None:
    overview_of(plain).close()
    data = plain.read_bytes()
    plain.write_bytes(data[: len(data) // 2])
    check(overview_of(plain), Log.open(plain))


def test_the_log_of_an_experiment(tmp_path: Path) -> None:
    t = np.arange(1700) * 0.01
    series = Series("arm", "an arm", (("q1", "rad"), ("q2", "rad")), np.stack([np.sin(t), np.cos(t)], axis=1))
    result = ExperimentResult(t=t, series=(series,), figures={}, criteria=(), failure="it broke")
    path = tmp_path / "run.mcap"
    write_experiment(path, result, {"scenario": "test"})
    log = Log.open(path)
    with overview_of(path) as found:
        counts = found.blocks["count"].tolist()
        assert sum(counts) == 1700 and set(counts) == {100}, "a second"
        low, high = found.bounds("arm.q1")
        rows = [slice(at, at + 100) for at in range(0, 1700, 100)]
        assert low.tolist() == [log.values("arm.q1")[r].min() for r in rows]
        assert high.tolist() == [log.values("arm.q1")[r].max() for r in rows]
        assert found.events["text"].tolist() == [b"it broke"]


def test_a_log_without_records(start: Callable[..., object], event: Callable[..., np.void]) -> None:
    run = start()
    run.events.push(event(0))
    run.recorder.finish()
    with overview_of(run.out) as found:
        assert found.complete and found.events.size == 1 and found.begin_ns == 0 and not found.filled.size


def test_what_is_not_a_log(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="cannot read the log: no such file"):
        overview_of(tmp_path / "none.mcap")
    (tmp_path / "text.mcap").write_text("hello, this is not a log")
    with pytest.raises(BadInput, match="not an MCAP log"):
        overview_of(tmp_path / "text.mcap")


def test_bounds_of_every_type(made_up: MadeUp) -> None:
    pool = made_up(9)
    low, high = BlockBounds(pool.dtype).of(pool)
    names = [(group, name) for group in pool.dtype.names for name in pool.dtype[group].names]
    assert low.tolist() == [float(pool[g][n].min()) for g, n in names]
    assert high.tolist() == [float(pool[g][n].max()) for g, n in names]
    assert np.isnan(BlockBounds(pool.dtype).of(pool[:0])[0]).all()

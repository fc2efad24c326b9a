"""Windows, samples and curves against slices of the whole log; and how few chunks are unpacked for them."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from small_log import SMALL_BLOCK as BLOCK_RECORDS
from small_log import write_log

from proxops.core.errors import BadInput
from proxops.core.messages import EVENT_DTYPE
from proxops.ground import log_curves
from proxops.ground.log import Log
from proxops.ground.log_curves import curves
from proxops.ground.log_file import LogFile
from proxops.ground.log_window import samples_at, window
from proxops.ground.overview import overview_of
from proxops.ground.overview_writer import overview_path

MadeUp = Callable[..., NDArray[np.void]]
BLOCKS = 40
COUNT = BLOCKS * BLOCK_RECORDS + 11
SPIKE = 1234  # record
NAMES = ("actual.rail", "state.mode", "clock.utc_ns", "bridge.lost")


@pytest.fixture(scope="module")
def pool(made_up: MadeUp) -> NDArray[np.void]:
    """Nobody writes into it."""
    pool = made_up(COUNT)
    pool["actual"]["rail"] = np.sin(np.arange(COUNT) * 0.01)
    pool["actual"]["rail"][SPIKE] = 50.0
    pool["actual"]["rail"][SPIKE + 700] = -50.0
    pool.flags.writeable = False
    return pool


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory, pool: NDArray[np.void], event: Callable[..., np.void]) -> Path:
    """A log with events, one of them at the very beginning of a chunk and stamped before its first record."""
    events = np.array([event(3), event(5 * BLOCK_RECORDS), event(900)], EVENT_DTYPE)
    events["utc_ns"][1] -= 3_000_000
    return write_log(tmp_path_factory.mktemp("written") / "run.mcap", pool, events)


@pytest.fixture
def path(tmp_path: Path, written: Path) -> Path:
    """The log, for a test to damage and to put files beside it."""
    return Path(shutil.copy(written, tmp_path / "run.mcap"))


@pytest.mark.parametrize(
    ("t0", "t1"),
    [(0.0, 0.0), (1.0, 2.0), (1.001, 1.9999), (-5.0, 0.1), (9.0, 1e9), (3.0, 3.0039), (2e3, 3e3), (2.0, 1.0)],
)
@pytest.mark.parametrize("step", [1, 7, 100])
def test_a_window_is_a_slice_of_the_log(path: Path, t0: float, t1: float, step: int) -> None:
    log = Log.open(path)
    t = (log.values("clock.utc_ns") - log.values("clock.utc_ns")[0]) * 1e-9
    rows = np.flatnonzero((t >= t0) & (t <= t1))[::step]
    found = window(path, t0, t1, NAMES, step)
    assert found.tick.tolist() == log.values("clock.tick")[rows].tolist()
    assert found.t.tolist() == t[rows].tolist()
    for name in NAMES:
        assert found.values[name].dtype == log.values(name).dtype
        assert found.values[name].tolist() == log.values(name)[rows].tolist()


def test_only_the_chunks_of_the_window_are_unpacked(path: Path) -> None:
    chunk_s = BLOCK_RECORDS * 0.004
    assert window(path, 3.2 * chunk_s, 3.4 * chunk_s, NAMES).decoded == 1
    assert window(path, 3.2 * chunk_s, 5.4 * chunk_s, NAMES).decoded == 3
    assert window(path, 1e6, 2e6, NAMES).decoded == 0


@pytest.mark.parametrize("end", [True, False])
def test_the_index_is_the_same_with_and_without_a_summary(
    tmp_path: Path, path: Path, pool: NDArray[np.void], end: bool
) -> None:
    data = path.read_bytes()
    if not end:
        path.write_bytes(data[: len(data) - 40])  # the footer is gone, the chunks are whole
    with LogFile(path) as log, overview_of(path) as overview:
        index = log.index()
        assert index.size == BLOCKS + 1 and log.summarised() == end
        assert index["offset"].tolist() == overview.blocks["offset"].tolist()
        assert index["length"].tolist() == overview.blocks["length"].tolist()
        assert log.decoded == 0
    assert window(path, 0.5, 1.0, NAMES).tick.tolist() == list(range(125, 251))


def test_samples_are_the_newest_records_before_their_times(path: Path, pool: NDArray[np.void]) -> None:
    rng = np.random.default_rng(5)
    times = np.concatenate([rng.uniform(-1.0, COUNT * 0.004 + 1.0, 100), np.arange(COUNT) * 0.004])
    found = samples_at(path, times, NAMES)
    expected = np.clip(np.floor(np.round(times / 0.004, 6)), 0, COUNT - 1).astype(int)
    assert found.tick.tolist() == expected.tolist()
    assert found.values["actual.rail"].tolist() == pool["actual"]["rail"][expected].tolist()


def test_an_event_before_the_first_record_of_a_chunk_does_not_mislead(path: Path) -> None:
    """Such a chunk begins, by its index, before its own first record: the newest before that is in the chunk before."""
    first = 5 * BLOCK_RECORDS
    found = samples_at(path, [first * 0.004 - 0.002, first * 0.004], NAMES)
    assert found.tick.tolist() == [first - 1, first]


def test_samples_of_a_replay_unpack_each_chunk_once(path: Path) -> None:
    found = samples_at(path, np.arange(1.0, 3.0, 0.04), NAMES)
    assert found.decoded == len({int(t / 0.004) // BLOCK_RECORDS for t in np.round(np.arange(1.0, 3.0, 0.04), 6)})


def test_a_damaged_chunk_leaves_a_gap(path: Path) -> None:
    with LogFile(path) as log:
        at = int(log.index()["offset"][2])
    data = bytearray(path.read_bytes())
    data[at + 300] ^= 0xFF
    path.write_bytes(data)
    kept = [tick for tick in range(4 * BLOCK_RECORDS) if tick // BLOCK_RECORDS != 2]
    assert window(path, 0.0, (4 * BLOCK_RECORDS - 1) * 0.004, NAMES).tick.tolist() == kept
    assert samples_at(path, [2.5 * BLOCK_RECORDS * 0.004], NAMES).tick.tolist() == [2 * BLOCK_RECORDS - 1]


def test_names_and_times_are_checked(path: Path) -> None:
    with pytest.raises(BadInput, match=r"actual\.rail"):
        window(path, 0.0, 1.0, ["actual.tail"])
    with pytest.raises(BadInput, match="no such variable"):
        curves(path, ["nothing.there"], 0.0, 1.0, 100)
    with pytest.raises(BadInput, match="not a time"):
        samples_at(path, [float("nan")], NAMES)
    with pytest.raises(BadInput, match="step"):
        window(path, 0.0, 1.0, NAMES, 0)
    for span, pixels in (((1.0, 0.0), 10), ((0.0, float("nan")), 10), ((0.0, 1.0), 0), ((0.0, 1.0), 10**9)):
        with pytest.raises(BadInput):
            curves(path, NAMES, *span, pixels)


@pytest.mark.parametrize("pixels", [1, 2, 3, 17, 40, 41, 100, 619, 620, 2491, 5000])
@pytest.mark.parametrize("from_overview", [False, True])
def test_a_spike_of_one_cycle_survives(
    path: Path, pool: NDArray[np.void], monkeypatch: pytest.MonkeyPatch, pixels: int, from_overview: bool
) -> None:
    if from_overview:
        monkeypatch.setattr(log_curves, "READ_BLOCKS", 0)
        monkeypatch.setattr(log_curves, "RECORDS_PER_PIXEL", 0)
    found = curves(path, ["actual.rail", "state.mode"], 0.0, 1e9, pixels)
    assert found.exact is not from_overview
    assert 0 < found.t.size <= pixels
    low, high = found.low["actual.rail"], found.high["actual.rail"]
    assert (high.max(), low.min()) == (50.0, -50.0)
    span_s = found.records_per_column * 0.004
    assert abs(found.t[high.argmax()] - SPIKE * 0.004) <= span_s, "and it is where it was"
    assert (np.diff(found.t) > 0).all() and (low <= high).all()


@pytest.mark.parametrize("pixels", [1, 13, 400])
def test_columns_are_brute_force_over_their_records(path: Path, pool: NDArray[np.void], pixels: int) -> None:
    found = curves(path, ["actual.rail"], 1.0, 8.0, pixels)
    values = pool["actual"]["rail"][250:2001]
    each = int(found.records_per_column)
    parts = [values[k : k + each] for k in range(0, values.size, each)]
    assert found.low["actual.rail"].tolist() == [part.min() for part in parts]
    assert found.high["actual.rail"].tolist() == [part.max() for part in parts]
    middles = [1.0 + 0.004 * (k * each + 0.5 * (part.size - 1)) for k, part in enumerate(parts)]
    np.testing.assert_allclose(found.t, middles, atol=1e-9)  # stamps are whole nanoseconds


def test_few_records_are_shown_as_they_are(path: Path, pool: NDArray[np.void]) -> None:
    found = curves(path, ["actual.rail"], 2.0, 2.4, 1000)
    assert found.records_per_column == 1 and found.exact
    assert (
        found.low["actual.rail"].tolist()
        == found.high["actual.rail"].tolist()
        == pool["actual"]["rail"][500:601].tolist()
    )


def test_a_span_without_records_is_empty(path: Path) -> None:
    found = curves(path, ["actual.rail"], 1e5, 2e5, 100)
    assert found.t.size == 0 and found.low["actual.rail"].size == 0


def test_a_damaged_overview_is_made_again_behind_the_scenes(
    path: Path, monkeypatch: pytest.MonkeyPatch, pool: NDArray[np.void]
) -> None:
    monkeypatch.setattr(log_curves, "READ_BLOCKS", 0)
    monkeypatch.setattr(log_curves, "RECORDS_PER_PIXEL", 0)
    overview_of(path).close()
    beside = overview_path(path)
    whole = beside.read_bytes()
    beside.write_bytes(whole[:-5] + b"?" + whole[-4:])
    last = f"{pool.dtype.names[-1]}.{pool.dtype[-1].names[-1]}"
    found = curves(path, [last], 0.0, 1e9, 10)
    group, name = last.split(".")
    assert found.high[last].max() == pool[group][name].max()
    assert beside.read_bytes() == whole

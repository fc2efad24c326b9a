"""Every cycle as a standard message, and logs from before there were columns: the same numbers by the same reader."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from mcap.reader import make_reader
from mcap_protobuf.decoder import DecoderFactory
from numpy.typing import NDArray
from old_log import write_old_log
from small_log import SMALL_BLOCK, write_log

from proxops.core.errors import BadInput
from proxops.core.messages import EVENT_DTYPE
from proxops.ground.info import describe
from proxops.ground.log import Log
from proxops.ground.log_window import samples_at, window
from proxops.ground.overview import overview_of
from proxops.ground.recover import recover
from proxops.ground.standard_log import export_messages

MadeUp = Callable[..., NDArray[np.void]]
COUNT = 200
NAMES = ["actual.rail", "state.mode", "bridge.taken"]


@pytest.fixture
def pool(made_up: MadeUp) -> NDArray[np.void]:
    return made_up(COUNT)


@pytest.fixture
def events(event: Callable[..., np.void]) -> NDArray[np.void]:
    return np.array([event(t) for t in (0, 62, 63, 199)], EVENT_DTYPE)


@pytest.fixture
def both(pool: NDArray[np.void], events: NDArray[np.void], tmp_path: Path) -> tuple[Path, Path]:
    """The same run as an old and as a new log."""
    return write_old_log(tmp_path / "old.mcap", pool, events), write_log(tmp_path / "new.mcap", pool, events)


def test_old_logs_say_the_same_by_every_way_of_reading(both: tuple[Path, Path], pool: NDArray[np.void]) -> None:
    old, new = (Log.open(path) for path in both)
    assert old.topics == {"/pool": COUNT, "/events": 4} and new.topics["/pool"] < COUNT // 10
    assert old.pool.tobytes() == new.pool.tobytes() == pool.tobytes()
    assert old.events.tobytes() == new.events.tobytes() and old.columns == new.columns
    told = [{k: v for k, v in describe(log).items() if k not in ("file", "bytes", "topics")} for log in (old, new)]
    assert told[0] == told[1]
    for first, second in zip(*(window(path, 0.1, 0.7, NAMES, step=3).values.items() for path in both), strict=True):
        assert first[0] == second[0] and first[1].tobytes() == second[1].tobytes()
    rows = [samples_at(path, [0.0, 0.33, 0.5], NAMES) for path in both]
    assert rows[0].tick.tolist() == rows[1].tick.tolist()
    with overview_of(both[0]) as a, overview_of(both[1]) as b:
        assert a.blocks["count"].tolist() == b.blocks["count"].tolist() == [SMALL_BLOCK] * 3 + [COUNT - 3 * SMALL_BLOCK]
        assert all(np.array_equal(a.bounds(name), b.bounds(name)) for name in NAMES)


def test_an_old_log_that_was_cut_off_is_recovered(both: tuple[Path, Path], tmp_path: Path) -> None:
    old = both[0]
    old.write_bytes(old.read_bytes()[:-200_000])
    kept = Log.open(old)
    assert not kept.complete and 0 < kept.count < COUNT
    recover(old, tmp_path / "again.mcap")
    assert Log.open(tmp_path / "again.mcap").pool.tobytes() == kept.pool.tobytes()


@pytest.mark.parametrize("which", [0, 1])
def test_every_cycle_for_any_tool(both: tuple[Path, Path], pool: NDArray[np.void], which: int, tmp_path: Path) -> None:
    out = tmp_path / "all.mcap"
    assert export_messages(both[which], out) == COUNT
    with out.open("rb") as file:
        reader = make_reader(file, decoder_factories=[DecoderFactory()], validate_crcs=True)
        seen = [(c.topic, m.sequence, body) for _, c, m, body in reader.iter_decoded_messages()]
    cycles = [body for topic, _, body in seen if topic == "/pool"]
    assert [body.actual.robot2_a6 for body in cycles] == pool["actual"]["robot2_a6"].tolist()
    assert [tick for topic, tick, _ in seen if topic == "/events"] == [0, 62, 63, 199]
    log = Log.open(out)
    assert log.complete and log.pool.tobytes() == pool.tobytes() and log.topics == {"/pool": COUNT, "/events": 4}


def test_what_viewers_get_is_cut_and_what_is_kept_is_not(tmp_path: Path, made_up: MadeUp) -> None:
    """One byte of protobuf holds 127."""
    pool = made_up(3)
    pool["state"]["rule"] = 200
    pool["actual"]["rail"].view(np.uint64)[:] = 0x7FF8_0000_DEAD_BEEF
    log = Log.open(write_log(tmp_path / "run.mcap", pool))
    assert log.pool.tobytes() == pool.tobytes()
    export_messages(log.path, tmp_path / "all.mcap")
    assert Log.open(tmp_path / "all.mcap").values("state.rule").tolist() == [127] * 3


def test_what_cannot_be_exported(tmp_path: Path, made_up: MadeUp) -> None:
    path = write_log(tmp_path / "run.mcap", made_up(3))
    with pytest.raises(BadInput, match="cannot be opened"):
        export_messages(path, tmp_path / "no" / "folder.mcap")
    with pytest.raises(BadInput, match="no such file"):
        export_messages(tmp_path / "none.mcap", tmp_path / "all.mcap")


def test_what_is_there_is_never_written_over(tmp_path: Path, made_up: MadeUp) -> None:
    """It may be another log, one that is being recorded, or the log itself."""
    one, other = (write_log(tmp_path / name, made_up(3)) for name in ("one.mcap", "other.mcap"))
    before = [path.read_bytes() for path in (one, other)]
    for out in (one, other):
        with pytest.raises(BadInput, match="exists already"):
            export_messages(one, out)
    assert [path.read_bytes() for path in (one, other)] == before

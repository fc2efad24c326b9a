"""Rows of a loop in the log while the loop goes on: nothing lost by a kill but the last batch, and the result at the end."""

import errno
import io
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from mcap.records import Metadata

from proxops.core.ending import EndReason
from proxops.core.experiment_result import Criterion, ExperimentResult, Series
from proxops.core.messages import EVENT_DTYPE
from proxops.core.ring import Ring
from proxops.ground import recorder
from proxops.ground.blocks import CHANNELS, schemas_of
from proxops.ground.experiment_log import about_of, groups_of, write_experiment
from proxops.ground.log import Log
from proxops.ground.mcap_file import McapFile, Preamble
from proxops.ground.overview_writer import RecordersOverview
from proxops.ground.recorder import EXIT_UNFINISHED
from proxops.ground.recording import Recording
from proxops.ground.row_stream import BATCH, RowStream, column_index
from proxops.ground.schema import pool_schema
from proxops.ground.wire import layout

ROW = np.dtype([("t", "f8"), ("angles", "f8", (3,)), ("force", "f8"), ("spare", "f8")])
METADATA = {"scenario": "made_up", "kind": "turn", "clock": "lockstep"}


def series_of(rows: np.ndarray) -> tuple[Series, ...]:
    """Copies, in another order than the rows have."""
    joints = tuple((f"joint_{k}", "rad") for k in range(3))
    return (
        Series("felt", "force", (("force", "N"),), rows["force"][:, None]),
        Series("joints", "angles", joints, rows["angles"]),
    )


def some_rows(count: int) -> np.ndarray:
    rows = np.random.default_rng(2).standard_normal((count, ROW.itemsize // 8)).view(ROW)[:, 0]
    rows["t"] = np.arange(count) * 1e-3
    return rows


def result_of(rows: np.ndarray, failure: str = "") -> ExperimentResult:
    bound = (Criterion("force", float(rows["force"].max()), 9.0),)
    return ExperimentResult(rows["t"].copy(), series_of(rows), {"rows": len(rows)}, bound, failure=failure)


def streamed(path: Path, rows: np.ndarray) -> RowStream:
    stream = RowStream(path, METADATA, live=False)
    stream.begin(ROW, series_of)
    for count in range(0, len(rows), 7):
        stream.take(rows[:count])
    stream.take(rows, all_of_them=True)
    return stream


@pytest.mark.parametrize("failure", ["", "it broke"])
def test_a_stream_leaves_the_log_that_is_written_at_once(tmp_path: Path, failure: str) -> None:
    rows = some_rows(1003)
    assert streamed(tmp_path / "streamed.mcap", rows).finish(result_of(rows, failure)) == 0
    write_experiment(tmp_path / "at_once.mcap", result_of(rows, failure), METADATA)
    one, other = Log.open(tmp_path / "streamed.mcap"), Log.open(tmp_path / "at_once.mcap")
    assert one.complete and one.pool.dtype == other.pool.dtype
    assert one.pool.tobytes() == other.pool.tobytes()
    assert about_of(one) == about_of(other)
    assert one.ended is not None and one.ended.reason is (EndReason.STOPPED if failure else EndReason.DONE)
    assert [e["text"] for e in one.events if e["name"] == b"experiment"] == [e["text"] for e in other.events]


def test_attachments_and_words_of_the_end_are_in_the_log(tmp_path: Path) -> None:
    rows = some_rows(30)
    result = ExperimentResult(rows["t"], series_of(rows), {}, (), attachments={"moment.png": b"\x89PNG" * 50_000})
    assert streamed(tmp_path / "run.mcap", rows).finish(result) == 0
    log = Log.open(tmp_path / "run.mcap")
    assert log.attachments == {"moment.png": b"\x89PNG" * 50_000}
    assert log.metadata["kind"] == "turn"


def test_a_run_without_a_result_keeps_its_rows_and_the_reason(tmp_path: Path) -> None:
    rows = some_rows(100)
    streamed(tmp_path / "run.mcap", rows).abandon(ValueError("not today"))
    log = Log.open(tmp_path / "run.mcap")
    assert len(log.pool) == 100 and about_of(log) is None
    assert log.ended is not None and "not today" in log.ended.detail


def test_a_recorder_that_hangs_does_not_take_its_parent_along(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """More words than a pipe takes."""
    monkeypatch.setattr("proxops.ground.recorder.HUNG_S", 0.3)
    rows = some_rows(60)
    stream = streamed(tmp_path / "run.mcap", rows)
    os.kill(stream._recorder.pid, signal.SIGSTOP)  # type: ignore[union-attr]
    try:
        result = ExperimentResult(rows["t"], series_of(rows), {}, (), attachments={"large": bytes(500_000)})
        assert stream.finish(result) == EXIT_UNFINISHED
    finally:
        os.kill(stream._recorder.pid, signal.SIGCONT)  # type: ignore[union-attr]
    wait_complete(tmp_path / "run.mcap")
    assert Log.open(tmp_path / "run.mcap").attachments == {"large": bytes(500_000)}


def test_last_words_that_a_full_disk_refused_are_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They can be asked for only once."""
    rows, asked, append = some_rows(60), [], McapFile.append
    table = layout(pool_schema(groups_of(series_of(rows))))
    rings = Ring.create("rows", table.dtype, 100), Ring.create("events", EVENT_DTYPE, 4)
    rings[0].close()

    def words() -> tuple[Metadata, ...]:
        asked.append(None)
        return (Metadata("proxops", {"experiment": "told"}),) if len(asked) == 1 else ()

    def refuses_once(file: McapFile, *records: Metadata) -> None:
        monkeypatch.setattr(McapFile, "append", append)
        raise OSError(errno.ENOSPC, "no room")

    monkeypatch.setattr(McapFile, "append", refuses_once)
    out = McapFile(tmp_path / "run.mcap")
    preamble = Preamble(schemas_of(pool_schema(groups_of(series_of(rows)))), CHANNELS)
    overview = RecordersOverview(tmp_path / "run.mcap", table)
    recording = Recording(*rings, out, overview, preamble, 0.0, table=table, last_words=words)
    assert recording.run(lambda: False) == 0
    out.close()
    assert Log.open(tmp_path / "run.mcap").metadata == {"experiment": "told"}


def test_words_that_were_cut_off_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """The parent was killed while it spoke."""
    monkeypatch.setattr("sys.stdin", io.StringIO('{"metadata": {"experi'))
    assert recorder._last_words() == ()


def test_a_recorder_that_was_killed_is_told_by_its_code(tmp_path: Path) -> None:
    rows = some_rows(60)
    stream = streamed(tmp_path / "run.mcap", rows)
    os.kill(stream._recorder.pid, signal.SIGKILL)  # type: ignore[union-attr]
    assert stream.finish(result_of(rows)) == -signal.SIGKILL


def wait_complete(path: Path, seconds: float = 30.0) -> None:
    until = time.monotonic() + seconds
    while not Log.open(path).complete:
        assert time.monotonic() < until
        time.sleep(0.05)


def test_what_is_more_than_a_copy_is_refused() -> None:
    def doubled(rows: np.ndarray) -> tuple[Series, ...]:
        return (Series("felt", "force", (("force", "N"),), 2.0 * rows["force"][:, None]),)

    with pytest.raises((ValueError, IndexError)):
        column_index(ROW, doubled)


KILLED = """
import sys, time
import numpy as np
sys.path.insert(0, {here!r})
from test_row_stream import METADATA, ROW, RowStream, series_of, some_rows
from pathlib import Path
stream, rows = RowStream(Path({path!r}), METADATA, live=True), some_rows(4000)
stream.begin(ROW, series_of)
for count in range(1, 4001):
    stream.take(rows[:count])
    if count == 2000:
        print("there", flush=True)
        time.sleep(60)
"""


def test_kill_9_leaves_all_but_the_last_batch(tmp_path: Path) -> None:
    path = tmp_path / "run.mcap"
    code = KILLED.format(here=str(Path(__file__).parent), path=str(path))
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdout.readline() == "there\n"
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    wait_complete(path)
    log, rows = Log.open(path), some_rows(4000)
    assert 2000 - BATCH < len(log.pool) <= 2000
    assert (log.values("felt.force") == rows["force"][: len(log.pool)]).all()
    assert log.ended is not None and log.ended.reason is EndReason.FACILITY_KILLED

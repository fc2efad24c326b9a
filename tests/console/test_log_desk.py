"""Requests of the log viewer: everything travels between processes, CSV is that of the command line."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small_log import SMALL_BLOCK, START_NS, begun_log, small_pool, write_log

from proxops.console import log_desk
from proxops.core.errors import BadInput
from proxops.core.messages import EVENT_DTYPE, PERIOD_NS
from proxops.ground.blocks import Interleaver
from proxops.ground.column_packer import ColumnPacker
from proxops.ground.export import export_csv
from proxops.ground.log import Log

COUNT = 1000
POOL = small_pool(COUNT)


@pytest.fixture
def folder(tmp_path: Path) -> str:
    events = np.zeros(2, EVENT_DTYPE)
    events["tick"], events["severity"], events["name"] = (3, 700), (2, 4), (b"mode", b"stop.axis_range")
    events["utc_ns"], events["text"] = START_NS + events["tick"] * PERIOD_NS, ("läuft".encode(), b"stopped")
    write_log(tmp_path / "demo" / "run.mcap", POOL, events, {"cell": "epos"})
    return str(tmp_path)


def travelled(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))


def test_opening_tells_all_but_the_values(folder: str) -> None:
    found = travelled(log_desk.open_log(folder, "demo/run.mcap"))
    json.dumps(found)  # plain values only
    log = Log.open(Path(folder) / "demo" / "run.mcap")
    assert [c["path"] for c in found["columns"]] == [c.path for c in log.columns]
    mode = next(c for c in found["columns"] if c["path"] == "state.mode")
    assert "RUNNING" in mode["names"].values() and mode["meaning"] == "facility mode"
    assert next(c["unit"] for c in found["columns"] if c["path"] == "actual.rail") == "m"
    assert (found["t0"], found["records"], found["ticks"]) == (0.0, COUNT, (0, COUNT - 1))
    assert found["t1"] == pytest.approx((COUNT - 1) * 0.004, abs=1e-9)
    assert [(e["tick"], e["severity"], e["name"], e["text"]) for e in found["events"]] == [
        (3, "INFO", "mode", "läuft"),
        (700, "ERROR", "stop.axis_range", "stopped"),
    ]
    assert found["events"][1]["t"] == pytest.approx(2.8, abs=1e-9)
    assert found["metadata"] == {"cell": "epos"} and found["complete"] and not found["recording"] and not found["notes"]


def test_curves_and_samples_are_the_logs_values(folder: str) -> None:
    found = travelled(log_desk.curves(folder, "demo/run.mcap", ["actual.rail", "state.mode"], 1.0, 2.0, 10_000))
    assert found["low"]["actual.rail"].tolist() == POOL["actual"]["rail"][250:501].tolist()
    assert found["high"]["state.mode"].dtype == np.float64 and found["records_per_column"] == 1.0
    times = [0.0, 0.04, 3.9999, 100.0]
    found = travelled(log_desk.samples(folder, "demo/run.mcap", times, ["actual.rail", "state.mode"]))
    assert found["tick"].tolist() == [0, 10, 999, 999]
    assert found["values"]["actual.rail"].tolist() == POOL["actual"]["rail"][[0, 10, 999, 999]].tolist()
    assert found["values"]["state.mode"].dtype == np.float64


@pytest.mark.parametrize("names", [None, ["actual"], ["state.mode", "clock.tick"]])
@pytest.mark.parametrize("words", [False, True])
def test_csv_of_the_whole_run_is_that_of_the_command_line(
    folder: str, tmp_path: Path, names: list[str] | None, words: bool
) -> None:
    path = Path(folder) / "demo" / "run.mcap"
    rows = log_desk.write_csv(folder, "demo/run.mcap", names, None, None, str(tmp_path / "desk.csv"), words=words)
    assert rows == export_csv(Log.open(path), tmp_path / "line.csv", names, words=words) == COUNT
    assert (tmp_path / "desk.csv").read_bytes() == (tmp_path / "line.csv").read_bytes()


def test_csv_of_a_span(folder: str, tmp_path: Path) -> None:
    out = tmp_path / "span.csv"
    assert log_desk.write_csv(folder, "demo/run.mcap", ["clock.tick"], 1.0, 1.02, str(out)) == 6
    assert out.read_text().split() == ["clock.tick", "[1]", "250", "251", "252", "253", "254", "255"]
    with pytest.raises(BadInput, match="cannot be written"):
        log_desk.write_csv(folder, "demo/run.mcap", None, None, None, str(tmp_path / "no" / "folder.csv"))


def test_a_run_being_recorded_opens_up_to_now(folder: str) -> None:
    file, interleaver = begun_log(Path(folder) / "live.mcap"), Interleaver(most=SMALL_BLOCK)
    interleaver.add(POOL, np.empty(0, EVENT_DTYPE))
    blocks = list(interleaver.blocks(last=True))
    for now, block in enumerate(blocks, 1):
        file.add(block.encode(ColumnPacker.of(block.pool.dtype).columns_of(block.pool)))
        if now in (3, 4, len(blocks)):
            found = log_desk.open_log(folder, "live.mcap")
            records = min(now * SMALL_BLOCK, COUNT)
            assert found["recording"] and not found["complete"] and found["records"] == records
            curve = log_desk.curves(folder, "live.mcap", ["actual.rail"], 0.0, 1e6, 20_000)
            assert curve["low"]["actual.rail"].tolist() == POOL["actual"]["rail"][:records].tolist()
    assert next(run["recording"] for run in log_desk.list_runs(folder) if run["id"] == "live.mcap")
    file.finish()
    file.close()
    assert log_desk.open_log(folder, "live.mcap")["complete"]


def test_requests_are_checked(folder: str) -> None:
    run = "demo/run.mcap"
    many = [f"actual.a{i}" for i in range(65)]
    for names in ([], many, "actual.rail", [7], ["actual.none"]):
        with pytest.raises(BadInput):
            log_desk.curves(folder, run, names, 0.0, 1.0, 100)
    for t in (float("nan"), float("inf"), "0", None, True):
        with pytest.raises(BadInput):
            log_desk.curves(folder, run, ["actual.rail"], 0.0, t, 100)  # type: ignore[arg-type]
        with pytest.raises(BadInput):
            log_desk.samples(folder, run, [t], ["actual.rail"])  # type: ignore[list-item]
    for pixels in (0, -1, 1e3, True, 10**7):
        with pytest.raises(BadInput):
            log_desk.curves(folder, run, ["actual.rail"], 0.0, 1.0, pixels)  # type: ignore[arg-type]
    with pytest.raises(BadInput, match="too many"):
        log_desk.samples(folder, run, [0.0] * 20_001, ["actual.rail"])
    for request in (log_desk.open_log, lambda f, id: log_desk.curves(f, id, ["actual.rail"], 0.0, 1.0, 10)):
        with pytest.raises(BadInput):
            request(folder, "../run.mcap")

"""The list of runs, and ids that never lead out of their folder."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from small_log import SMALL_BLOCK, begun_log, small_pool, write_log

from proxops.console.log_shelf import log_path, runs
from proxops.core.errors import BadInput
from proxops.ground.blocks import Interleaver
from proxops.ground.column_packer import ColumnPacker

SERVED = {"clock": "live"}
PLAYED = {"clock": "lockstep", "trajectory": "runs/approach.txt"}
RAN = {"clock": "lockstep", "scenario": "overshoot"}
EXPERIMENT = {"clock": "lockstep", "scenario": "grasp", "kind": "grasp", "experiment": "{}"}


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    """Four runs of four kinds, at all depths, written one second after the other."""
    folder = tmp_path / "runs"
    places = {"run.mcap": SERVED, "demo/run.mcap": PLAYED, "a/b/run.mcap": RAN, "a/b/c/other.mcap": EXPERIMENT}
    for second, (place, told) in enumerate(places.items(), 1_700_000_000):
        write_log(folder / place, small_pool(251), metadata=told)
        os.utime(folder / place, (second, second))
    (folder / "demo" / "summary.json").write_text(json.dumps({"stop": {"rule": "AXIS_RANGE"}, "passed": False}))
    (folder / "summary.json").write_text(
        json.dumps({"ended_in_stop": False, "passed": True, "ended": {"reason": "done", "detail": ""}})
    )
    return folder


def test_runs_newest_first(shelf: Path) -> None:
    found = runs(shelf)
    assert [run.id for run in found] == ["a/b/c/other.mcap", "a/b/run.mcap", "demo/run.mcap", "run.mcap"]
    assert [run.name for run in found] == ["a/b/c/other", "a/b", "demo", "run"]
    assert [run.kind for run in found] == ["experiment", "run", "play", "serve"]
    assert [run.scenario for run in found] == ["grasp", "overshoot", "runs/approach.txt", ""]
    assert [run.ended_in_stop for run in found] == [None, None, True, False]
    assert [run.ended for run in found] == ["", "", "", "done"]
    assert [run.passed for run in found] == [None, None, False, True]
    for run in found:
        assert run.began_utc == "2026-01-01T00:00:00.000000000Z" and run.duration_s == pytest.approx(1.0, abs=1e-9)
        assert run.complete and not run.recording and not run.problem
        assert run.bytes == (shelf / run.id).stat().st_size


def test_what_is_deeper_or_hidden_is_not_listed(shelf: Path) -> None:
    write_log(shelf / "a/b/c/d/run.mcap", small_pool(3))
    write_log(shelf / ".trash/run.mcap", small_pool(3))
    assert len(runs(shelf)) == 4
    assert runs(shelf / "none") == []


def test_a_run_being_recorded_and_one_cut_off(shelf: Path) -> None:
    interleaver = Interleaver(most=SMALL_BLOCK)
    interleaver.add(small_pool(400), small_pool(0))
    growing = begun_log(shelf / "live.mcap", SERVED)
    for block in interleaver.blocks():
        growing.add(block.encode(ColumnPacker.of(block.pool.dtype).columns_of(block.pool)))
    write_log(shelf / "cut.mcap", small_pool(251), metadata=SERVED, end=False)
    found = {run.id: run for run in runs(shelf)}
    assert found["live.mcap"].recording and not found["live.mcap"].complete
    assert found["live.mcap"].duration_s == pytest.approx(0.004 * (6 * SMALL_BLOCK - 1), abs=1e-9)
    assert not found["cut.mcap"].recording and not found["cut.mcap"].complete
    assert found["cut.mcap"].duration_s == pytest.approx(1.0, abs=1e-9)
    growing.finish()
    growing.close()
    assert {run.id: run for run in runs(shelf)}["live.mcap"].complete


def test_what_cannot_be_read_says_why(shelf: Path) -> None:
    (shelf / "broken.mcap").write_text("this is no log")
    (shelf / "empty.mcap").write_bytes(b"")
    (shelf / "demo" / "summary.json").write_text("[not json")
    found = {run.id: run for run in runs(shelf)}
    assert found["broken.mcap"].problem == found["empty.mcap"].problem == "not an MCAP log"
    assert found["demo/run.mcap"].ended_in_stop is None


def test_an_id_finds_its_log(shelf: Path) -> None:
    for run in runs(shelf):
        assert log_path(shelf, run.id).samefile(shelf / run.id)


@pytest.mark.parametrize(
    "id",
    [
        "", ".", "..", "../secret.mcap", "demo/../../secret.mcap", "demo/../run.mcap", "/etc/passwd", "summary.json", "demo",
        "none.mcap", "run.mcap\0", "\0.mcap", "a" * 600 + ".mcap", "demo//../../secret.mcap", "link.mcap", "out/secret.mcap",
        "loop.mcap", "a/b/c/d/run.mcap", "folder.mcap", None, 7, ["run.mcap"],
    ],
)  # fmt: skip
def test_no_id_leads_out_of_the_folder(shelf: Path, id: str) -> None:
    secret = write_log(shelf.parent / "secret.mcap", small_pool(3))
    (shelf / "link.mcap").symlink_to(secret)
    (shelf / "out").symlink_to(shelf.parent)
    (shelf / "loop.mcap").symlink_to(shelf / "loop.mcap")
    (shelf / "folder.mcap").mkdir()
    write_log(shelf / "a/b/c/d/run.mcap", small_pool(3))
    with pytest.raises(BadInput):
        log_path(shelf, id)
    assert len(runs(shelf)) == 4, "nor does the list"


def test_an_absolute_path_of_a_run_is_no_id(shelf: Path) -> None:
    with pytest.raises(BadInput, match="not the id"):
        log_path(shelf, str(shelf / "run.mcap"))


def test_a_shelf_behind_a_link_works(shelf: Path) -> None:
    (shelf.parent / "linked").symlink_to(shelf)
    assert [run.id for run in runs(shelf.parent / "linked")] == [run.id for run in runs(shelf)]
    assert log_path(shelf.parent / "linked", "run.mcap").samefile(shelf / "run.mcap")

"""``proxops report``: the page of any kind of run again, from its log alone."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import proxops
from proxops.applications.catalogue import experiment_paths, parse_experiment
from proxops.applications.kinds import KINDS, report_of
from proxops.applications.report import kind_of, report_of_log
from proxops.applications.session import session
from proxops.core.errors import BadInput
from proxops.core.vocabulary import System
from proxops.facility.warmup import standing
from proxops.ground.log import Log
from proxops.ground.summary_head import summary_head
from proxops.lab.cell import Cell
from proxops.runs.options import RunOptions

TEXT = experiment_paths()["planar"].read_text().replace("course_s = 20.0", "course_s = 1.0")
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def turned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("turned")
    session(parse_experiment(TEXT, Path("planar.toml")), folder, RunOptions())
    return folder


@pytest.fixture
def played(cell: Cell, tmp_path: Path) -> proxops.Run:
    return proxops.play(standing(cell, System.GLC, 50), out=tmp_path / "run", report=False)


def without(log: Log, *names: str, **more: str) -> Log:
    return dataclasses.replace(log, metadata={k: v for k, v in log.metadata.items() if k not in names} | more)


def test_every_kind_has_its_report() -> None:
    for kind in KINDS:
        assert callable(report_of(kind)), kind


def test_an_experiment_is_told_again_in_the_same_bytes(turned: Path, run: Run) -> None:
    page, summary = ((turned / name).read_text() for name in ("report.html", "summary.json"))
    (turned / "report.html").unlink()
    code, out, err = run("report", turned)
    assert code == 1, err  # in so short a time the turn has missed its goal, and is not said to have passed
    assert out.endswith(f"{turned}: summary.json, run.mcap, report.html\n")
    assert (turned / "report.html").read_text() == page
    assert (turned / "summary.json").read_text() == summary


def test_a_summary_that_is_missing_is_written(turned: Path, run: Run) -> None:
    before = json.loads((turned / "summary.json").read_text())
    (turned / "summary.json").unlink()
    code, out, _ = run("report", turned / "run.mcap", "--json")
    assert code == 1 and not json.loads(out)["passed"]
    assert json.loads(out) == json.loads((turned / "summary.json").read_text())
    assert json.loads(out)["criteria"] == before["criteria"]
    (turned / "summary.json").write_text(json.dumps(before, indent=2, ensure_ascii=False) + "\n")


def test_every_summary_begins_and_ends_alike(turned: Path, played: proxops.Run) -> None:
    computed, moved = json.loads((turned / "summary.json").read_text()), played.summary
    head = list(summary_head(Log.open(turned / "run.mcap")))
    for summary, kind in ((computed, "turn"), (moved, "play")):
        assert list(summary)[: len(head)] == head
        assert summary["kind"] == kind and summary["proxops_version"] == proxops.__version__
        assert {"criteria", "passed", "log_whole"} <= set(summary)
        assert summary["cycles"] * summary["sample_period_s"] == pytest.approx(summary["duration_s"])
    assert moved["seed"] == 0 and computed["seed"] is None  # nothing is drawn in a turn


def test_a_played_file_and_a_log_of_another_name(
    played: proxops.Run, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    monkeypatch.setattr("proxops.ground.hall_report.pictures", lambda *_: ())
    told = proxops.report(played.folder)
    assert told.report is not None
    assert {name: told.summary[name] for name in told.summary if name != "alarms"}.items() <= played.summary.items()
    page = told.report.read_text()
    (played.folder / "run.mcap").rename(played.folder / "hall.mcap")
    assert run("report", played.folder / "hall.mcap", "--json")[0] == 0
    assert (played.folder / "hall.html").read_text().count("<h2>") == page.count("<h2>")
    assert told.report.read_text() == page


def test_logs_before_0_8_are_read(turned: Path) -> None:
    """Their criteria have no label and no unit for people."""
    log = Log.open(turned / "run.mcap")
    about: dict[str, Any] = json.loads(log.metadata["experiment"])
    for row in about["criteria"]:
        del row["label"], row["shown_in"]
    old = without(log, "clock", experiment=json.dumps(about))
    assert report_of_log(old).summary["criteria"] == report_of_log(log).summary["criteria"]


def test_the_kind_is_found_in_the_log(turned: Path) -> None:
    log = Log.open(turned / "run.mcap")
    assert kind_of(log) == "turn"
    assert kind_of(without(log, "kind")) == "scripted"
    assert kind_of(without(log, "kind", mission="true")) == "mission"
    with pytest.raises(BadInput, match="unknown kind"):
        kind_of(without(log, kind="dance"))


def test_a_log_without_a_result_has_not_passed(turned: Path) -> None:
    log = without(Log.open(turned / "run.mcap"), "experiment")
    report = report_of_log(log)
    assert not report.verdict.good and "did not come to an end" in report.verdict.headline
    assert not report.summary["passed"] and report.summary["cycles"] == log.count
    assert [section.heading for section in report.sections] == ["What was recorded", "Provenance"]


def test_a_log_that_was_cut_has_not_passed(turned: Path, tmp_path: Path, run: Run) -> None:
    """Though what came of the run stands at its beginning."""
    (tmp_path / "run.mcap").write_bytes((turned / "run.mcap").read_bytes()[:-3000])
    code, out, _ = run("report", tmp_path, "--json")
    told = json.loads(out)
    assert code == 1 and not told["passed"] and not told["log_whole"] and "the log is not whole" in told["failure"]
    assert "the log is not whole" in (tmp_path / "report.html").read_text().lower()


def test_a_folder_without_a_log_is_refused(tmp_path: Path, run: Run) -> None:
    code, _, err = run("report", tmp_path)
    assert code == 2
    assert "no log of a run" in err

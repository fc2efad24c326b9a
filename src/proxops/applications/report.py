"""The report of a log again, whatever kind of run it holds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from proxops.applications.kinds import KINDS, report_of
from proxops.core.errors import BadInput
from proxops.ground.arm_report import arm_cell_of, arm_report, is_of_arms
from proxops.ground.log import Log
from proxops.ground.results import PAGE, RESULTS, SUMMARY, write_results
from proxops.ground.section import RunReport
from proxops.lab.any_cell import AnyCell, demand_hall
from proxops.lab.arm_cell import ArmCell


def report_of_log(log: Log, cell: AnyCell | None = None) -> RunReport:
    """``cell``: that in which it was recorded, unless it is the shipped one with the tools that the log names."""
    if is_of_arms(log) and not log.metadata.get("experiment"):  # served, or killed before anything came of it
        return arm_report(log, cell if isinstance(cell, ArmCell) else arm_cell_of(log))
    return report_of(kind_of(log))(log, None if cell is None else demand_hall(cell, "the report of this log"))


def kind_of(log: Log) -> str:
    """Experiments say it, missions have a mark. What else goes through the hall (played, served) is as a scripted run."""
    kind = log.metadata.get("kind", "mission" if log.metadata.get("mission") == "true" else "scripted")
    if kind not in KINDS:
        raise BadInput("a log of an unknown kind of run", where=str(log.path), value=kind, bound=", ".join(KINDS))
    return kind


def summarise(log: Log, cell: AnyCell | None = None) -> dict[str, Any]:
    """All figures of a log, ready for JSON; ``criteria`` and ``passed`` judge them."""
    return report_of_log(log, cell).summary


def report_session(run: Path, cell: AnyCell | None, *, quiet: bool) -> dict[str, Any]:
    """Write the page of a run's folder or log again, beside the log; the summary only where there is none, for it may hold
    what the log cannot tell. The figures."""
    path = run / "run.mcap" if run.is_dir() else run
    if not path.is_file():
        raise BadInput("no log of a run", where=str(path), way_out="name the folder of a run, or its log")
    log = Log.open(path)
    report = report_of_log(log, cell)
    whole = {"log_whole": log.complete, "passed": report.summary["passed"] and log.complete}
    report = replace(report, summary={**report.summary, **whole})
    own = path.stem == "run"  # beside it, docking leaves the log of the hall
    page, summary = (PAGE, SUMMARY) if own else (f"{path.stem}.html", f"{path.stem}.json")
    kept = (path.parent / summary).exists()
    write_results(
        path.parent, report, page=page, summary=None if kept else summary, quiet=quiet, told=RESULTS if own else (summary, page)
    )  # fmt: skip
    return report.summary

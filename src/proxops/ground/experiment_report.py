"""The report of an experiment with an arm, from its log: its own tables, criteria and drawings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any, Final

import numpy as np

from proxops.core.criterion import Criterion
from proxops.ground.experiment_log import about_of
from proxops.ground.log import Log
from proxops.ground.section import Code, Drawing, Part, RunReport, RunVerdict, Section, Table, Text, criteria_table
from proxops.ground.summary_head import summary_head

About = dict[str, Any]
Draw = Callable[[Log, About], Iterator[Drawing]]
TOLD: Final = ("scenario", "kind", "model", "seed", "clock", "proxops_version")  # of the summary


def experiment_report(log: Log, draw: Draw) -> RunReport:
    """``draw`` makes the drawings of the experiment's kind."""
    told = about_of(log)
    about = _without_result(log) if told is None else told
    if told and not log.complete:  # what came of the run may stand before its rows
        about = {**about, "passed": False, "failure": f"the log is not whole: {'; '.join(log.notes)}"}
    about["criteria"] = [Criterion.of(row).plain() for row in about["criteria"]]
    drawn, summary = draw(log, about) if told and log.count >= 2 else None, {**summary_head(log), **about}
    return RunReport(
        log.metadata.get("scenario", log.path.stem), log.metadata.get("about", ""), told_verdict(about),
        summary, told_tables(about), chain(told_sections(about, drawn), [Section("Provenance", _provenance(log, summary))]),
    )  # fmt: skip


def _without_result(log: Log) -> About:
    """Of a run that was killed before anything came of it: what was recorded, and that it has not passed."""
    groups = {name: ", ".join(log.names(name)) for name in log.dtype.names or ()}
    rows = [("rows", str(log.count)), ("time [s]", f"{np.ptp(log.values('clock.t_sim')):.3f}" if log.count else "-")]
    return {
        "conventions": [], "figures": {}, "criteria": [], "passed": False,
        "failure": f"the run did not come to an end: {log.ended_words}",
        "tables": [["What was recorded", ["", ""], [*rows, *groups.items()]]],
    }  # fmt: skip


def told_verdict(about: About) -> RunVerdict:
    """In one sentence."""
    failure: str = about["failure"]
    if failure:
        return RunVerdict(False, failure[0].upper() + failure[1:])
    failed, count = [row["label"] for row in about["criteria"] if not row["passed"]], len(about["criteria"])
    if failed:
        return RunVerdict(False, f"{len(failed)} of {count} criteria not met: {'; '.join(failed)}")
    return RunVerdict(True, f"All {count} criteria met")


def told_tables(about: About) -> Iterator[Section]:
    """With the criteria last."""
    for caption, head, rows in about["tables"]:
        yield Section(caption, [Table(head, rows)])
    if about["criteria"]:
        yield Section("Criteria", [criteria_table(about["criteria"])])


def told_sections(about: About, drawings: Iterator[Drawing] | None) -> Iterator[Section]:
    """Conventions, tables, criteria, drawings."""
    if about["conventions"]:
        yield Section("Conventions", [Text(about["conventions"])])
    yield from told_tables(about)
    if drawings is not None:
        yield Section("Drawings", drawings)


def _provenance(log: Log, summary: About) -> Iterator[Part]:
    yield Table((), [(key.replace("_", " "), str(summary[key])) for key in TOLD if summary[key] is not None])
    if "scenario_file" in log.metadata:
        yield Code(log.metadata["scenario_file"], folded="The scenario")

"""The report of an experiment with an arm, from its log: its own tables, criteria and drawings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any, Final

from proxops.core.criterion import Criterion
from proxops.core.errors import BadInput
from proxops.ground.experiment_log import about_of
from proxops.ground.log import Log
from proxops.ground.section import Code, Drawing, Part, RunReport, RunVerdict, Section, Table, Text, criteria_table

About = dict[str, Any]
Draw = Callable[[Log, About], Iterator[Drawing]]
TOLD: Final = ("scenario", "kind", "model", "seed", "clock", "proxops")  # metadata


def experiment_report(log: Log, draw: Draw) -> RunReport:
    """``draw`` makes the drawings of the experiment's kind."""
    about = about_of(log)
    if about is None:
        raise BadInput("the log does not tell what came of the run", where=str(log.path), value=log.ended_words)
    about["criteria"] = [Criterion.of(row).plain() for row in about["criteria"]]
    drawn = draw(log, about) if log.count >= 2 else None
    return RunReport(
        log.metadata.get("scenario", log.path.stem), log.metadata.get("about", ""), told_verdict(about),
        {**{name: log.metadata.get(name, "") for name in TOLD}, **about}, told_tables(about),
        chain(told_sections(about, drawn), [Section("Provenance", _provenance(log))]),
    )  # fmt: skip


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


def _provenance(log: Log) -> Iterator[Part]:
    yield Table((), [(key, log.metadata[key]) for key in TOLD if log.metadata.get(key)])
    if "scenario_file" in log.metadata:
        yield Code(log.metadata["scenario_file"], folded="The scenario")

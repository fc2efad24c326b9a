"""The report of a run through the hall, from its log: what every such run has, with the chapter of its kind in the middle."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np

from proxops.core.vocabulary import Severity
from proxops.ground.bridge_report import bridge_moments, bridge_sections
from proxops.ground.chapter import Chapter
from proxops.ground.hall_run import HallRun
from proxops.ground.info import iso_utc
from proxops.ground.log import Log
from proxops.ground.provenance import cell_of
from proxops.ground.report_figures import (
    axis_drawings,
    log_sections,
    pictures,
    run_moments,
    run_sections,
    timing_drawings,
)
from proxops.ground.reproduction import commands
from proxops.ground.section import Code, Part, RunReport, Section, SideBySide, Table, Text, criteria_table
from proxops.ground.summary import summarise
from proxops.ground.summary_table import AXIS_HEAD, FOLLOWING_HEAD, axis_rows, following_rows, key_figures
from proxops.ground.verdict import verdict
from proxops.lab.cell import Cell

Summary = dict[str, Any]

EVENTS_SHOWN: Final = 200
EVENT_HEAD: Final = ("time [s]", "UTC", "severity", "topic", "what happened")
FOLLOWING_NOTE: Final = "Largest / rms / at the end of the run. Commanded: the ports at the wished axes."
AXIS_NOTE: Final = "Greatest in the run. Error: actual against command, delay included. Limits: the guard's."


def hall_report(log: Log, cell: Cell | None = None, chapter: Chapter | None = None) -> RunReport:
    """Of a run that was played, served or scripted; ``cell``: None for the one that the log names; ``chapter``: of what
    else it was."""
    cell = cell or cell_of(log)
    run = HallRun(log, cell, chapter)
    summary = summarise(run)
    what = Path(summary["trajectory"]).name if summary["trajectory"] else summary["scenario"] or log.path.name
    parts = {"cell ": "cell", "clock ": "clock", "seed ": "seed", "": "start_utc"}
    about = [f"{word}{summary[name]}" for word, name in parts.items() if summary[name] is not None]
    return RunReport(
        what, " · ".join(about), verdict(summary, chapter), summary, _brief(summary, chapter),
        _sections(run, summary),
    )  # fmt: skip


def _brief(summary: Summary, chapter: Chapter | None) -> Iterator[Section]:
    """Figures, and the criteria that are not met."""
    yield Section("", [Table((), key_figures(summary, chapter))])
    if summary["run_ended"] is not None:
        head = ("largest / rms", *FOLLOWING_HEAD[1:])
        yield Section("", [Table(head, following_rows(summary, ("max", "rms")))])
    missed = [row for row in summary["criteria"] if not row["passed"]]
    if missed:
        yield Section("", [criteria_table(missed)])


def _sections(run: HallRun, summary: Summary) -> Iterator[Section]:
    log, cell, data, chapter = run.log, run.cell, run.data, run.chapter
    yield from pictures(data, cell, bridge_moments(run) if run.bridged else run_moments(data))
    yield from _figures(summary, chapter)
    if chapter and chapter.name in summary:
        yield from chapter.sections(run.of_kind, cell, summary[chapter.name])
    yield from bridge_sections(run, summary) if run.bridged else run_sections(run)
    yield from log_sections(run)
    yield from _axes(run, summary)
    if summary["missed_cycles"] is not None:
        yield Section("Timing", timing_drawings(log, data))
    yield Section("Events", _events(log))
    yield Section("Provenance", _provenance(log, summary))


def _figures(summary: Summary, chapter: Chapter | None) -> Iterator[Section]:
    rows = key_figures(summary, chapter)
    half = (len(rows) + 1) // 2
    yield Section("Key figures", [SideBySide((Table((), rows[:half]), Table((), rows[half:])))])
    if summary["run_ended"] is not None:
        yield Section(
            "How closely the robots followed", [Table(FOLLOWING_HEAD, following_rows(summary), FOLLOWING_NOTE)]
        )
    yield Section("Criteria", [criteria_table(summary["criteria"])])


def _axes(run: HallRun, summary: Summary) -> Iterator[Section]:
    if run.data.ran:
        yield Section("Axes and speeds", axis_drawings(run))
        yield Section("", [Table(AXIS_HEAD, axis_rows(summary), AXIS_NOTE)])


def _events(log: Log) -> Iterator[Part]:
    start = int(log.values("clock.utc_ns")[0]) if log.count else 0
    yield Table(EVENT_HEAD, [_event_row(event, start) for event in log.events[:EVENTS_SHOWN]], wraps=True)
    if len(log.events) > EVENTS_SHOWN:
        yield Text([f"{len(log.events) - EVENTS_SHOWN} more are in the log."])


def _event_row(event: np.void, start_ns: int) -> tuple[str, ...]:
    utc_ns, severity = int(event["utc_ns"]), int(event["severity"])
    name, text = (event[field].decode(errors="replace") for field in ("name", "text"))
    word = Severity(severity).name.lower() if severity in list(Severity) else str(severity)
    return f"{(utc_ns - start_ns) * 1e-9:.3f}", iso_utc(utc_ns), word, name, text


def _provenance(log: Log, summary: Summary) -> Iterator[Part]:
    """Where this comes from and how to get it again."""
    names = ("proxops_version", "cell", "user_tool", "trajectory", "scenario", "seed", "clock")
    rows = [(name.replace("_", " "), str(summary[name])) for name in names if summary[name] is not None]
    rows.append(("log", f"{log.path.name}{'' if log.complete else ' (cut off)'}"))
    rows += [("note", note) for note in log.notes]
    yield Table((), rows)
    yield Code("\n".join(commands(log, summary)))
    if "scenario_file" in log.metadata:
        yield Code(log.metadata["scenario_file"], folded="The scenario")

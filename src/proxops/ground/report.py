"""The report of a run: one HTML file that needs nothing else. The same log gives the same bytes."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Final

import numpy as np

from proxops.core.errors import BadInput
from proxops.core.vocabulary import Severity
from proxops.ground.bridge_report import bridge_drawings, bridge_moments
from proxops.ground.info import iso_utc
from proxops.ground.log import Log
from proxops.ground.mission_report import mission_drawings
from proxops.ground.recorded import Kind, Recorded, recorded
from proxops.ground.report_figures import (
    axis_drawings,
    log_drawings,
    pictures,
    run_drawings,
    run_moments,
    timing_drawings,
)
from proxops.ground.report_page import event_table, judged_table, page, table
from proxops.ground.reproduction import commands
from proxops.ground.summary_table import (
    AXIS_HEAD,
    FOLLOWING_HEAD,
    axis_rows,
    following_rows,
    key_figures,
    print_summary,
)
from proxops.ground.verdict import Summary, criterion_row, verdict
from proxops.lab.cell import Cell

__all__ = ["print_summary", "write_report"]

EVENTS_SHOWN: Final = 200
FOLLOWING_NOTE: Final = "Largest / rms / at the end of the run. Commanded: the ports at the wished axes."
AXIS_NOTE: Final = "Greatest in the run. Error: actual against command, delay included. Limits: the guard's."


def write_report(log: Log, cell: Cell, summary: Summary, out_html: Path) -> None:
    """Write the report of ``log`` with the figures of ``summarise``."""
    data = recorded(log)
    body = [
        *_head(log, summary),
        *_motion(log, data, cell, summary),
        *log_drawings(log, data, cell),
        *axis_drawings(log, data, cell),
        *_axis_table(summary),
        *(timing_drawings(log, data) if summary["missed_cycles"] is not None else ()),
        *_events(log),
        *_provenance(log, summary),
    ]
    try:
        out_html.write_text(page(f"{log.path.stem}: {verdict(summary).headline}", body), encoding="utf-8")
    except OSError as reason:
        raise BadInput(f"cannot be written: {reason.strerror}", where=str(out_html)) from reason


def _head(log: Log, summary: Summary) -> Iterator[str]:
    word = verdict(summary)
    tone = {True: "good", False: "bad", None: "plain"}[word.good]
    what = Path(summary["trajectory"]).name if summary["trajectory"] else summary["scenario"] or log.path.name
    yield f"<h1>{escape(what)}</h1>"
    parts = {"cell ": "cell", "clock ": "clock", "seed ": "seed", "": "start_utc"}
    about = [f"{word}{summary[name]}" for word, name in parts.items() if summary[name] is not None]
    yield f'<p class="soft">{escape(" · ".join(about))}</p>'
    said = f"<strong>{escape(word.headline)}</strong><p>{escape(word.detail)}</p>"
    yield f'<div class="verdict {tone}">{said}</div>'


def _motion(log: Log, data: Recorded, cell: Cell, summary: Summary) -> Iterator[str]:
    """Pictures, figures and drawings of the run, as its kind wants them."""
    if data.kind is Kind.BRIDGED:
        yield from pictures(data, cell, bridge_moments(log, data))
        yield from _figures(summary)
        yield from mission_drawings(log, cell, summary)
        yield from bridge_drawings(log, data, cell, summary)
    else:
        yield from pictures(data, cell, run_moments(data))
        yield from _figures(summary)
        yield from mission_drawings(log, cell, summary)
        yield from run_drawings(data, cell)


def _figures(summary: Summary) -> Iterator[str]:
    rows = key_figures(summary)
    half = (len(rows) + 1) // 2
    yield "<h2>Key figures</h2>"
    yield f'<div class="pairs">{table((), rows[:half])}{table((), rows[half:])}</div>'
    if summary["run_ended"] is not None:
        yield "<h2>How closely the robots followed</h2>"
        yield table(FOLLOWING_HEAD, following_rows(summary), FOLLOWING_NOTE)
    yield "<h2>Criteria</h2>"
    yield judged_table(("criterion", "measured", "bound", ""), map(criterion_row, summary["criteria"]))


def _axis_table(summary: Summary) -> Iterator[str]:
    if summary["run_ended"] is not None:
        yield table(AXIS_HEAD, axis_rows(summary), AXIS_NOTE)


def _events(log: Log) -> Iterator[str]:
    yield "<h2>Events</h2>"
    start = int(log.values("clock.utc_ns")[0]) if log.pool.size else 0
    yield event_table(_event_row(event, start) for event in log.events[:EVENTS_SHOWN])
    if len(log.events) > EVENTS_SHOWN:
        left = len(log.events) - EVENTS_SHOWN
        yield f'<p class="soft">{left} more are in the log.</p>'


def _event_row(event: np.void, start_ns: int) -> tuple[str, ...]:
    utc_ns, severity = int(event["utc_ns"]), int(event["severity"])
    name, text = (event[field].decode(errors="replace") for field in ("name", "text"))
    word = Severity(severity).name.lower() if severity in list(Severity) else str(severity)
    return f"{(utc_ns - start_ns) * 1e-9:.3f}", iso_utc(utc_ns), word, name, text


def _provenance(log: Log, summary: Summary) -> Iterator[str]:
    """Where this comes from and how to get it again."""
    yield "<h2>Provenance</h2>"
    names = ("proxops_version", "cell", "user_tool", "trajectory", "scenario", "seed", "clock")
    rows = [(name.replace("_", " "), str(summary[name])) for name in names if summary[name] is not None]
    rows.append(("log", f"{log.path.name}{'' if log.complete else ' (cut off)'}"))
    rows += [("note", note) for note in log.notes]
    yield table((), rows)
    yield f"<pre>{escape(chr(10).join(commands(log, summary)))}</pre>"
    if "scenario_file" in log.metadata:
        yield f"<details><summary>The scenario</summary><pre>{escape(log.metadata['scenario_file'])}</pre></details>"

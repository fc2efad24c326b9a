"""The report of a run: one HTML file that needs nothing else. The same log and summary give the same bytes."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from html import escape
from pathlib import Path

import numpy as np

from proxops.core.errors import BadInput
from proxops.core.vocabulary import Severity, System
from proxops.ground.axis_figures import range_figure, speed_figure
from proxops.ground.figures import POINTS, approach_figure, error_figure, timing_figure
from proxops.ground.following import follow
from proxops.ground.info import iso_utc
from proxops.ground.log import Log
from proxops.ground.motion import motion_of
from proxops.ground.picture import VIEWS, HallPicture, PictureUnavailable
from proxops.ground.plots import system_figure
from proxops.ground.recorded import Recorded, ports_of_axes, recorded
from proxops.ground.report_page import drawing, event_table, judged_table, page, picture, table
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

PICTURE_SIZE = (960, 540)
EVENTS_SHOWN = 200


def write_report(log: Log, cell: Cell, summary: Summary, out_html: Path) -> None:
    """Write the report of ``log`` with the figures of ``summarise``."""
    data = recorded(log)
    body = [
        *_head(log, summary),
        *_pictures(data, cell),
        *_figures(summary),
        *_drawings(log, data, cell, summary),
        *_axis_table(summary),
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
    what = Path(summary["trajectory"]).name if summary["trajectory"] else log.path.name
    yield f"<h1>{escape(what)}</h1>"
    about = [
        f"cell {summary['cell']}",
        f"{summary['clock']} clock",
        f"seed {summary['seed']}",
        summary["start_utc"],
    ]
    yield f'<p class="soft">{escape(" · ".join(str(part) for part in about if part and "None" not in str(part)))}</p>'
    yield f'<div class="verdict {tone}"><strong>{escape(word.headline)}</strong><p>{escape(word.detail)}</p></div>'


def _figures(summary: Summary) -> Iterator[str]:
    rows = key_figures(summary)
    half = (len(rows) + 1) // 2
    yield "<h2>Key figures</h2>"
    yield f'<div class="pairs">{table((), rows[:half])}{table((), rows[half:])}</div>'
    if summary["run_ended"] is not None:
        yield "<h2>How closely the robots followed</h2>"
        yield table(
            FOLLOWING_HEAD,
            following_rows(summary),
            "Largest / rms / at the end of the run. Commanded: the port at the wished axes.",
        )
    yield "<h2>Criteria</h2>"
    yield judged_table(("criterion", "measured", "bound", ""), map(criterion_row, summary["criteria"]))


def _pictures(data: Recorded, cell: Cell) -> Iterator[str]:
    """The hall at the start, in the middle and at the end of the run (or of the log when nothing ran)."""
    if not data.t.size:
        return
    first, last = (data.run.start, data.run.stop - 1) if data.ran else (0, data.t.size - 1)
    moments = (
        {"start": first, "middle": (first + last) // 2, "end": last} if data.ran else {"end of the log": last}
    )
    width, height = PICTURE_SIZE
    try:
        with HallPicture(
            cell.tool.T_flange_port1, cell.tool.T_flange_port2, width=width, height=height
        ) as hall:
            parts = [
                picture(hall.render(data.actual[row], view=view), f"{_moment(data, cell, name, row)}")
                for view in VIEWS
                for name, row in moments.items()
            ]
        yield f'<div class="pictures">{"".join(parts)}</div>'
    except PictureUnavailable as reason:
        yield f'<p class="soft">No pictures: {escape(str(reason))}</p>'


def _moment(data: Recorded, cell: Cell, name: str, row: int) -> str:
    port1, port2 = ports_of_axes(cell.hall, data.actual[row : row + 1])
    return f"{name}: {data.t[row]:.1f} s, ports {np.linalg.norm(port1[0, :3] - port2[0, :3]):.3f} m apart"


def _drawings(log: Log, data: Recorded, cell: Cell, summary: Summary) -> Iterator[str]:
    if data.ran:
        yield "<h2>Approach</h2>"
        yield drawing(approach_figure(data, cell), "The run: commanded dashed, actual in colour.")
        yield "<h2>Errors</h2>"
        yield drawing(
            error_figure(data, follow(data, cell.hall)),
            "Distance and angle between commanded and actual port, greatest of each stretch; logarithmic.",
        )
    if data.t.size > 1:
        yield "<h2>Commanded and actual, GLC</h2>"
        sheet = system_figure(log, cell, System.GLC, points=POINTS, titled=False)
        yield drawing(
            sheet,
            "The whole log. Band: mode of the facility. A, B, C: KUKA's angles about z, y, x, counted through full turns.",
        )
    if data.ran:
        yield "<h2>Axes and speeds</h2>"
        yield drawing(range_figure(data, cell), "What each axis used of its range.")
        yield drawing(
            speed_figure(data, motion_of(log, data, cell), cell),
            "Set-points in the run against what the guard allows.",
        )
    if summary["missed_cycles"] is not None:
        yield "<h2>Timing</h2>"
        yield drawing(timing_figure(log, data), "Wake-up of the live loop after its deadline.")


def _axis_table(summary: Summary) -> Iterator[str]:
    if summary["run_ended"] is not None:
        yield "<h2>Axes, the greatest of each</h2>"
        yield table(
            AXIS_HEAD,
            axis_rows(summary),
            "Error: actual against command, delay included. Limits: those of the guard.",
        )


def _events(log: Log) -> Iterator[str]:
    yield "<h2>Events</h2>"
    start = int(log.values("clock.utc_ns")[0]) if log.pool.size else 0
    rows = [
        (f"{(int(e['utc_ns']) - start) * 1e-9:.3f}", iso_utc(int(e["utc_ns"])), Severity(int(e["severity"])).name.lower(),
         e["name"].decode(errors="replace"), e["text"].decode(errors="replace"))
        for e in log.events[:EVENTS_SHOWN]
    ]  # fmt: skip
    yield event_table(rows)
    if len(log.events) > EVENTS_SHOWN:
        yield f'<p class="soft">The first {EVENTS_SHOWN} of {len(log.events)} events; all of them: <code>proxops log info</code>.</p>'


def _provenance(log: Log, summary: Summary) -> Iterator[str]:
    """Where this comes from and how to get it again."""
    yield "<h2>Provenance</h2>"
    names = ("proxops_version", "cell", "user_tool", "trajectory", "seed", "clock")
    rows = [(name.replace("_", " "), str(summary[name])) for name in names if summary[name] is not None]
    rows += [
        ("log", f"{log.path.name}{'' if log.complete else ' (cut off)'}"),
        *(("note", note) for note in log.notes),
    ]
    yield table((), rows)
    yield f"<pre>{escape(chr(10).join(_commands(log, summary)))}</pre>"


def _commands(log: Log, summary: Summary) -> Iterator[str]:
    if summary["trajectory"]:
        live = " --realtime" if summary["clock"] == "live" else ""
        tool = f" --user-tool {shlex.quote(summary['user_tool'])}" if summary["user_tool"] else ""
        seed = f" --seed {summary['seed']}" if summary["seed"] is not None else ""
        yield f"proxops play {shlex.quote(summary['trajectory'])}{tool}{seed}{live}"
    yield f"proxops log plot {shlex.quote(log.path.name)} --system GLC --out motion.svg"
    yield f"proxops log info {shlex.quote(log.path.name)}"

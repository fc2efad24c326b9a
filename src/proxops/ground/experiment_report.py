"""The report of an experiment with an arm: one HTML file, and the short form for a terminal, from the log alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from proxops.core.errors import BadInput
from proxops.ground.experiment_log import about_of
from proxops.ground.log import Log
from proxops.ground.report_page import drawing, judged_table, page, picture, table

if TYPE_CHECKING:
    from rich.console import Console

About = dict[str, Any]
Draw = Callable[[Log, About], Iterator[tuple[Any, str]]]  # (figure or png bytes, caption)


def write_experiment_report(log: Log, draw: Draw, out_html: Path) -> None:
    """Verdict, conventions, tables, criteria, drawings; ``draw`` makes those of the experiment's kind."""
    about = about_of(log)
    assert about is not None
    name = log.metadata.get("scenario", log.path.stem)
    body = [*_head(name, log, about), *_tables(about), *_drawings(log, about, draw), *_provenance(log)]
    try:
        out_html.write_text(page(f"{name}: {headline(about)}", body), encoding="utf-8")
    except OSError as reason:
        raise BadInput(f"cannot be written: {reason.strerror}", where=str(out_html)) from reason


def headline(about: About) -> str:
    """In one sentence."""
    failure: str = about["failure"]
    if failure:
        return failure[0].upper() + failure[1:]
    failed = [row["name"] for row in about["criteria"] if not row["passed"]]
    count = len(about["criteria"])
    return f"{len(failed)} of {count} criteria not met: {'; '.join(failed)}" if failed else f"All {count} criteria met"


def criterion_row(row: dict[str, Any]) -> tuple[str, str, str, bool]:
    sign = {"at most": "≤ ", "at least": "≥ ", "equal": ""}[row["kind"]]
    return row["name"], _told(row["value"], row["unit"]), sign + _told(row["bound"], row["unit"]), row["passed"]


def _told(value: Any, unit: str) -> str:
    text = f"{value:.4g}" if isinstance(value, float) else str(value)
    return f"{text} {unit}".strip()


def _head(name: str, log: Log, about: About) -> Iterator[str]:
    tone = "good" if about["passed"] else "bad"
    yield f"<h1>{escape(name)}</h1>"
    yield f'<p class="soft">{escape(log.metadata.get("about", ""))}</p>'
    yield f'<div class="verdict {tone}"><strong>{escape(headline(about))}</strong></div>'
    if about["conventions"]:
        yield "<h2>Conventions</h2>"
        yield "<ul>" + "".join(f"<li>{escape(line)}</li>" for line in about["conventions"]) + "</ul>"


def _tables(about: About) -> Iterator[str]:
    for caption, head, rows in about["tables"]:
        yield f"<h2>{escape(caption)}</h2>"
        yield table(head, rows)
    if about["criteria"]:
        yield "<h2>Criteria</h2>"
        yield judged_table(("criterion", "measured", "bound", ""), map(criterion_row, about["criteria"]))


def _drawings(log: Log, about: About, draw: Draw) -> Iterator[str]:
    if len(log.pool) < 2:
        return
    yield "<h2>Drawings</h2>"
    for figure, caption in draw(log, about):
        yield picture(figure, caption) if isinstance(figure, bytes) else drawing(figure, caption)


def _provenance(log: Log) -> Iterator[str]:
    yield "<h2>Where this comes from</h2>"
    rows = [(key, log.metadata[key]) for key in ("scenario", "kind", "model", "seed", "proxops") if key in log.metadata]
    yield table((), rows)
    if "scenario_file" in log.metadata:
        yield f"<pre>{escape(log.metadata['scenario_file'])}</pre>"


def print_experiment(about: About, console: Console) -> None:
    """Tables and criteria on a terminal."""
    from rich.markup import escape as plain
    from rich.table import Table

    console.print(f"[bold]{plain(headline(about))}[/]", highlight=False)
    for caption, head, rows in about["tables"]:
        grid = Table(*map(plain, head), title=plain(caption), title_justify="left", box=None, padding=(0, 2, 0, 0))
        for row in rows:
            grid.add_row(*map(plain, row))
        console.print(grid, highlight=False)
    grid = Table("criterion", "measured", "bound", "", box=None, padding=(0, 2, 0, 0))
    for name, measured, bound, met in map(criterion_row, about["criteria"]):
        grid.add_row(plain(name), plain(measured), plain(bound), "[green]met[/]" if met else "[red]NOT MET[/]")
    console.print(grid, highlight=False)

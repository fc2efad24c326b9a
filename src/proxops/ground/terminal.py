"""A run on the terminal: the verdict and the tables that one wants first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from proxops.ground.section import RunReport, Table

if TYPE_CHECKING:
    from rich.console import Console

COLOURS: Final = {True: "green", False: "red", None: "yellow"}
MET: Final = {True: "[green]met[/]", False: "[red]NOT MET[/]"}


def print_brief(report: RunReport, console: Console) -> None:
    """Verdict and brief of a report."""
    from rich.markup import escape

    word = report.verdict
    line = f"[bold {COLOURS[word.good]}]{escape(word.headline)}[/]  {escape(word.detail)}"
    console.print(line.rstrip(), highlight=False)
    for section in report.brief:
        for part in section.parts:
            if isinstance(part, Table):
                print_table(part, section.heading, console)


def print_table(table: Table, title: str, console: Console) -> None:
    """Columns without lines, names in the first."""
    from rich.markup import escape
    from rich.table import Table as Grid

    grid = Grid(
        *map(escape, table.head), title=escape(title) or None, title_justify="left", show_header=bool(table.head), box=None,
        pad_edge=False, padding=(0, 2, 0, 0),
    )  # fmt: skip
    for name, *cells in table.rows:
        words = (MET[cell] if isinstance(cell, bool) else escape(cell) for cell in cells)
        grid.add_row(f"[dim]{escape(str(name))}[/]", *words)
    console.print(grid, highlight=False)

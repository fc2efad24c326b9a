"""``proxops check``: can the hall show a motion?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from proxops.cli.options import CellPath, Json, Tool, print_json
from proxops.core.errors import EXIT_DONE, EXIT_STOPPED

Asked = Annotated[
    str, typer.Argument(metavar="SCENARIO|TRAJECTORY", help="Scenario (name, or file .toml) or trajectory file.")
]
Plot = Annotated[Path | None, typer.Option(help="Picture to draw: .svg, .png or .pdf.")]
Folder = Annotated[Path | None, typer.Option("--out", help="Folder for check.json and check.svg.")]


def check(
    motion: Asked,
    plot: Plot = None,
    out: Folder = None,
    user_tool: Tool = None,
    cell: CellPath = None,
    json: Json = False,
) -> None:
    """Tell before anything moves whether the hall can show a motion: where it leaves the workspace, breaks a limit or a
    rate, comes near a singularity or into yellow and red; with what margin, from which start, and what would help. Exit
    code 0: feasible, 1: not feasible, 2: bad input."""
    from proxops import api

    about = api.check(motion, out=out, plot=plot, cell=cell, user_tool=user_tool, quiet=json)
    if json:
        print_json(about)
    raise typer.Exit(EXIT_DONE if about["feasible"] else EXIT_STOPPED)

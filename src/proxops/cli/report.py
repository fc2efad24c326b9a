"""``proxops report``: the page of a run again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from proxops.cli.options import CellPath, Json, Tool, print_json
from proxops.core.errors import EXIT_DONE, EXIT_STOPPED

RunPath = Annotated[Path, typer.Argument(metavar="RUN", help="Folder of a run of any kind, or its log.")]


def report(run: RunPath, cell: CellPath = None, user_tool: Tool = None, json: Json = False) -> None:
    """Write report.html of a run again from its log; summary.json too if there is none, as after a run that was killed.

    Exit code 0 only if the run has passed and its log is whole."""
    from proxops import api

    done = api.report(run, cell=cell, user_tool=user_tool, quiet=json)
    if json:
        print_json(done.summary)
    raise typer.Exit(EXIT_DONE if done.passed else EXIT_STOPPED)

"""``proxops arm``: what is done with runs of free-floating arms."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from proxops.cli.options import Json, print_json
from proxops.core.errors import EXIT_DONE, EXIT_STOPPED

arm = typer.Typer(help="Work on runs of free-floating arms.", no_args_is_help=True, rich_markup_mode=None)
RunFolder = Annotated[
    Path, typer.Argument(metavar="RUN", help="Folder (or log) of a run with an arm in the loop (proxops run kube).")
]
Model = Annotated[
    Path | None, typer.Option("--model", help="URDF of the arm, if it is not found from the run's own scenario.")
]


@arm.callback()
def _arm() -> None:
    pass


@arm.command()
def analyse(run: RunFolder, model: Model = None, json: Json = False) -> None:
    """Analyse a test with an arm in the loop: smooth the measured joint angles, compute driving torques, simulate the
    free-floating arm with them, and compare; ground torques against the sensors. Writes analysis.json and analysis.html."""
    from proxops.applications.kube.post_test_session import analysis_session

    about = analysis_session(run.parent if run.is_file() else run, model, quiet=json)
    if json:
        print_json(about)
    raise typer.Exit(EXIT_DONE if about["passed"] else EXIT_STOPPED)

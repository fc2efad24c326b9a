"""Options that several commands share."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from proxops.core.errors import EXIT_DONE, EXIT_STOPPED

if TYPE_CHECKING:
    from proxops.api import Run


class SystemName(StrEnum):
    """Coordinate systems as they are typed."""

    IJT = "IJT"
    IDC = "IDC"
    GLC = "GLC"
    CLW = "CLW"


Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Tool = Annotated[Path | None, typer.Option("--user-tool", help="user_tool.val; the paper's Figure 24 by default.")]
CellPath = Annotated[
    Path | None, typer.Option("--cell", help="Cell file (TOML) or shipped cell (epos, kube, fzi); epos by default.")
]


def _log_in(run: Path) -> Path:
    return run / "run.mcap" if run.is_dir() else run


TrajectoryPath = Annotated[Path, typer.Argument(help="Trajectory file: 23 columns, a line every 4 ms.")]
LogPath = Annotated[Path, typer.Argument(help="Recorded run: its log (.mcap) or its folder.", callback=_log_in)]
Seed = Annotated[int, typer.Option(min=0, help="Seed of the virtual robots' repeatability.")]
Images = Annotated[
    str | None,
    typer.Option(
        help="HOST:PORT of this machine (such as 127.0.0.1:47260): serve every image over TCP, without its truth."
    ),
]
KeyFile = Annotated[
    Path | None,
    typer.Option(
        envvar="PROXOPS_KEY_FILE", help="Key of the control channel over the network: at least 16 bytes, mode 600."
    ),
]


def end(run: Run, json: bool) -> NoReturn:
    """Exit code 0 only when the run has passed."""
    if json:
        print_json(run.summary)
    raise typer.Exit(EXIT_DONE if run.passed else EXIT_STOPPED)


def print_json(result: Any) -> None:
    """For machines."""
    print(json.dumps(result, indent=2, ensure_ascii=False))

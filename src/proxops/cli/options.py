"""Options that several commands share."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from proxops.lab.cell import Cell


class SystemName(StrEnum):
    """Coordinate systems as they are typed."""

    IJT = "IJT"
    IDC = "IDC"
    GLC = "GLC"
    CLW = "CLW"


Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Tool = Annotated[Path | None, typer.Option("--user-tool", help="user_tool.val; the paper's Figure 24 by default.")]
CellPath = Annotated[Path | None, typer.Option("--cell", help="Cell file (TOML); the EPOS hall by default.")]
TrajectoryPath = Annotated[Path, typer.Argument(help="Trajectory file: 23 columns, a line every 4 ms.")]
LogPath = Annotated[Path, typer.Argument(help="Recorded run (.mcap).")]
Seed = Annotated[int, typer.Option(min=0, help="Seed of the virtual robots' repeatability.")]
KeyFile = Annotated[
    Path | None,
    typer.Option(
        envvar="PROXOPS_KEY_FILE", help="Key of the control channel over the network: at least 16 bytes, mode 600."
    ),
]


def read_cell(cell: Path | None, tool: Path | None) -> Cell:
    """The cell with its tools."""
    from proxops.lab.cell import load_cell
    from proxops.lab.user_tool import UserTool

    return load_cell(cell, UserTool.read(tool) if tool else None)


def print_json(result: Any) -> None:
    """For machines."""
    print(json.dumps(result, indent=2, ensure_ascii=False))

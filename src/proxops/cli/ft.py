"""``proxops ft``: force/torque sensors."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from proxops.cli.options import Json, print_json
from proxops.core.errors import EXIT_DONE

ft = typer.Typer(help="Force/torque sensors.", no_args_is_help=True, rich_markup_mode=None)


class Excitation(StrEnum):
    """How much the calibration motion swings."""

    FULL = "full"
    SMALL = "small"


ToolPath = Annotated[
    Path | None,
    typer.Option("--tool", help="Tool file (TOML: mass_kg, com_m, inertia_kgm2); a cube module by default."),
]
Folder = Annotated[Path, typer.Option("--out", help="Folder for load.toml and calibration.png.")]
Seed = Annotated[int, typer.Option(min=0, help="Seed of the sensor's errors.")]
Swing = Annotated[
    Excitation, typer.Option("--excitation", help="'small' moves too little, to see what is then refused.")
]


@ft.callback()
def _ft() -> None:
    pass


@ft.command()
def calibrate(
    tool: ToolPath = None,
    out: Folder = Path("runs") / "ft_calibration",
    seed: Seed = 1,
    excitation: Swing = Excitation.FULL,
    json: Json = False,
) -> None:
    """Find mass, centre and inertia of the tool on a force sensor, and the sensor's bias, from a short motion of the virtual
    arm. Writes load.toml for scenarios, and calibration.png with the force before and after compensation."""
    from proxops.facility.load_calibration import calibration_session

    about = calibration_session(tool, excitation.value, seed, out, quiet=json)
    if json:
        print_json(about)
    raise typer.Exit(EXIT_DONE)

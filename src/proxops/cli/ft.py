"""``proxops ft``: force/torque sensors."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from proxops.cli.options import Json, print_json
from proxops.core.errors import EXIT_DONE, BadInput

ft = typer.Typer(help="Force/torque sensors.", no_args_is_help=True, rich_markup_mode=None)


class Excitation(StrEnum):
    """How much the calibration motion swings."""

    FULL = "full"
    SMALL = "small"


class ReadingSource(StrEnum):
    """Where readings come from."""

    VIRTUAL = "virtual"
    NETWORK = "network"


PORT = 47_340  # as a scenario's sensor.port
ToolPath = Annotated[
    Path | None,
    typer.Option(
        "--tool",
        help="Tool file (TOML: mass_kg, com_m, inertia_kgm2); a cube module by default. Your own sensor: its name only.",
    ),
]
Source = Annotated[
    ReadingSource,
    typer.Option("--sensor", help="'network': your own, by UDP datagrams (docs/touch.md), while the arm moves."),
]
Port = Annotated[int | None, typer.Option(min=1, max=65535, help=f"UDP port of your own sensor; {PORT} by default.")]
Rate = Annotated[
    float | None, typer.Option("--rate-hz", min=50.0, max=10_000.0, help="Readings per second of it; 250 by default.")
]
Folder = Annotated[Path, typer.Option("--out", help="Folder for load.toml, calibration.png, log, summary and report.")]
Seed = Annotated[int, typer.Option(min=0, help="Seed of the errors of virtual sensor and encoders.")]
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
    sensor: Source = ReadingSource.VIRTUAL,
    port: Port = None,
    rate_hz: Rate = None,
    json: Json = False,
) -> None:
    """Find mass, centre and inertia of the tool on a force sensor, and the sensor's bias, from a short motion of the virtual
    arm, by its encoders. Writes load.toml for scenarios, calibration.png with the force before and after compensation, and the
    log, summary and report of a run."""
    from proxops.applications.load_calibration.session import calibration_session

    if sensor is ReadingSource.VIRTUAL and (port is not None or rate_hz is not None):
        raise BadInput("--port and --rate-hz are for --sensor network")
    listen = (port or PORT) if sensor is ReadingSource.NETWORK else None
    about = calibration_session(
        tool, excitation.value, seed, out, quiet=json, port=listen, rate_hz=250.0 if rate_hz is None else rate_hz
    )
    if json:
        print_json(about)
    raise typer.Exit(EXIT_DONE)

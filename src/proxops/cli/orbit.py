"""``proxops orbit``: the reference orbit of a mission, and how a chaser drifts beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from proxops.cli.options import Json, print_json

MissionName = Annotated[str, typer.Argument(metavar="SCENARIO", help="Mission: name, or file .toml.")]
Hours = Annotated[float | None, typer.Option(min=0.01, max=24.0, help="How long; two revolutions by default.")]
Folder = Annotated[
    Path | None, typer.Option("--out", help="Folder for orbit.json and orbit.png; runs/NAME by default.")
]


def orbit(scenario: MissionName, hours: Hours = None, out: Folder = None, json: Json = False) -> None:
    """Tell and draw the reference orbit of a mission (elements, drifts, altitudes, shadow, ground track) and how the chaser
    drifts freely from its start: exactly, after Clohessy and Wiltshire, and linearised about the ellipse."""
    from proxops.applications.mission.orbit_session import orbit_session

    about = orbit_session(scenario, hours, out, quiet=json)
    if json:
        print_json(about)

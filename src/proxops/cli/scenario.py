"""Commands about scenarios: run, list."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from proxops.cli.facility import Out, Realtime, Report
from proxops.cli.options import CellPath, Images, Json, Tool, end, print_json

if TYPE_CHECKING:
    from proxops.runs.overseer import Overseer

Seed = Annotated[int | None, typer.Option(help="Seed of a mission; the scenario's own unless given.", min=0)]
Software = Annotated[
    str | None, typer.Option(help="Your flight software: path/to/file.py:Class or udp://host:port; ours unless given.")
]
Inside = Annotated[
    bool,
    typer.Option(
        "--flight-software-inside", help="Run your class in this process, not in one of its own: for a debugger."
    ),
]
WithHall = Annotated[
    bool | None, typer.Option("--hall/--no-hall", help="Close a mission's loop through the hall, or not.")
]
Runs = Annotated[int, typer.Option(help="Fly a mission this many times, with seeds counting up.", min=1, max=100_000)]
Control = Annotated[
    str | None,
    typer.Option(help="Name of a live run for proxops ctl --control; 0: after its process."),
]
Watched = Annotated[
    bool,
    typer.Option("--console", help="Watch a mission or an experiment with an arm in the browser: add --realtime."),
]
Overseen = Annotated[
    Path | None, typer.Option(hidden=True, help="Ring of the process that oversees this run through standard input.")
]
ScenarioName = Annotated[str, typer.Argument(help="Scenario file (TOML), or the name of a shipped one: proxops list.")]


def run(
    scenario: ScenarioName,
    out: Out = None,
    realtime: Realtime = False,
    user_tool: Tool = None,
    report: Report = True,
    cell: CellPath = None,
    json: Json = False,
    seed: Seed = None,
    flight_software: Software = None,
    flight_software_inside: Inside = False,
    hall: WithHall = None,
    runs: Runs = 1,
    control: Control = None,
    console: Watched = False,
    images: Images = None,
    overseen: Overseen = None,
) -> None:
    """Run a scenario through the virtual hall, recorded and summed up: a mission with orbit, sensors and flight software, or a
    scripted client of the bridge."""
    from proxops import api

    done = api.run(
        scenario, seed=seed, out=out, realtime=realtime, report=report, cell=cell, user_tool=user_tool,
        flight_software=flight_software, flight_software_inside=flight_software_inside, hall=hall, runs=runs, control=control,
        console=console, quiet=json, overseer=_overseer(overseen), images=images,
    )  # fmt: skip
    end(done, json)


def _overseer(ring: Path | None) -> Overseer | None:
    if ring is None:
        return None
    from proxops.runs.overseer import Overseer

    return Overseer(ring)


def list_(json: Json = False) -> None:
    """Name the scenarios that are shipped."""
    rows = list_scenarios()
    if json:
        print_json(rows)
        return
    name, kind = (max(len(row[key]) for row in rows) for key in ("name", "kind"))
    for row in rows:
        print(f"{row['name']:<{name}}  {row['kind']:<{kind}}  {row['duration_s']:6.0f} s  {row['about']}")


def list_scenarios() -> list[dict[str, Any]]:
    """One row for each shipped scenario."""
    from proxops.applications.catalogue import shelf, written

    return [
        {
            "name": item.name, "kind": item.kind, "duration_s": written(item).duration_s, "about": written(item).about,
            "file": str(item.source),
        }
        for item in shelf()
    ]  # fmt: skip

"""Commands about scenarios: run, list."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from proxops.cli.facility import Out, Realtime, Report
from proxops.cli.options import CellPath, Json, Tool, print_json, read_cell
from proxops.core.errors import EXIT_DONE, EXIT_STOPPED, BadInput

if TYPE_CHECKING:
    from proxops.facility.overseer import Overseer

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
    typer.Option(help="Name of a live experiment for proxops ctl --control; 0: after its process."),
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
    overseen: Overseen = None,
) -> None:
    """Run a scenario through the virtual hall, recorded and summed up: a mission with orbit, sensors and flight software, or a
    scripted client of the bridge."""
    from proxops.applications.catalogue import load
    from proxops.core.experiment import Experiment
    from proxops.core.mission import Mission

    loaded = load(scenario)
    folder = out or Path("runs") / loaded.name
    if isinstance(loaded, Experiment):
        from proxops.applications.session import experiment_session

        _refuse(
            loaded.name,
            "missions",
            flight_software=flight_software,
            flight_software_inside=flight_software_inside or None,
            hall=hall,
            runs=runs if runs > 1 else None,
        )
        _refuse(loaded.name, "runs through the hall", cell=cell, user_tool=user_tool)
        summary = experiment_session(
            loaded, folder, realtime=realtime, seed=seed, control=control, report=report, quiet=json,
            overseer=_overseer(overseen),
        )  # fmt: skip
        _end(summary, json)
    _refuse(loaded.name, "experiments", control=control)
    if flight_software_inside and (flight_software is None or flight_software.startswith("udp:")):
        raise BadInput(
            "--flight-software-inside: only a class in a Python file can run inside", value=flight_software,
            way_out="name one with --flight-software, or leave it out",
        )  # fmt: skip
    read = read_cell(cell, user_tool)
    if isinstance(loaded, Mission) and runs > 1:
        from proxops.applications.mission.campaign import campaign_session

        if realtime:
            raise BadInput(
                "--runs: many runs are made in lockstep", value="--realtime", way_out="leave one of the two out"
            )
        summary = campaign_session(
            read,
            loaded,
            folder,
            runs=runs,
            first_seed=seed,
            software=flight_software,
            inside=flight_software_inside,
            use_hall=hall,
            quiet=json,
        )
    elif isinstance(loaded, Mission):
        from proxops.applications.mission.session import mission_session

        summary = mission_session(
            read, loaded, folder, realtime=realtime, seed=seed, software=flight_software,
            inside=flight_software_inside, use_hall=hall, report=report, quiet=json, overseer=_overseer(overseen),
        )  # fmt: skip
    else:
        from proxops.facility.session import run_session

        _refuse(
            loaded.name,
            "missions",
            overseen=overseen,
            seed=seed,
            flight_software=flight_software,
            flight_software_inside=flight_software_inside or None,
            hall=hall,
            runs=runs if runs > 1 else None,
        )
        summary = run_session(read, loaded, folder, realtime=realtime, report=report, quiet=json)
    _end(summary, json)


def _overseer(ring: Path | None) -> Overseer | None:
    if ring is None:
        return None
    from proxops.facility.overseer import Overseer

    return Overseer(ring)


def _end(summary: dict[str, Any], json: bool) -> NoReturn:
    if json:
        print_json(summary)
    raise typer.Exit(EXIT_DONE if summary["passed"] else EXIT_STOPPED)


def _refuse(name: str, only: str, **given: object) -> None:
    """BadInput for options that this scenario has no use for."""
    for option, value in given.items():
        if value is not None:
            raise BadInput(f"--{option.replace('_', '-')}: for {only} only, and {name} is none", value=value)


def list_(json: Json = False) -> None:
    """Name the scenarios that are shipped."""
    rows = list_scenarios()
    if json:
        print_json(rows)
        return
    width = max(len(row["name"]) for row in rows)
    for row in rows:
        print(f"{row['name']:<{width}}  {row['kind']:<8}  {row['duration_s']:6.0f} s  {row['about']}")


def list_scenarios() -> list[dict[str, Any]]:
    """One row for each shipped scenario."""
    from proxops.applications.catalogue import shelf
    from proxops.core.experiment import Experiment
    from proxops.core.mission import Mission

    rows = []
    for item in shelf():
        file = item.file if isinstance(item, Mission | Experiment) else item
        kind = {Mission: "mission", Experiment: "arm"}.get(type(item), "scripted")
        row = {
            "name": item.name,
            "kind": kind,
            "duration_s": file.duration_s,
            "about": file.about,
            "file": str(item.source),
        }
        rows.append(row)
    return rows

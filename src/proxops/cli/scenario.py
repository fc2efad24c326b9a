"""Commands about scenarios: run, list."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from proxops.cli.facility import Out, Realtime, Report
from proxops.cli.options import CellPath, Json, Tool, print_json, read_cell
from proxops.core.errors import EXIT_DONE, EXIT_STOPPED

ScenarioName = Annotated[str, typer.Argument(help="Scenario file (TOML), or the name of a shipped one: proxops list.")]


def run(
    scenario: ScenarioName,
    out: Out = None,
    realtime: Realtime = False,
    user_tool: Tool = None,
    report: Report = True,
    cell: CellPath = None,
    json: Json = False,
) -> None:
    """Run a scenario: a client's motion over a network and the bridge onto the virtual hall; recorded and summed up."""
    from proxops.core.scenario import load_scenario
    from proxops.facility.session import run_session

    loaded = load_scenario(scenario)
    folder = out or Path("runs") / loaded.name
    summary = run_session(read_cell(cell, user_tool), loaded, folder, realtime=realtime, report=report, quiet=json)
    if json:
        print_json(summary)
    raise typer.Exit(EXIT_DONE if summary["passed"] else EXIT_STOPPED)


def list_(json: Json = False) -> None:
    """Name the scenarios that are shipped."""
    rows = list_scenarios()
    if json:
        print_json(rows)
        return
    width = max(len(row["name"]) for row in rows)
    for row in rows:
        print(f"{row['name']:<{width}}  {row['duration_s']:6.0f} s  {row['about']}")


def list_scenarios() -> list[dict[str, Any]]:
    """One row for each shipped scenario."""
    from proxops.core.scenario import shipped

    return [
        {
            "name": scenario.name,
            "duration_s": scenario.duration_s,
            "frame": scenario.client.frame,
            "about": scenario.about,
            "file": str(scenario.source),
        }
        for scenario in shipped()
    ]

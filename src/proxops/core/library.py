"""The shelf of scenarios: scripted ones and missions, found by name or by path."""

from __future__ import annotations

import tomllib
from pathlib import Path

from proxops.core.errors import BadInput
from proxops.core.mission import Mission, mission_paths, parse_mission
from proxops.core.scenario import Scenario, located, parse_scenario, read_text, scenario_paths, shipped


def load(path_or_name: Path | str) -> Scenario | Mission:
    """Read ``some/where.toml``, or one that is shipped by its name. What has an orbit (or is like a mission) is a mission."""
    path = located(path_or_name, mission_paths() | scenario_paths())
    text = read_text(path)
    return parse_mission(text, path) if _has_orbit(text) else parse_scenario(text, path)


def load_mission(path_or_name: Path | str) -> Mission:
    """As ``load``, for what makes sense for missions only."""
    loaded = load(path_or_name)
    if not isinstance(loaded, Mission):
        raise BadInput(
            "a scripted scenario has no orbit", value=str(path_or_name), bound=", ".join(mission_paths()),
            way_out="or a path to a file with an [orbit] table",
        )  # fmt: skip
    return loaded


def shelf() -> list[Scenario | Mission]:
    """Everything that is shipped, missions first."""
    return [*(load_mission(path) for path in mission_paths().values()), *shipped()]


def _has_orbit(text: str) -> bool:
    try:
        return not {"orbit", "like"}.isdisjoint(tomllib.loads(text))
    except tomllib.TOMLDecodeError:
        return False  # the scenario's own reader says what is wrong

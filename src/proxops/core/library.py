"""The shelf of scenarios: missions, scripted ones and experiments with arms, found by name or by path."""

from __future__ import annotations

from pathlib import Path

from proxops.core.errors import BadInput
from proxops.core.experiment import Experiment, experiment_paths, parse_experiment
from proxops.core.mission import Mission, mission_paths, parse_mission
from proxops.core.scenario import Scenario, located, parse_scenario, scenario_paths, shipped
from proxops.core.toml_text import read_toml, toml_text


def load(path_or_name: Path | str) -> Scenario | Mission | Experiment:
    """Read ``some/where.toml``, or one that is shipped by its name. What has an arm is an experiment, what has an orbit (or is
    like a mission) is a mission."""
    path = located(path_or_name, mission_paths() | scenario_paths() | experiment_paths())
    text = toml_text(path, "the scenario")
    tables = read_toml(text, path)
    if "arm" in tables or "kind" in tables:
        return parse_experiment(text, path)
    return parse_mission(text, path) if "orbit" in tables or "like" in tables else parse_scenario(text, path)


def load_mission(path_or_name: Path | str) -> Mission:
    """As ``load``, for what makes sense for missions only."""
    loaded = load(path_or_name)
    if not isinstance(loaded, Mission):
        raise BadInput(
            "this scenario has no orbit of two craft", value=str(path_or_name), bound=", ".join(mission_paths()),
            way_out="or a path to a file with an [orbit] table",
        )  # fmt: skip
    return loaded


def load_flown(path_or_name: Path | str) -> Scenario | Mission:
    """As ``load``, for what makes sense for motion through the hall only."""
    loaded = load(path_or_name)
    if isinstance(loaded, Experiment):
        raise BadInput("an experiment with an arm does not go through the hall", value=str(path_or_name))
    return loaded


def shelf() -> list[Scenario | Mission | Experiment]:
    """Everything that is shipped, missions first."""
    experiments = (load(path) for path in experiment_paths().values())
    return [*(load_mission(path) for path in mission_paths().values()), *shipped(), *experiments]

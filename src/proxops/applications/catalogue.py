"""The catalogue of scenarios: missions, scripted ones and experiments, found by name or by path."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Final

from proxops.applications.kinds import FOLDERS, tables_of
from proxops.core.errors import BadInput
from proxops.core.experiment import Experiment
from proxops.core.mission import Mission, mission_paths, parse_mission
from proxops.core.scenario import Scenario, located, parse_scenario, scenario_paths, shipped
from proxops.core.strict_table import judge_table
from proxops.core.toml_text import read_toml, toml_text
from proxops.core.tool_load_file import read_tool_load

LOADS: Final = ("tool", "mock_up")
"""Tables that may be the name of a file of ``proxops ft calibrate``, beside the scenario."""


def experiment_paths() -> dict[str, Path]:
    """Names and files of the experiments that come with us."""
    folder = Path(str(files("proxops") / "experiments"))
    return {path.stem: path for path in sorted(folder.glob("*.toml"))}


def parse_experiment(text: str, source: Path) -> Experiment:
    """From the file's text, by its ``kind``."""
    values = read_toml(text, source)
    kind = values.get("kind")
    if not isinstance(kind, str) or kind not in FOLDERS:
        raise BadInput("kind: not one of the choices", where=str(source), value=kind, bound=", ".join(FOLDERS))
    for key in LOADS:
        if isinstance(values.get(key), str):
            path = source.parent / values[key]
            values[key] = read_tool_load(path).model_dump()
    return Experiment(judge_table(values, tables_of(kind), source), source, text)


def load(path_or_name: Path | str) -> Scenario | Mission | Experiment:
    """Read ``some/where.toml``, or one that is shipped by its name. What has a kind or an arm is an experiment, what has an orbit
    (or is like a mission) is a mission."""
    path = located(path_or_name, mission_paths() | scenario_paths() | experiment_paths())
    text = toml_text(path, "the scenario")
    tables = read_toml(text, path)
    if "arm" in tables or "kind" in tables:
        return parse_experiment(text, path)
    return parse_mission(text, path) if "orbit" in tables or "like" in tables else parse_scenario(text, path)


def load_flown(path_or_name: Path | str) -> Scenario | Mission:
    """As ``load``, for what makes sense for motion through the hall only."""
    loaded = load(path_or_name)
    if isinstance(loaded, Experiment):
        raise BadInput("an experiment with an arm does not go through the hall", value=str(path_or_name))
    return loaded


def shelf() -> list[Scenario | Mission | Experiment]:
    """Everything that is shipped, missions first."""
    missions = (parse_mission(toml_text(path, "the scenario"), path) for path in mission_paths().values())
    return [*missions, *shipped(), *(load(path) for path in experiment_paths().values())]

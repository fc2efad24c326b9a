"""The catalogue of scenarios: missions, scripted ones and experiments, found by name or by path."""

from __future__ import annotations

from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Final

from proxops.applications.kinds import demand_kind, experiments, tables_of
from proxops.core.errors import BadInput
from proxops.core.experiment import Experiment, ExperimentFile
from proxops.core.mission import Mission, MissionFile, mission_paths, parse_mission
from proxops.core.scenario import Scenario, located, parse_scenario, scenario_paths, shipped
from proxops.core.strict_table import judge_table
from proxops.core.toml_text import read_toml, toml_text
from proxops.core.tool_load_file import read_tool_load

Loaded = Scenario | Mission | Experiment
LOADS: Final = ("tool", "mock_up")
"""Tables that may be the name of a file of ``proxops ft calibrate``, beside the scenario."""


def experiment_paths() -> dict[str, Path]:
    """Names and files of the experiments that come with us."""
    folder = Path(str(files("proxops") / "experiments"))
    return {path.stem: path for path in sorted(folder.glob("*.toml"))}


def parse_experiment(text: str, source: Path) -> Experiment:
    """From the file's text, by its ``kind``."""
    values = read_toml(text, source)
    kind = demand_kind(values.get("kind"), source)
    if kind not in experiments():
        raise BadInput("kind: not that of an experiment", where=str(source), value=kind, bound=", ".join(experiments()))
    for key in LOADS:
        if isinstance(values.get(key), str):
            path = source.parent / values[key]
            values[key] = read_tool_load(path).model_dump()
    return Experiment(judge_table(values, tables_of(kind), source), source, text)


def load(path_or_name: Path | str) -> Loaded:
    """Read ``some/where.toml``, or one that is shipped by its name. Its ``kind`` says what it is; what is like a shipped
    mission is one, too."""
    path = located(path_or_name, mission_paths() | scenario_paths() | experiment_paths())
    text = toml_text(path, "the scenario")
    tables = read_toml(text, path)
    kind = demand_kind(tables.get("kind", "mission" if "like" in tables else None), path)
    flown: dict[str, Callable[[str, Path], Loaded]] = {"mission": parse_mission, "scripted": parse_scenario}
    return flown.get(kind, parse_experiment)(text, path)


def written(item: Loaded) -> Scenario | MissionFile | ExperimentFile:
    """What its file says of it: name, about, duration."""
    return item if isinstance(item, Scenario) else item.file


def load_flown(path_or_name: Path | str) -> Scenario | Mission:
    """As ``load``, for what makes sense for a motion that the bridge shows only."""
    loaded = load(path_or_name)
    if isinstance(loaded, Experiment):
        raise BadInput(
            f"a run of the kind {loaded.kind} is not a motion that the bridge shows", value=str(path_or_name),
            bound="missions, scripted scenarios, trajectory files",
            way_out=f"proxops run {path_or_name} judges it before anything moves",
        )  # fmt: skip
    return loaded


def shelf() -> list[Loaded]:
    """Everything that is shipped, missions first."""
    missions = (parse_mission(toml_text(path, "the scenario"), path) for path in mission_paths().values())
    return [*missions, *shipped(), *(load(path) for path in experiment_paths().values())]

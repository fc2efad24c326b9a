"""Writing a data set, from Python and from the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from proxops.applications.mission.dataset.session import dataset_session
from proxops.applications.mission.dataset.wanted import DatasetOptions, read_splits
from proxops.core.mission import load_mission
from proxops.runs.progress import COUNTED, progress_bar


def dataset(
    scenario: Path | str, *, out: Path | str, count: int = 100, seed: int = 0, poses: Literal["drawn", "flown"] = "drawn",
    between_m: tuple[float, float] = (2.0, 25.0), lights: str = "", splits: str = "train=0.8,test=0.2", quiet: bool = True,
) -> dict[str, Any]:  # fmt: skip
    """Labelled images of a mission's imaging sensors, in the new folder ``out``: ``labels.csv`` has a row for each image,
    ``dataset.json`` says what was asked for. ``poses``: drawn, or flown by the mission. ``lights``: names of the catalogue; all
    unless given."""
    options = DatasetOptions(count, seed, poses, between_m, lights, read_splits(splits))
    mission = load_mission(scenario)
    with progress_bar(quiet, done=COUNTED) as progress:
        return dataset_session(mission, Path(out), options, progress)

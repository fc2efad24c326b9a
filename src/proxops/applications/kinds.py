"""The kinds of experiments, each the folder of that name beside this file: adding one touches its folder and one line here.

A folder has ``tables.FILE`` (the strict tables of its scenario file), ``experiment.run`` (carries it out) and ``figures.draw``
(its drawings, from the log). They are imported when they are needed: a physics engine takes a second.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any, Final

from proxops.core.errors import BadInput
from proxops.core.experiment import ExperimentFile
from proxops.core.experiment_result import ExperimentResult

FOLDERS: Final = {
    "turn": "turn",
    "replay": "replay",
    "tracking": "tracking",
    "servo": "servo",
    "hardware_loop": "kube",
    "docking": "docking",
    "float": "floating",
    "grasp": "grasp",
}
Draw = Callable[..., Iterator[tuple[Any, str]]]  # (log, about) → (figure, caption) or (png bytes, caption)


def _part(kind: str, part: str) -> Any:
    if kind not in FOLDERS:
        raise BadInput("kind: not one of the choices", value=kind, bound=", ".join(FOLDERS))
    return import_module(f"proxops.applications.{FOLDERS[kind]}.{part}")


def tables_of(kind: str) -> type[ExperimentFile]:
    """Of its scenario files."""
    file: type[ExperimentFile] = _part(kind, "tables").FILE
    return file


def run_of(kind: str) -> Callable[..., ExperimentResult]:
    """run(experiment, progress, **options)."""
    run: Callable[..., ExperimentResult] = _part(kind, "experiment").run
    return run


def drawings_of(kind: str) -> Draw:
    draw: Draw = _part(kind, "figures").draw
    return draw

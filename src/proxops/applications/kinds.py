"""The kinds of runs: adding one touches its folder beside this file and one line here.

Every kind has a ``session`` that carries out a loaded scenario and a ``report`` of what it recorded. The folder of an experiment
has ``tables.FILE`` (the strict tables of its scenario file), ``experiment.run`` (its program) and ``figures.draw`` (its drawings,
from the log).
Modules are imported when they are needed: a physics engine takes a second.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from proxops.core.errors import BadInput
from proxops.core.experiment import ExperimentFile
from proxops.core.experiment_result import ExperimentResult
from proxops.runs.options import RunOptions

if TYPE_CHECKING:
    from proxops.ground.experiment_report import Draw
    from proxops.ground.log import Log
    from proxops.ground.section import RunReport
    from proxops.lab.cell import Cell

    Report = Callable[[Log, Cell | None], RunReport]

EXPERIMENTS: Final = {  # kind → folder
    "turn": "turn",
    "replay": "replay",
    "tracking": "tracking",
    "servo": "servo",
    "hardware_loop": "kube",
    "docking": "docking",
    "float": "floating",
    "grasp": "grasp",
}
SESSIONS: Final = {  # kind → module with session(loaded, folder, options) and report(log, cell)
    "mission": "proxops.applications.mission.session",
    "scripted": "proxops.applications.scripted.session",
    **dict.fromkeys(EXPERIMENTS, "proxops.applications.session"),
}
REPORTS: Final = {**SESSIONS, "load_calibration": "proxops.applications.load_calibration.report"}
"""Kinds of logs: beside those of scenarios what other commands record."""
Session = Callable[[Any, Path, RunOptions], dict[str, Any]]


def demand_kind(kind: object, where: Path) -> str:
    """BadInput unless it is one of the kinds."""
    if isinstance(kind, str) and kind in SESSIONS:
        return kind
    raise BadInput(
        "kind: missing" if kind is None else "kind: not one of the choices", where=str(where), value=kind,
        bound=", ".join(SESSIONS), way_out='"mission" has an [orbit], "scripted" a motion without one',
    )  # fmt: skip


def session_of(kind: str) -> Session:
    """session(loaded, folder, options) → summary."""
    session: Session = import_module(SESSIONS[kind]).session
    return session


def report_of(kind: str) -> Report:
    """report(log, cell) → all that is told of a run; None for the cell that the log names."""
    report: Report = import_module(REPORTS[kind]).report
    return report


def _part(kind: str, part: str) -> Any:
    return import_module(f"proxops.applications.{EXPERIMENTS[kind]}.{part}")


def tables_of(kind: str) -> type[ExperimentFile]:
    """Of the scenario files of an experiment."""
    file: type[ExperimentFile] = _part(kind, "tables").FILE
    return file


def cell_of(kind: str) -> str:
    """The shipped cell of an experiment with an arm, unless it is given another."""
    tables = _part(kind, "tables") if kind in EXPERIMENTS else None
    return str(getattr(tables, "CELL", "epos"))


def run_of(kind: str) -> Callable[..., ExperimentResult]:
    """run(experiment, progress, **options) of an experiment."""
    run: Callable[..., ExperimentResult] = _part(kind, "experiment").run
    return run


def drawings_of(kind: str) -> Draw:
    """draw(log, about) of an experiment."""
    draw: Draw = _part(kind, "figures").draw
    return draw

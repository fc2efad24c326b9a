"""The kinds of runs: one table. Adding a kind touches its folder beside this file and one line here.

A kind has a ``session`` that carries out a loaded scenario and a ``report`` of what it recorded; ``Form`` says where they are.
Modules are imported when they are needed: a physics engine takes a second.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, auto
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

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


class Form(Enum):
    """What the folder of a kind holds."""

    EXPERIMENT = auto()
    """``tables.FILE`` (the strict tables of its scenario file), ``experiment.run`` (its program), ``figures.draw`` (its drawings,
    from the log). Session and report are those of all experiments."""
    FLOWN = auto()
    """``session.session(loaded, folder, options)`` and ``report.report(log, cell)`` of its own: motion through the hall. They
    are apart because a report needs nothing of the facility."""
    COMMAND = auto()
    """``report.report(log, cell)`` only: there are logs of it, by a command of its own, and no scenario files."""


class Kind(NamedTuple):
    """``folder``: of this package."""

    folder: str
    form: Form = Form.EXPERIMENT

    @property
    def home(self) -> str:
        """Package with its ``session``, if there are scenarios of it, and its report."""
        here = "proxops.applications"
        return here if self.form is Form.EXPERIMENT else f"{here}.{self.folder}"


KINDS: Final = {
    "mission": Kind("mission", Form.FLOWN),
    "scripted": Kind("scripted", Form.FLOWN),
    "turn": Kind("turn"),
    "replay": Kind("replay"),
    "tracking": Kind("tracking"),
    "servo": Kind("servo"),
    "hardware_loop": Kind("kube"),
    "docking": Kind("docking"),
    "float": Kind("floating"),
    "grasp": Kind("grasp"),
    "load_calibration": Kind("load_calibration", Form.COMMAND),
}
Session = Callable[[Any, Path, RunOptions], dict[str, Any]]


def experiments() -> tuple[str, ...]:
    """Kinds of experiments."""
    return tuple(name for name, kind in KINDS.items() if kind.form is Form.EXPERIMENT)


def scenario_kinds() -> tuple[str, ...]:
    """Kinds that a scenario file can have."""
    return tuple(name for name, kind in KINDS.items() if kind.form is not Form.COMMAND)


def demand_kind(kind: object, where: Path) -> str:
    """BadInput unless it is one that a scenario file can have."""
    if isinstance(kind, str) and kind in scenario_kinds():
        return kind
    raise BadInput(
        "kind: missing" if kind is None else "kind: not one of the choices", where=str(where), value=kind,
        bound=", ".join(scenario_kinds()), way_out='"mission" has an [orbit], "scripted" a motion without one',
    )  # fmt: skip


def session_of(kind: str) -> Session:
    """session(loaded, folder, options) → summary."""
    session: Session = import_module(f"{KINDS[kind].home}.session").session
    return session


def report_of(kind: str) -> Report:
    """report(log, cell) → all that is told of a run; None for the cell that the log names."""
    own = KINDS[kind]
    part = "session" if own.form is Form.EXPERIMENT else "report"
    report: Report = import_module(f"{own.home}.{part}").report
    return report


def _part(kind: str, part: str) -> Any:
    return import_module(f"proxops.applications.{KINDS[kind].folder}.{part}")


def tables_of(kind: str) -> type[ExperimentFile]:
    """Of the scenario files of an experiment."""
    file: type[ExperimentFile] = _part(kind, "tables").FILE
    return file


def cell_of(kind: str) -> str:
    """The shipped cell of an experiment with an arm, unless it is given another."""
    tables = _part(kind, "tables") if kind in experiments() else None
    return str(getattr(tables, "CELL", "epos"))


def run_of(kind: str) -> Callable[..., ExperimentResult]:
    """run(experiment, progress, **options) of an experiment."""
    run: Callable[..., ExperimentResult] = _part(kind, "experiment").run
    return run


def drawings_of(kind: str) -> Draw:
    """draw(log, about) of an experiment."""
    draw: Draw = _part(kind, "figures").draw
    return draw

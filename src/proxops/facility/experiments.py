"""Who carries out which kind of experiment with an arm."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from inspect import signature
from typing import Any, Final

from proxops.core.errors import BadInput
from proxops.core.experiment import Experiment
from proxops.core.experiment_result import ExperimentResult, Progress

MODULES: Final = {  # each has run(experiment, progress, **options) -> ExperimentResult
    "turn": "proxops.facility.turn_experiment",
    "replay": "proxops.facility.replay_experiment",
    "tracking": "proxops.facility.tracking_experiment",
    "servo": "proxops.facility.servo_experiment",
    "hardware_loop": "proxops.facility.hardware_loop_experiment",
    "docking": "proxops.facility.docking_experiment",
    "float": "proxops.facility.float_experiment",
    "grasp": "proxops.facility.grasp_experiment",
}


def carry_out(experiment: Experiment, progress: Progress, **options: Any) -> ExperimentResult:
    """Run it. ``options``: realtime, seed, control; a kind that cannot use one refuses it."""
    run = import_module(MODULES[experiment.file.kind]).run
    for name in options.keys() - signature(run).parameters:
        raise BadInput(f"--{name.replace('_', '-')}: this experiment has no use for it", value=experiment.name)
    try:
        result: ExperimentResult = run(experiment, progress, **options)
    except BadInput as error:
        if error.where:
            raise
        raise BadInput(
            error.what, where=str(experiment.source), value=error.value, bound=error.bound, way_out=error.way_out
        ) from None
    return replace(result, conventions=(*result.conventions, *experiment.file.notes))

"""Who carries out which kind of experiment with an arm."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from typing import Any, Final

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
    """Run it. ``options``: realtime, seed; a kind that cannot use one refuses it."""
    result: ExperimentResult = import_module(MODULES[experiment.file.kind]).run(experiment, progress, **options)
    return replace(result, conventions=(*result.conventions, *experiment.file.notes))

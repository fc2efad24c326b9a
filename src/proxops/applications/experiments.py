"""Carrying out an experiment of any kind."""

from __future__ import annotations

from dataclasses import replace
from inspect import signature
from pathlib import Path
from typing import Any

from proxops.applications.kinds import run_of
from proxops.arms.model import shipped_models
from proxops.core.errors import BadInput
from proxops.core.experiment import ArmExperimentFile, Experiment
from proxops.core.experiment_result import ExperimentResult, Progress
from proxops.core.user_file import read_bytes
from proxops.core.xml_text import LARGEST_BYTES
from proxops.ground.experiment_log import MODEL
from proxops.ground.row_stream import RowStream


def carry_out(
    experiment: Experiment, progress: Progress, stream: RowStream | None = None, **options: Any
) -> ExperimentResult:
    """Run it. ``options``: realtime, seed, control, cell; a kind that cannot use one refuses it. ``stream``: for rows of those
    with a loop."""
    run = run_of(experiment.file.kind)
    known = signature(run).parameters
    if stream is not None:
        _attach_model(experiment, stream)
        if "stream" in known:
            options["stream"] = stream
    for name in options.keys() - known:
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


def _attach_model(experiment: Experiment, stream: RowStream) -> None:
    """The URDF goes beside the series, as it was when the run began: a log can be analysed where that file is not."""
    if isinstance(experiment.file, ArmExperimentFile):
        given = experiment.model_path()
        path = shipped_models().get(str(given), Path(given))
        if path.is_file():  # no such model: the experiment says so
            stream.attachments[MODEL] = read_bytes(path, "the URDF", LARGEST_BYTES)

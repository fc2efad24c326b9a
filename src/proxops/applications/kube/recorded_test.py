"""A recorded test with an arm in the loop, as the analysis wants it: its log, its scenario, the arm as believed and as it was."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Final, NamedTuple

from proxops.applications.kube.recorded_loop import RecordedLoop, recorded_loop
from proxops.applications.kube.tables import HardwareLoopFile
from proxops.arms.model import ArmModel, load_model, shipped_models
from proxops.core.errors import BadInput
from proxops.core.experiment import Experiment
from proxops.core.strict_table import read_table
from proxops.ground.experiment_log import MODEL
from proxops.ground.log import Log

LEAST_ROWS: Final = 50  # fewer say nothing about accelerations; whether they are dense enough the spline tells


class RecordedTest(NamedTuple):
    """``arm``: what the analysis computes with. ``true_arm``: where the loop believed in another, and its URDF is still there."""

    log: Log
    file: HardwareLoopFile
    loop: RecordedLoop
    arm: ArmModel
    true_arm: ArmModel | None


def open_test(folder: Path, model: Path | None) -> RecordedTest:
    """Of ``folder``/run.mcap, or of a log itself; with ``model`` in place of the run's own. BadInput where it says too little."""
    path = folder / "run.mcap" if folder.is_dir() else folder
    log = _opened(path)
    loop = recorded_loop(log)
    if loop.t.size < LEAST_ROWS:
        raise BadInput(
            "too short to be analysed", where=str(path), value=f"{loop.t.size} cycles", bound=f"at least {LEAST_ROWS}"
        )
    text = log.metadata["scenario_file"]
    file = read_table(text, HardwareLoopFile, path)
    experiment = Experiment(file, path, text)
    arm = _loaded(model, log, experiment)
    if loop.joints != tuple(name.lower() for name in arm.joints):
        raise BadInput(
            "the log has other joints than the model",
            where=str(folder),
            value=list(loop.joints),
            bound=", ".join(arm.joints),
        )
    return RecordedTest(log, file, loop, arm, _true_arm(experiment, file))


def _opened(path: Path) -> Log:
    if not path.is_file():
        raise BadInput(
            "no log of a run", where=str(path), way_out="proxops run kube --out FOLDER, then proxops arm analyse FOLDER"
        )
    log = Log.open(path)
    if log.metadata.get("kind") != "hardware_loop":
        raise BadInput(
            "not a run with an arm in the loop", where=str(path), value=log.metadata.get("kind", "no experiment")
        )
    return log


def _loaded(given: Path | None, log: Log, experiment: Experiment) -> ArmModel:
    """The model that was asked for, a shipped one by its name, or the URDF that the log carries."""
    arm = experiment.arm
    if given is not None or arm.model in shipped_models() or MODEL not in log.attachments:
        return load_model(given or experiment.model_path(), arm.tool, arm.joints)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / MODEL
        path.write_bytes(log.attachments[MODEL])
        return load_model(path, arm.tool, arm.joints)


def _true_arm(experiment: Experiment, file: HardwareLoopFile) -> ArmModel | None:
    """As the scenario has it, if its URDF is still there."""
    if file.true_arm is None:
        return None
    given = experiment.model_path(file.arm.model_copy(update={"model": file.true_arm.model}))
    if given not in shipped_models() and not Path(given).is_file():
        return None
    return load_model(given, file.arm.tool, file.arm.joints)

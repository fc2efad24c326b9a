"""``proxops arm analyse``: from a run's log to analysis.json and analysis.html."""

from __future__ import annotations

import math
import tempfile
from itertools import chain
from pathlib import Path
from typing import Any, Final

import numpy as np

from proxops.applications.kube.beside_paper import beside_paper
from proxops.applications.kube.figures import timing_figures
from proxops.applications.kube.post_test import analyse
from proxops.applications.kube.post_test_figures import PostTest, draw
from proxops.applications.kube.recorded_loop import RecordedLoop, recorded_loop
from proxops.applications.kube.tables import HardwareLoopFile
from proxops.arms.model import ArmModel, load_model, shipped_models
from proxops.core.criterion import Criterion
from proxops.core.errors import BadInput
from proxops.core.experiment import Experiment
from proxops.core.strict_table import read_table
from proxops.ground.experiment_log import MODEL, about_of
from proxops.ground.experiment_report import told_sections, told_tables, told_verdict
from proxops.ground.log import Log
from proxops.ground.results import write_results
from proxops.ground.section import RunReport

RESULTS: Final = ("analysis.json", "analysis.html")
POSE: Final = ("x", "y", "z", "qw", "qx", "qy", "qz")
LEAST_ROWS: Final = 50  # fewer say nothing about accelerations; whether they are dense enough the spline tells
FIT_DEG: Final = 0.05  # the spline's error, largest at the start where commanded accelerations step
POSITION_MM: Final = 1.0  # tool and satellite: what the fit's error makes of an arm of a metre
TURN_DEG: Final = 0.1
CONVENTIONS: Final = (
    "differences are simulation (or model) less test; turns are rotation vectors in inertial axes",
    "simulation: equations of motion of the free-floating arm, Runge-Kutta 4, open loop, by the torques of the smoothed angles",
    "ground torques: base held, gravity as in the run; drive friction with the parameters that the virtual arm has",
    "satellite and tool are compared at the readings that the loop evaluated, torques at every cycle that was recorded",
    "left out: reading less what the spline through all others has there; the spline's own error can be small and mean nothing",
)


def analysis_session(folder: Path, model: Path | None, *, quiet: bool) -> dict[str, Any]:
    """Read ``folder``/run.mcap, write the results beside it; the analysis as plain values."""
    from proxops.runs.progress import progress_bar

    log, loop, experiment = _opened(folder)
    file = experiment.file
    assert isinstance(file, HardwareLoopFile)
    arm = _loaded(model, log, experiment)
    if loop.joints != tuple(name.lower() for name in arm.joints):
        raise BadInput(
            "the log has other joints than the model",
            where=str(folder),
            value=list(loop.joints),
            bound=", ".join(arm.joints),
        )
    with progress_bar(quiet) as bar:
        post = analyse(arm, _true_arm(experiment), file, loop, bar)
    run = about_of(log) or {"failure": f"no result: {log.ended_words}", "figures": {}}
    about = told(post, file, run["failure"])
    if file.printed is not None:
        about["tables"].insert(0, beside_paper(post, loop, file.arm.friction))
    report = RunReport(
        f"{log.metadata.get('scenario', 'run')}: analysis after the test", "", told_verdict(about), about, told_tables(about),
        told_sections(about, chain(draw(post), timing_figures(loop, run))),
    )  # fmt: skip
    write_results(folder, report, summary=RESULTS[0], page=RESULTS[1], quiet=quiet, told=RESULTS)
    return about


def _opened(folder: Path) -> tuple[Log, RecordedLoop, Experiment]:
    path = folder / "run.mcap" if folder.is_dir() else folder
    if not path.is_file():
        raise BadInput(
            "no log of a run", where=str(path), way_out="proxops run kube --out FOLDER, then proxops arm analyse FOLDER"
        )
    log = Log.open(path)
    if log.metadata.get("kind") != "hardware_loop":
        raise BadInput(
            "not a run with an arm in the loop", where=str(path), value=log.metadata.get("kind", "no experiment")
        )
    loop = recorded_loop(log)
    if loop.t.size < LEAST_ROWS:
        raise BadInput(
            "too short to be analysed", where=str(path), value=f"{loop.t.size} cycles", bound=f"at least {LEAST_ROWS}"
        )
    text = log.metadata["scenario_file"]
    return log, loop, Experiment(read_table(text, HardwareLoopFile, path), path, text)


def _loaded(given: Path | None, log: Log, experiment: Experiment) -> ArmModel:
    """The model that was asked for, a shipped one by its name, or the URDF that the log carries."""
    arm = experiment.arm
    if given is not None or arm.model in shipped_models() or MODEL not in log.attachments:
        return load_model(given or experiment.model_path(), arm.tool, arm.joints)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / MODEL
        path.write_bytes(log.attachments[MODEL])
        return load_model(path, arm.tool, arm.joints)


def _true_arm(experiment: Experiment) -> ArmModel | None:
    """As the scenario has it, if its URDF is still there."""
    file = experiment.file
    assert isinstance(file, HardwareLoopFile)
    if file.true_arm is None:
        return None
    given = experiment.model_path(file.arm.model_copy(update={"model": file.true_arm.model}))
    if given not in shipped_models() and not Path(given).is_file():
        return None
    return load_model(given, file.arm.tool, file.arm.joints)


def told(post: PostTest, file: HardwareLoopFile, failure: str) -> dict[str, Any]:
    """Figures, tables and criteria as plain values. ``failure``: of the run; what is left of it is analysed all the same."""
    figures: dict[str, Any] = {
        "trials": {trial.name: _largest(trial) for trial in post.trials},
        "left_out_deg": math.degrees(np.abs(post.left_out).max()),
        "ground_torque_Nm": _torques(post),
    }
    criteria = _criteria(post, figures, file)
    rows = [
        (trial.name, *(f"{value:.3g}" for value in figures["trials"][trial.name].values())) for trial in post.trials
    ]
    head = ("smoothed by", "fit [deg]", "joints [deg]", "tool [mm]", "tool [deg]", "satellite [mm]", "satellite [deg]")
    return {
        "conventions": list(CONVENTIONS), "figures": figures, "failure": f"the run ended early: {failure}" if failure else "",
        "passed": not failure and all(row.passed for row in criteria),
        "tables": [
            ["Largest differences between simulation and test", list(head), [list(row) for row in rows]],
            [
                "Ground torques, model less sensor [N m]", ["", *post.joints],
                [[name, *(f"{value:.3f}" for value in values)] for name, values in figures["ground_torque_Nm"].items()],
            ],
        ],
        "criteria": [row.plain() for row in criteria],
    }  # fmt: skip


def _largest(trial: Any) -> dict[str, float]:
    """Greatest of each difference, degrees and millimetres."""
    return {
        "fit_deg": math.degrees(np.abs(trial.fit_error).max()),
        "joints_deg": math.degrees(np.abs(trial.joint_error).max()),
        "tool_mm": 1e3 * float(np.linalg.norm(trial.tool_error[:, :3], axis=1).max()),
        "tool_deg": math.degrees(np.linalg.norm(trial.tool_error[:, 3:], axis=1).max()),
        "satellite_mm": 1e3 * float(np.linalg.norm(trial.base_error[:, :3], axis=1).max()),
        "satellite_deg": math.degrees(np.linalg.norm(trial.base_error[:, 3:], axis=1).max()),
    }


def _torques(post: PostTest) -> dict[str, list[float]]:
    ground = post.ground

    def rms(values: Any) -> list[float]:
        return [float(x) for x in np.sqrt((values**2).mean(axis=0))]

    def median(values: Any) -> list[float]:
        return [float(x) for x in np.median(np.abs(values), axis=0)]

    plain = ground.computed - ground.measured
    out = {
        "with friction": rms(ground.error), "without friction": rms(plain), "sensors themselves": rms(ground.measured),
        "with friction, median": median(ground.error), "without friction, median": median(plain),
        "without friction, largest": [float(x) for x in np.abs(plain).max(axis=0)],
    }  # fmt: skip
    if post.ground_true is not None:
        true = post.ground_true.error
        out |= {"by the true arm's masses": rms(true), "by the true arm's masses, median": median(true)}
    return out


def _criteria(post: PostTest, figures: dict[str, Any], file: HardwareLoopFile) -> tuple[Criterion, ...]:
    first = figures["trials"][post.trials[0].name]
    # A sensor is off by its offset and its noise; offsets of more than three standard deviations are not drawn in practice. The
    # median, because a stiff model on smooth angles cannot have the peaks where accelerations step; an arm that is known not to
    # be as believed is judged by its own masses, and what the belief is off by stands in the table.
    torques = figures["ground_torque_Nm"]
    judged = torques.get("by the true arm's masses, median", torques["with friction, median"])
    torque = math.hypot(3.0 * file.robot.torque_offset_Nm, file.robot.torque_noise_Nm) + 0.02
    return (
        Criterion(f"error of the {post.trials[0].name}", first["fit_deg"], FIT_DEG, unit="deg"),
        Criterion("reading that was left out, less the spline", figures["left_out_deg"], FIT_DEG, unit="deg"),
        Criterion("tool, simulation less test", first["tool_mm"], POSITION_MM, unit="mm"),
        Criterion("tool turned", first["tool_deg"], TURN_DEG, unit="deg"),
        Criterion("satellite, simulation less test", first["satellite_mm"], POSITION_MM, unit="mm"),
        Criterion("satellite turned", first["satellite_deg"], TURN_DEG, unit="deg"),
        Criterion("ground torques, worst median", max(judged), torque, unit="N m"),
    )

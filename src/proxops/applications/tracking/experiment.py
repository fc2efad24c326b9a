"""The experiment ``tracking``: task-space laws of paper 003 on one path of the tool, side by side; then with wrong models.

The controller's model is wrong, the craft is as its file says: so all runs of one seed and law differ in belief only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from proxops.applications.tracking.result import EQUAL, Case, TrackingSetting, result_of
from proxops.applications.tracking.run import TrackingBench, TrackingRun
from proxops.applications.tracking.tables import TrackingFile
from proxops.arms.dynamics import Dynamics
from proxops.arms.joint_traits import check_joints
from proxops.arms.model import ArmModel, load_model
from proxops.arms.model_error import mistaken
from proxops.core.experiment import Experiment
from proxops.core.experiment_result import LEAST_ROWS, ExperimentResult, Progress
from proxops.core.interruption import noted_interrupt
from proxops.onboard.path_preview import preview
from proxops.onboard.pose_path import PosePath
from proxops.onboard.task_controller import TaskGains, check_damping


def run(experiment: Experiment, progress: Progress, seed: int | None = None) -> ExperimentResult:
    """``seed``: the first of those of the wrong models. Ctrl-C ends it as a failure: laws that have rows by then are kept."""
    setting = prepared(experiment)
    file, cases = setting.file, cases_of(setting.file)
    damping = {
        case.law: check_damping(setting.controller(setting.craft, case), setting.ahead.inertia, file.joints)
        for case in cases
    }
    first = file.model_error.first_seed if seed is None else seed
    with noted_interrupt() as stopped:
        runs = _Runs(setting, progress, len(cases) * (1 + file.model_error.seeds), stopped)
        right = _right(runs, cases, setting)
        wrong: dict[str, list[TrackingRun]] = {case.name: [] for case in cases}
        failures = [f"{name}: {one.failure}" for name, one in right.items() if one.failure]
        for number in range(first, first + file.model_error.seeds):
            if failures:
                break  # what diverges ends the experiment; what was recorded until then is told
            belief = mistaken(setting.craft, file.model_error.share, np.random.default_rng(number))
            for case in cases:
                what = f"wrong model {number}, {case.name}"
                one = runs.one(case, belief, what)
                failures += [f"{what}: {one.failure}"] if one.failure else []
                if one.interrupted:
                    break
                wrong[case.name].append(one)
        return result_of(setting, cases, right, wrong, damping, "; ".join(failures))


def _right(runs: _Runs, cases: tuple[Case, ...], setting: TrackingSetting) -> dict[str, TrackingRun]:
    """Each law with the right model, up to the one that was interrupted; KeyboardInterrupt if that left nothing to tell."""
    out: dict[str, TrackingRun] = {}
    for case in cases:
        one = runs.one(case, setting.craft, case.name)
        if one.interrupted and not out and np.isfinite(one.record[:, 0]).sum() < LEAST_ROWS:
            raise KeyboardInterrupt
        out[case.name] = one
        if one.interrupted:
            break
    return out


def prepared(experiment: Experiment) -> TrackingSetting:
    """Everything checked before the first run."""
    file = experiment.file
    assert isinstance(file, TrackingFile)
    craft = load_model(experiment.model_path(), file.arm.tool, file.arm.joints)
    check_joints(file.joints, craft, 1.0 / file.rate_hz)
    start = craft.angles(file.start_deg, "start_deg")
    posture = start if file.posture_deg is None else craft.angles(file.posture_deg, "posture_deg")
    q, dynamics = craft.configuration(start), Dynamics(craft)
    dynamics.update(q, np.zeros(craft.pin.nv))
    points = file.way_points
    path = PosePath(
        dynamics.p, dynamics.R, np.array([0.0, *(point.t_s for point in points)]),
        np.array([(0.0, 0.0, 0.0), *(point.move_m for point in points)]),
        np.radians([(0.0, 0.0, 0.0), *(point.turn_deg for point in points)]),
    )  # fmt: skip
    return TrackingSetting(file, craft, q, path, posture, preview(craft, q, path, posture))


def cases_of(file: TrackingFile) -> tuple[Case, ...]:
    """The laws of the file and, if it wants to compare, law 4 with the task gains of law 2."""
    cases = [Case(f"law {row.number}", row.number, TaskGains.of(row)) for row in file.law]
    if file.equal_within is not None:
        gains = {case.law: case.gains for case in cases}
        cases.append(Case(EQUAL, 4, replace(gains[4], kp=gains[2].kp, kd=gains[2].kd)))
    return tuple(cases)


class _Runs:
    """Runs, counted for the progress bar."""

    def __init__(self, setting: TrackingSetting, progress: Progress, count: int, stopped: Callable[[], bool]) -> None:
        self._setting, self._progress, self._count, self._done = setting, progress, count, 0
        self._stopped = stopped

    def one(self, case: Case, belief: ArmModel, what: str) -> TrackingRun:
        setting = self._setting
        controller = setting.controller(belief, case)
        out = TrackingBench(setting.file, setting.craft, setting.q, setting.path, controller, setting.every).run(
            self._stopped
        )
        self._done += 1
        duration = setting.file.duration_s
        self._progress(what, self._done * duration, self._count * duration)
        return out

"""The experiment ``servo``: a hand led to a handrail by images of a marker, by direct laws and by the indirect servo.

All runs see the same station, the same drift at the start and the same noise in the images. Then once more with a
flight software whose model of the craft is off, because that is where laws with dynamics can lose.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from proxops.applications.servo.eye import Eye, open_camera
from proxops.applications.servo.flight import servo_of
from proxops.applications.servo.result import Runs, result_of
from proxops.applications.servo.run import ServoBench, ServoRun
from proxops.applications.servo.setting import Setting, names_of, prepared
from proxops.arms.model import ArmModel
from proxops.arms.model_error import mistaken
from proxops.core.experiment import Experiment
from proxops.core.experiment_result import LEAST_ROWS, ExperimentResult, Progress
from proxops.core.interruption import noted_interrupt
from proxops.sensors.marker_camera import MarkerCamera


def run(experiment: Experiment, progress: Progress, seed: int | None = None) -> ExperimentResult:
    """``seed``: of the images' noise. Ctrl-C ends it as a failure: servos that have rows by then are kept."""
    setting = prepared(experiment)
    file, noise = setting.file, setting.file.seed if seed is None else seed
    beliefs = {"right": setting.craft}
    if file.wrong_model is not None:
        rng = np.random.default_rng(file.wrong_model.seed)
        beliefs["wrong"] = mistaken(setting.craft, file.wrong_model.share, rng)
    names = names_of(file)
    runs: dict[str, Runs] = {"right": {}, "wrong": {}}
    with open_camera(file) as camera, noted_interrupt() as stopped:
        for count, (belief, name) in enumerate((belief, name) for belief in beliefs for name in names):
            progress(f"{name}, {belief} model", count * file.end_s, len(names) * len(beliefs) * file.end_s)
            out = one(setting, name, beliefs[belief], camera, noise, stopped)
            if out.interrupted and not runs["right"] and np.isfinite(out.record[:, -1]).sum() < LEAST_ROWS:
                raise KeyboardInterrupt
            runs[belief][name] = out
            if out.interrupted:
                break
        return result_of(file, setting.craft, setting.ahead, setting.every, runs["right"], runs["wrong"])


def one(
    setting: Setting, name: str, belief: ArmModel, camera: MarkerCamera, seed: int,
    stopped: Callable[[], bool] = lambda: False,
) -> ServoRun:  # fmt: skip
    """One run; ``belief``: the flight software's model."""
    file, station = setting.file, setting.station
    eye = Eye(file, camera, station.T_inertial_marker, station.T_marker_grasp, seed)
    servo, q = servo_of(setting, name, belief), setting.craft.configuration(setting.start)
    return ServoBench(file, setting.craft, q, station, servo, eye, setting.every).run(stopped)

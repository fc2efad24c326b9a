"""The experiment ``grasp``: a free-floating arm catches a bar on a floating body, or bumps it away when the timing is wrong."""

from __future__ import annotations

import numpy as np

from proxops.applications.grasp.flight import flight_of
from proxops.applications.grasp.pictures import pictures
from proxops.applications.grasp.result import result_of
from proxops.applications.grasp.run import GraspBench
from proxops.applications.grasp.sensors import GraspSensors
from proxops.applications.grasp.setting import prepared
from proxops.applications.grasp.viewer import open_viewer
from proxops.core.experiment import Experiment
from proxops.core.experiment_result import ExperimentResult, Progress
from proxops.core.interruption import noted_interrupt
from proxops.ground.row_stream import RowStream


def run(
    experiment: Experiment, progress: Progress, seed: int | None = None, stream: RowStream | None = None
) -> ExperimentResult:
    """``seed``: of the measurements' noise. Ctrl-C ends it as a failure, with what was recorded until then. ``stream``: for rows
    as they come, and an onlooker's images."""
    setting = prepared(experiment)
    file = setting.file
    rng = np.random.default_rng(file.seed if seed is None else seed)
    blind_s = file.timing.arrive_s - file.approach.blind_s
    sensors = GraspSensors(file.sensors, file.sight, file.fault, blind_s, rng)
    flight = flight_of(setting)
    with noted_interrupt() as stopped:
        bench = GraspBench(file, setting.craft, setting.world, sensors, flight)
        if stream is None:
            out = bench.run(progress, stopped)
        else:
            with open_viewer(setting.world) as viewer:
                out = bench.run(progress, stopped, stream, viewer)
        return result_of(file, setting.craft, setting.ahead, out, pictures(setting.world, out))

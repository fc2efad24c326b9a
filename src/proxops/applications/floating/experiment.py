"""The micro-gravity experiment: checks, a flight in lockstep or live, and what came of it."""

from __future__ import annotations

import numpy as np

from proxops.applications.floating.bench import prepare
from proxops.applications.floating.live_flight import fly_live
from proxops.applications.floating.parts import FloatParts
from proxops.applications.floating.tables import SETTLE_S, FloatFile
from proxops.arms.model import load_model
from proxops.core.errors import BadInput
from proxops.core.experiment import Experiment
from proxops.core.experiment_result import ExperimentResult, Progress
from proxops.ground.row_stream import RowStream
from proxops.lab.any_cell import AnyCell
from proxops.runs.announcement import Launch
from proxops.runs.arm_parts import judged
from proxops.runs.arm_run import demand_realtime, lockstep
from proxops.runs.progress import now_and_then


def run(
    experiment: Experiment, progress: Progress, realtime: bool = False, seed: int | None = None, control: str | None = None,
    cell: AnyCell | None = None, console: Launch | None = None, stream: RowStream | None = None,
) -> ExperimentResult:  # fmt: skip
    """Lockstep unless ``realtime``; the same seed gives the same run, bit for bit, in lockstep. ``stream`` says where the log
    goes; the facility writes it."""
    file = experiment.file
    assert isinstance(file, FloatFile)
    if not realtime:
        demand_realtime(control, console)
    if file.sensor.source == "network" and not realtime:
        raise BadInput(
            "sensor.source: a sensor on the network keeps wall-clock time", value="network", way_out="add --realtime"
        )
    seed = file.seed if seed is None else seed
    model = load_model(experiment.model_path(), file.arm.tool, file.arm.joints)
    bench = prepare(file, model, experiment.source, np.random.default_rng(seed))
    parts = FloatParts(bench, seed, cell)
    if realtime:
        ran = fly_live(parts, control, stream, console)
    else:
        ran = lockstep(parts, now_and_then(progress, "float", file.flight_s + SETTLE_S), stream)
    return judged(parts, ran)

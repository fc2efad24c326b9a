"""Experiment with an arm in the loop: checks, the loop in lockstep or by the wall's clock, and what came of it."""

from __future__ import annotations

from typing import Final

from proxops.applications.kube.bench import KubeBench, bench_of
from proxops.applications.kube.empty_loop import empty_loop
from proxops.applications.kube.look_ahead import look_ahead
from proxops.applications.kube.parts import KubeParts
from proxops.applications.kube.tables import HardwareLoopFile
from proxops.core.experiment import Experiment
from proxops.core.experiment_result import ExperimentResult, Progress
from proxops.ground.row_stream import RowStream
from proxops.lab.any_cell import AnyCell
from proxops.runs.announcement import Launch
from proxops.runs.arm_live import live
from proxops.runs.arm_parts import judged
from proxops.runs.arm_run import demand_realtime, lockstep
from proxops.runs.progress import now_and_then

WARM_UP_S: Final = 0.05


def run(
    experiment: Experiment, progress: Progress, realtime: bool = False, seed: int | None = None, control: str | None = None,
    cell: AnyCell | None = None, console: Launch | None = None, stream: RowStream | None = None,
) -> ExperimentResult:  # fmt: skip
    """Lockstep unless ``realtime``; the same seed gives the same run, bit for bit, in lockstep. ``stream`` says where the log
    goes; the facility writes it."""
    file = experiment.file
    assert isinstance(file, HardwareLoopFile)
    if not realtime:
        demand_realtime(control, console)
    bench = bench_of(experiment)
    parts = KubeParts(bench, file.seed if seed is None else seed, cell)
    look_ahead(bench)
    if realtime:
        empty = empty_loop(bench.period_ns)
        rehearse(bench, parts.seed, cell)
        parts.timing["empty"] = empty
        ran = live(parts, control, stream, console)
    else:
        ran = lockstep(parts, now_and_then(progress, "loop", file.duration_s), stream)
    return judged(parts, ran)


def rehearse(bench: KubeBench, seed: int, cell: AnyCell | None) -> None:
    """Everything once in lockstep, so that nothing has to be compiled when the clock runs."""
    lockstep(KubeParts(bench, seed, cell, duration_s=WARM_UP_S))

"""Experiment of a docking with contact: hall, hardware and dynamics in lockstep, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from proxops.applications.docking.application import DockingApplication
from proxops.applications.docking.bench import DockingBench, prepare
from proxops.applications.docking.flight import fly, start
from proxops.applications.docking.hardware import hardware_of
from proxops.applications.docking.result import series_of, sum_up
from proxops.applications.docking.tables import DockingFile
from proxops.core.clock import LockstepClock
from proxops.core.experiment import Experiment
from proxops.core.experiment_result import LEAST_ROWS, ExperimentResult, Progress
from proxops.facility.build import build
from proxops.facility.loop import Loop
from proxops.ground.row_stream import RowStream
from proxops.lab.any_cell import AnyCell, demand_hall, load_cell
from proxops.runs.row_groups import RowGroups, conclude


@dataclass(frozen=True, eq=False)
class DockingRan:
    """A run when it is over."""

    bench: DockingBench
    application: DockingApplication
    stopped: str  # the hall's own stop, if it had one
    cycles: int  # of the hall, from drives on
    recorder_code: int = 0


def run(
    experiment: Experiment, progress: Progress, seed: int | None = None, stream: RowStream | None = None,
    cell: AnyCell | None = None,
) -> ExperimentResult:  # fmt: skip
    """In lockstep: the same seed gives the same run, bit for bit. ``stream`` says where the log goes; the hall writes it."""
    file = experiment.file
    assert isinstance(file, DockingFile)
    ran = dock(file, cell or load_cell(), file.seed if seed is None else seed, progress, stream)
    return replace(sum_up(ran), recorder_code=ran.recorder_code if stream else None)


def dock(
    file: DockingFile,
    cell: AnyCell,
    seed: int,
    progress: Progress = lambda what, done, of: None,
    stream: RowStream | None = None,
) -> DockingRan:
    """From drives on to the end of the flight."""
    cell, rng = demand_hall(cell, "docking"), np.random.default_rng(seed)
    hall_rng, sensor_rng, traits_rng, teach_rng, load_rng, skew_rng = rng.spawn(6)
    bench = prepare(file, cell)
    hardware = hardware_of(bench, cell, traits_rng, sensor_rng, load_rng, skew_rng)
    told = RowGroups(bench.row, series_of)
    hall = build(
        cell, LockstepClock(), seed=int(hall_rng.integers(2**31)), record=stream.path if stream else None,
        metadata=stream.metadata if stream else None, groups=told.groups, last_words=True,
    )  # fmt: skip
    application, loop = DockingApplication(bench, hall.facility, hardware), Loop(hall)
    told.attach(hall.facility.pool, application.rows)
    hall.facility.duties.attach("docking", publish=lambda: told.show(application.count))

    def work() -> None:
        start(loop, application, teach_rng)
        fly(loop, application, progress)

    def over() -> DockingRan:
        stop = hall.facility.stop
        return DockingRan(bench, application, str(stop) if stop else "", hall.facility.clock.tick)

    def tell_all() -> None:
        if stream is not None and application.count >= LEAST_ROWS:
            conclude(hall, sum_up(over()), file.notes, stream)

    code = loop.run(work, closing=(tell_all,)).recorder_code
    return replace(over(), recorder_code=code)

"""Experiment of a docking with contact: hall, hardware and dynamics in lockstep, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from proxops.applications.docking.application import DockingApplication, Stage
from proxops.applications.docking.bench import DockingBench, prepare
from proxops.applications.docking.hardware import DockingHardware
from proxops.applications.docking.open_zone import OpenZone
from proxops.applications.docking.result import series_of, sum_up
from proxops.applications.docking.tables import DockingFile
from proxops.core.clock import LockstepClock
from proxops.core.errors import BadInput, ProxopsError
from proxops.core.experiment import Experiment
from proxops.core.experiment_result import LEAST_ROWS, ExperimentResult, Progress
from proxops.core.messages import N_AXES, PERIOD_S
from proxops.core.vocabulary import Mode
from proxops.facility.build import build
from proxops.facility.loop import Loop, Stopped
from proxops.ground.row_stream import RowStream
from proxops.lab.any_cell import AnyCell, demand_hall, load_cell
from proxops.lab.cell import Cell
from proxops.maths.quaternion import quat_product
from proxops.maths.rotation import Array, quat_from_rotation_vector
from proxops.runs.row_groups import RowGroups, conclude
from proxops.sensors.force_torque import ForceTorqueSensor
from proxops.sensors.virtual_force_sensor import put_fault
from proxops.touch.tool_load import true_load

TELL_EVERY: Final = 125  # cycles
# The arms far from each other, then straight along the docking axis into the open zone.
ORDER: Final = "robot1,robot2,rail"
ALIGNMENT_RAD_PER_M: Final = 2.0  # a rig taught in over half a metre: 0.05 mm are 0.1 mrad


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
    hall = demand_hall(cell, "docking") if cell else load_cell()
    ran = dock(file, hall, file.seed if seed is None else seed, progress, stream)
    return replace(sum_up(ran), recorder_code=ran.recorder_code if stream else None)


def dock(
    file: DockingFile,
    cell: Cell,
    seed: int,
    progress: Progress = lambda what, done, of: None,
    stream: RowStream | None = None,
) -> DockingRan:
    """From drives on to the end of the flight."""
    rng = np.random.default_rng(seed)
    hall_rng, sensor_rng, traits_rng, teach_rng, load_rng, skew_rng = rng.spawn(6)
    bench = prepare(file, cell, traits_rng)
    told = RowGroups(bench.row, series_of)
    hall = build(
        cell, LockstepClock(), seed=int(hall_rng.integers(2**31)), record=stream.path if stream else None,
        metadata=stream.metadata if stream else None, groups=told.groups, last_words=True,
    )  # fmt: skip
    capture = file.latch.capture_mm * 1e-3 if file.latch else 0.0
    hardware = DockingHardware(
        cell, bench.true, ForceTorqueSensor(bench.traits, sensor_rng), true_load(file.tool, load_rng), capture,
        file.loop.stamp_error_ms * 1e-3 * skew_rng.uniform(-1.0, 1.0),
    )  # fmt: skip
    application, loop = DockingApplication(file, bench, hall.facility, hardware), Loop(hall)
    told.attach(hall.facility.pool, application.rows)
    hall.facility.duties.attach("docking", publish=lambda: told.show(application.count))

    def work() -> None:
        _start(loop, application, teach_rng)
        _fly(loop, application, progress)

    def over() -> DockingRan:
        stop = hall.facility.stop
        return DockingRan(bench, application, str(stop) if stop else "", hall.facility.clock.tick)

    def tell_all() -> None:
        if stream is not None and application.count >= LEAST_ROWS:
            conclude(hall, sum_up(over()), file.notes, stream)

    code = loop.run(work, closing=(tell_all,)).recorder_code
    return replace(over(), recorder_code=code)


def _start(loop: Loop, application: DockingApplication, rng: np.random.Generator) -> None:
    """Drives on, to the start, taught in, to the taught start, confirmed."""
    f, desk, file = loop.facility, loop.hall.desk, application.file
    desk.drives(True)
    _reach(loop, Mode.READY)
    zone = OpenZone(demand_hall(f.cell, "docking"), file.zone, np.array(file.shape.ball_m), file.shape.seat_m)
    desk.offer(application, zone)
    start = desk.start_posture()
    forbidden = zone.refuses(start, np.zeros(N_AXES), start, leaving=False)
    if forbidden:
        raise BadInput(
            f"approach: the start is not free: {forbidden}", way_out="a larger gap, or open the zone there: [zone]"
        )
    application.check_way()
    desk.move_to_start(ORDER)
    _reach(loop, Mode.AT_START)
    application.teach_in(_taught(f.pool.run("hall_truth"), file, rng))
    application.begin()
    desk.move_to_start(ORDER)  # the taught start differs by what the robots are off
    _reach(loop, Mode.AT_START)
    desk.confirm()


def _fly(loop: Loop, application: DockingApplication, progress: Progress) -> None:
    """To the end of the flight, or a stop."""
    f, sensor = loop.facility, application.file.sensor
    while f.mode not in (Mode.READY, Mode.STOPPED):
        if loop.asked and f.mode is Mode.RUNNING:
            application.failure = application.failure or f"interrupted after {application.sequence * PERIOD_S:.3f} s"
        if application.stage is Stage.FLIGHT:
            put_fault(application.hardware.sensor, sensor, application.flight_s)
        loop.cycle()
        if application.sequence % TELL_EVERY == 0:
            progress("docking", application.sequence * PERIOD_S, application.bench.longest_s)


def _reach(loop: Loop, goal: Mode) -> None:
    try:
        loop.until(goal, "start of the docking")
    except Stopped:
        if loop.asked:
            raise ProxopsError("interrupted before the docking began: nothing was recorded") from None
        raise BadInput(f"the hall stopped before the docking began: {loop.facility.stop}") from None


def _taught(truth: Array, file: DockingFile, rng: np.random.Generator) -> Array:
    """The true pose of the ports as teaching in finds it."""
    sigma = file.loop.alignment_mm * 1e-3
    out = np.array(truth)
    out[:3] += sigma * rng.standard_normal(3)
    turn = quat_from_rotation_vector(sigma * ALIGNMENT_RAD_PER_M * rng.standard_normal(3))
    out[3:] = quat_product(turn, out[3:])
    return out

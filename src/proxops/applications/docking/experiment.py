"""Experiment of a docking with contact: hall, hardware and dynamics in lockstep, and what came of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from proxops.applications.docking.application import DockingApplication, Stage
from proxops.applications.docking.bench import Bench, prepare
from proxops.applications.docking.hardware import DockingHardware
from proxops.applications.docking.open_zone import OpenZone
from proxops.applications.docking.result import series_of, sum_up
from proxops.applications.docking.tables import DockingFile
from proxops.core.clock import LockstepClock
from proxops.core.ending import Ending
from proxops.core.errors import BadInput, ProxopsError
from proxops.core.experiment import Experiment
from proxops.core.experiment_result import ExperimentResult, Progress
from proxops.core.messages import N_AXES, PERIOD_S
from proxops.core.vocabulary import Mode
from proxops.facility.build import Hall, build
from proxops.facility.conclusion import LEFT, how_it_ended
from proxops.facility.interruption import noted_interrupt
from proxops.facility.play import let_recorder_keep_up
from proxops.facility.virtual_force_sensor import put_fault, true_load
from proxops.ground.row_stream import RowStream
from proxops.lab.cell import Cell, load_cell
from proxops.maths.quaternion import quat_product
from proxops.maths.rotation import Array, quat_from_rotation_vector
from proxops.sensors.force_torque import ForceTorqueSensor

PATIENCE: Final = 250 * 300  # cycles for drives and the move to the start
TELL_EVERY: Final = 125  # cycles
ORDER: Final = (
    "robot1,robot2,rail"  # the arms far from each other, then straight along the docking axis into the open zone
)
ALIGNMENT_RAD_PER_M: Final = 2.0  # a rig taught in over half a metre: 0.05 mm are 0.1 mrad


@dataclass(frozen=True, eq=False)
class DockingRan:
    """A run when it is over."""

    bench: Bench
    application: DockingApplication
    stopped: str  # the hall's own stop, if it had one
    cycles: int  # of the hall, from drives on


def run(
    experiment: Experiment, progress: Progress, seed: int | None = None, stream: RowStream | None = None, cell: Cell | None = None
) -> ExperimentResult:  # fmt: skip
    """In lockstep: the same seed gives the same run, bit for bit. The hall's own log goes beside the stream's: hall.mcap."""
    file = experiment.file
    assert isinstance(file, DockingFile)
    with noted_interrupt() as interrupted:
        ran = dock(
            file, cell or load_cell(), file.seed if seed is None else seed, progress, interrupted,
            stream.path.with_name("hall.mcap") if stream else None, stream,
        )  # fmt: skip
    return sum_up(ran)


def dock(
    file: DockingFile, cell: Cell, seed: int, progress: Progress = lambda what, done, of: None,
    interrupted: Callable[[], bool] = lambda: False, record: Path | None = None, stream: RowStream | None = None,
) -> DockingRan:  # fmt: skip
    """From drives on to the end of the flight."""
    rng = np.random.default_rng(seed)
    hall_rng, sensor_rng, traits_rng, teach_rng, load_rng, skew_rng = rng.spawn(6)
    bench = prepare(file, cell, traits_rng)
    clock = LockstepClock()
    hall = build(cell, clock, seed=int(hall_rng.integers(2**31)), record=record)
    ended = LEFT
    try:
        capture = file.latch.capture_mm * 1e-3 if file.latch else 0.0
        hardware = DockingHardware(
            cell, bench.true, ForceTorqueSensor(bench.traits, sensor_rng), true_load(file.tool, load_rng), capture,
            file.loop.stamp_error_ms * 1e-3 * skew_rng.uniform(-1.0, 1.0),
        )  # fmt: skip
        application = DockingApplication(file, bench, hall.facility, hardware)
        if stream is not None:
            stream.begin(bench.row, series_of)
        _drive(hall, clock, application, teach_rng, progress, interrupted, stream)
        if stream is not None:
            stream.take(application.rows[: application.count], all_of_them=True)
        ended = how_it_ended(hall.facility.stop, "SIGINT" if interrupted() else "")
    except Exception as error:  # the hall's log says how it ended; the error goes on its way
        ended = Ending.of_error(error)
        raise
    finally:
        hall.close(ended)
    stop = hall.facility.stop
    return DockingRan(bench, application, str(stop) if stop else "", clock.tick)


def _drive(
    hall: Hall, clock: LockstepClock, application: DockingApplication, rng: np.random.Generator, progress: Progress,
    interrupted: Callable[[], bool], stream: RowStream | None,
) -> None:  # fmt: skip
    f, desk, file = hall.facility, hall.desk, application.file
    shape = file.shape
    desk.drives(True)
    _until(hall, clock, Mode.READY, interrupted)
    zone = OpenZone(f.cell, file.zone, np.array(shape.ball_m), shape.seat_m)
    desk.offer(application, zone)
    start = desk.start_posture()
    forbidden = zone.refuses(start, np.zeros(N_AXES), start, leaving=False)
    if forbidden:
        raise BadInput(
            f"approach: the start is not free: {forbidden}", way_out="a larger gap, or open the zone there: [zone]"
        )
    application.check_way()
    desk.move_to_start(ORDER)
    _until(hall, clock, Mode.AT_START, interrupted)
    application.teach_in(_taught(f.pool.run("hall_truth"), file, rng))
    application.begin()
    desk.move_to_start(ORDER)  # the taught start differs by what the robots are off
    _until(hall, clock, Mode.AT_START, interrupted)
    desk.confirm()
    while f.mode not in (Mode.READY, Mode.STOPPED):
        if interrupted() and f.mode is Mode.RUNNING:
            application.failure = application.failure or f"interrupted after {application.sequence * PERIOD_S:.3f} s"
            desk.safe_stop()
        if application.stage is Stage.FLIGHT:
            put_fault(application.hardware.sensor, file.sensor, application.flight_s)
        _cycle(hall, clock)
        if stream is not None:
            stream.take(application.rows[: application.count])
        if application.sequence % TELL_EVERY == 0:
            progress("docking", application.sequence * PERIOD_S, application.bench.longest_s)


def _cycle(hall: Hall, clock: LockstepClock) -> None:
    clock.advance()
    hall.facility.tick()
    let_recorder_keep_up(hall)


def _until(hall: Hall, clock: LockstepClock, goal: Mode, interrupted: Callable[[], bool]) -> None:
    for _ in range(PATIENCE):
        if hall.facility.mode is goal:
            return
        if interrupted():
            raise ProxopsError("interrupted before the docking began: nothing was recorded")
        if hall.facility.mode is Mode.STOPPED:
            raise BadInput(f"the hall stopped before the docking began: {hall.facility.stop}")
        _cycle(hall, clock)
    raise TimeoutError(f"{hall.facility.mode.name} after {PATIENCE} cycles, expected {goal.name}")


def _taught(truth: Array, file: DockingFile, rng: np.random.Generator) -> Array:
    """The true pose of the ports as teaching in finds it."""
    sigma = file.loop.alignment_mm * 1e-3
    out = np.array(truth)
    out[:3] += sigma * rng.standard_normal(3)
    turn = quat_from_rotation_vector(sigma * ALIGNMENT_RAD_PER_M * rng.standard_normal(3))
    out[3:] = quat_product(turn, out[3:])
    return out

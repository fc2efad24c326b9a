"""A docking in the hall, from drives on to the end of the flight."""

from __future__ import annotations

from typing import Final

import numpy as np

from proxops.applications.docking.application import DockingApplication, DockingStage
from proxops.applications.docking.open_zone import OpenZone
from proxops.core.errors import BadInput, ProxopsError
from proxops.core.experiment_result import Progress
from proxops.core.messages import N_AXES, PERIOD_S
from proxops.core.vocabulary import Mode
from proxops.facility.loop import Loop, Stopped
from proxops.lab.any_cell import demand_hall
from proxops.sensors.virtual_force_sensor import put_fault

TELL_EVERY: Final = 125  # cycles
# The arms far from each other, then straight along the docking axis into the open zone.
ORDER: Final = "robot1,robot2,rail"


def start(loop: Loop, application: DockingApplication, rng: np.random.Generator) -> None:
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
    application.ports.check_way()
    desk.move_to_start(ORDER)
    _reach(loop, Mode.AT_START)
    application.ports.teach_in(f.pool.run("hall_truth"), rng)
    application.begin()
    desk.move_to_start(ORDER)  # the taught start differs by what the robots are off
    _reach(loop, Mode.AT_START)
    desk.confirm()


def fly(loop: Loop, application: DockingApplication, progress: Progress) -> None:
    """To the end of the flight, or a stop."""
    f, sensor = loop.facility, application.file.sensor
    while f.mode not in (Mode.READY, Mode.STOPPED):
        if loop.asked and f.mode is Mode.RUNNING:
            application.failure = application.failure or f"interrupted after {application.sequence * PERIOD_S:.3f} s"
        if application.stage is DockingStage.FLIGHT:
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

"""Warm-up: every kernel and every path of the tick once, before the first live cycle, so that none is compiled in flight."""

from __future__ import annotations

import numpy as np

from proxops.bridge.settings import BridgeSettings
from proxops.core.bridge_datagram import BridgeCommand, pack_command
from proxops.core.clock import LockstepClock
from proxops.core.ending import Ending, EndReason
from proxops.core.messages import PERIOD_NS
from proxops.core.vocabulary import Mode, System
from proxops.facility.build import build
from proxops.facility.checked_trajectory import preflighted
from proxops.facility.preflight import preflight
from proxops.lab.cell import Cell
from proxops.lab.coordinates import POV_AT_LAB, check_values, lines_from_axes
from proxops.lab.trajectory import Trajectory

LINES = 8
WARM = Ending(EndReason.DONE, "warm-up")


def standing(cell: Cell, system: System, lines: int = LINES) -> Trajectory:
    """A trajectory that stays at home, in any system. A5 is kept off its singularity."""
    q = np.tile(cell.home, (lines, 1))
    q[:, [5, 11]] += 0.3
    values = np.empty((lines, 22))
    lines_from_axes(cell.hall, int(system), q, np.tile(POV_AT_LAB, (lines, 1)), values)
    return Trajectory(np.full(lines, system, np.int16), values, "warm-up")


def warm_up(cell: Cell, bridge: BridgeSettings | None = None) -> None:
    """Play, jog, wave and stop on a scratch hall in lockstep, unrecorded; follow a client if there is a bridge."""
    if bridge:
        warm_up_bridge(cell, bridge)
    for system in System:
        preflight(cell, standing(cell, system))
        check_values(int(system), standing(cell, system).values[0])
    clock = LockstepClock()
    hall = build(cell, clock, seed=0, record=None)
    facility, desk = hall.facility, hall.desk

    def cycle(count: int) -> None:
        for _ in range(count):
            clock.advance()
            facility.tick()
            facility.answer_in(int(System.CLW))

    desk.drives(True)
    cycle(60)
    desk.load(preflighted(cell, standing(cell, System.CLW)))
    desk.select("async")
    desk.move_to_start("rail,robot1,robot2")
    while facility.mode is Mode.MOVING_TO_START:
        cycle(1)
    desk.confirm()
    cycle(LINES + 50)
    desk.select("manual")
    for system, component in ((System.GLC, "z"), (System.CLW, "rx"), (System.IDC, "x"), (System.IJT, "a1")):
        desk.jog(system.name, "robot2", component, 1)
        cycle(5)
        desk.release()
        cycle(400)
    desk.jog("IJT", "robot2", "a1", -1, step=1e-4, press=1)
    cycle(50)
    desk.safe_stop()
    cycle(50)
    hall.close(WARM)


def warm_up_bridge(cell: Cell, settings: BridgeSettings) -> None:
    """A client that comes, jumps, falls silent, loses packets and returns: every kernel of the bridge."""
    clock = LockstepClock()
    hall = build(cell, clock, seed=0, record=None, bridge=settings)
    facility, desk, end = hall.facility, hall.desk, hall.desk.bridge
    assert end is not None
    sequence = 0

    def cycle(count: int, x_m: float | None, rates: bool = True) -> None:
        nonlocal sequence
        for k in range(count):
            clock.advance()
            end.begin_cycle()
            if x_m is not None and k % 7:  # every seventh is lost
                sequence += 1
                velocity = (0.0,) * 6 if rates else None
                pose = (x_m / settings.scale, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)
                command = BridgeCommand(
                    sequence, sequence * PERIOD_NS, pose, (0.0,) * 6 + (1.0,), velocity, velocity, (1.0, 0.0, 0.0)
                )
                end.port.take(pack_command(command))
            facility.tick()
            end.telemetry.status()  # which a client with an address would get

    desk.drives(True)
    cycle(60, None)
    desk.select("bridge")
    for x_m, rates in ((5.0, True), (5.2, False), (1.0, False), (5.0, True)):
        cycle(3000, x_m, rates)
    cycle(100, None)
    cycle(200, 5.0)
    desk.select("none")
    cycle(500, None)
    hall.close(WARM)

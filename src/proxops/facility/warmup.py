"""Warm-up: every kernel and every path of the tick once, before the first live cycle, so that none is compiled in flight."""

from __future__ import annotations

from proxops.bridge.bridged import Bridged
from proxops.bridge.settings import BridgeSettings
from proxops.core.bridge_datagram import BridgeCommand, pack_command
from proxops.core.clock import LockstepClock
from proxops.core.ending import Ending, EndReason
from proxops.core.messages import PERIOD_NS
from proxops.core.vocabulary import Mode, Phase, System
from proxops.facility.build import build
from proxops.facility.desk.status import status
from proxops.facility.publication import hall_told
from proxops.facility.trajectories import STANDING_LINES, preflighted, rehearse, standing
from proxops.lab.any_cell import AnyCell
from proxops.lab.arm_cell import ArmCell
from proxops.lab.cell import Cell

JOINED = 3000  # cycles, by which the robots of the shipped hall have long joined
SOON = 20
RELEASED = 25  # cycles, by which what was jogged for a moment stands
SILENT = 100  # cycles without a packet, by which the robots have halted
NEAR_M = 2.7  # a distance that the hall shows near its home: the robots need not go far to join
WARM = Ending(EndReason.DONE, "warm-up")
SLOW_NS = 10_000_000_000  # until the slowest arm stands


def warm_up(cell: AnyCell, bridge: BridgeSettings | None = None) -> None:
    """Play, jog, wave and stop on a scratch hall in lockstep, unrecorded; follow a client if there is a bridge. Of a cell of arms
    the axes are jogged."""
    if isinstance(cell, ArmCell):
        warm_up_arms(cell)
        return
    if bridge:
        warm_up_bridge(cell, bridge)
    rehearse(cell)
    checked = preflighted(cell, standing(cell, System.CLW))
    clock = LockstepClock()
    hall = build(cell, clock, seed=0, record=None)
    facility, desk = hall.facility, hall.desk

    def cycle(count: int) -> None:
        for _ in range(count):
            facility.tick()
            hall_told(facility.told).answer_in(int(System.CLW))

    desk.drives(True)
    cycle(60)
    facility.guard.rehearse()
    desk.load(checked)
    desk.select("async")
    desk.move_to_start("rail,robot1,robot2")
    while facility.mode is Mode.MOVING_TO_START:
        cycle(1)
    desk.confirm()
    cycle(STANDING_LINES + 50)
    desk.select("manual")
    for system, component in ((System.GLC, "z"), (System.CLW, "rx"), (System.IDC, "x"), (System.IJT, "a1")):
        desk.jog(system.name, "robot2", component, 1)
        cycle(5)
        desk.release()
        cycle(RELEASED)
    desk.jog("IJT", "robot2", "a1", -1, step=1e-4, press=1)
    cycle(50)
    desk.safe_stop()
    cycle(50)
    hall.close(WARM)


def warm_up_arms(cell: ArmCell) -> None:
    """Every axis, to and fro, with all inputs closed and with a fence open if there is one; a wave; a stop."""
    hall = build(cell, LockstepClock(period_ns=cell.period_ns), seed=0, record=None)
    facility, desk = hall.facility, hall.desk

    def wait(seconds: float) -> None:
        for _ in range(round(seconds * 1e9 / cell.period_ns)):
            facility.tick()

    desk.drives(True)
    wait(0.24)
    facility.guard.rehearse()
    desk.select("manual")
    for name in cell.axis_names:
        robot, _, component = name.partition("_")
        desk.jog("IJT", robot, component or robot, 1)
        wait(0.12)
        desk.release()
        wait(0.8)
    status(desk)
    desk.select("none")
    wait(0.4)
    for _ in range(round(SLOW_NS / cell.period_ns)):  # an arm with a long delay of its own stands later
        if facility.mode is not Mode.ENDING:
            break
        facility.tick()
    desk.select("sine")
    desk.sine(cell.axis_names[-1], 1e-3, 1.0, 2)
    wait(0.2)
    desk.safe_stop()
    wait(0.4)
    hall.close(WARM)


def _packet(sequence: int, x_m: float, rates: bool) -> bytes:
    velocity = (0.0,) * 6 if rates else None
    pose, target = (x_m, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0), (0.0,) * 6 + (1.0,)
    return pack_command(
        BridgeCommand(sequence, sequence * PERIOD_NS, pose, target, velocity, velocity, (1.0, 0.0, 0.0))
    )


def warm_up_bridge(cell: Cell, settings: BridgeSettings) -> None:
    """A client that comes, jumps, falls silent, loses packets and returns: every kernel of the bridge."""
    clock = LockstepClock()
    hall = build(cell, clock, seed=0, record=None, bridge=settings)
    facility, desk, end = hall.facility, hall.desk, hall.desk.bridge
    assert end is not None
    sequence, packet = 0, b""

    def send() -> None:
        if packet:
            end.port.take(packet)

    facility.duties.attach("application", poll=send)

    def cycle(count: int, x_m: float | None, rates: bool = True, until: Phase | None = None) -> None:
        nonlocal sequence, packet
        for k in range(count):
            if until is not None and isinstance(facility.motion, Bridged) and facility.motion.phase is until:
                return
            packet = b""
            if x_m is not None and k % 7:  # every seventh is lost
                sequence += 1
                packet = _packet(sequence, x_m / settings.scale, rates)
            facility.tick()
            end.status()  # which a client with an address would get

    desk.drives(True)
    cycle(60, None)
    desk.select("bridge")
    following, standing_by = Phase.FOLLOWING, Phase.STANDING
    for x_m, rates, end_phase in (
        (NEAR_M, True, following), (NEAR_M + 0.05, False, following), (1.0, False, standing_by), (NEAR_M, True, following),
    ):  # fmt: skip
        cycle(SOON, x_m, rates)  # out of the phase that it was in
        cycle(JOINED, x_m, rates, until=end_phase)
        cycle(SOON, x_m, rates)
    cycle(SILENT, None)
    cycle(JOINED, NEAR_M, until=following)
    cycle(SOON, NEAR_M)
    desk.select("none")
    for _ in range(JOINED):  # bounded: whatever a user's cell does here, it is served
        if facility.mode is Mode.READY:
            break
        cycle(1, None)
    hall.close(WARM)

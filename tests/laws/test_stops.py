"""The law of stops: whatever is asked for while the hall brakes, however often and in whatever mode, the robots come to rest
where the first stop said, or before: inside every range, and clear of red."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from tests.shared.late_clock import LateClock

from proxops.bridge.settings import BridgeSettings
from proxops.core.bridge_datagram import BridgeCommand, pack_command
from proxops.core.errors import BadInput, Refused
from proxops.core.messages import PERIOD_NS, PERIOD_S
from proxops.core.vocabulary import Mode, System
from proxops.facility.build import build
from proxops.facility.installation import Installation
from proxops.facility.trajectories import preflighted
from proxops.lab.any_cell import load_cell
from proxops.lab.coordinates import POV_AT_LAB, lines_from_axes
from proxops.lab.trajectory import Trajectory
from proxops.safety.modes import BRAKING
from proxops.safety.reserve import RESERVE_M
from proxops.safety.zone_watch import ZoneWatch

CELL = load_cell()
QUIET = settings(max_examples=10, deadline=None, derandomize=True, phases=[Phase.generate])
# Wrists away from their singularity, robot 2 turned towards the rail: there robot 1 would run into it.
BENT = CELL.home + np.array([0.0, *[0, 0, 0, 0, 0.7, 0], *[0.25 * np.pi, 0, 0, 0, 0.7, 0]])
RAIL_END = float(CELL.axes.upper[0])
ROUNDING = 1e-9

Action = Callable[[Installation], None]
ACTIONS: dict[str, Action] = {
    "safe stop": lambda hall: hall.desk.safe_stop("test"),
    "e-stop": lambda hall: hall.desk.interlock("estop", False),
    "door": lambda hall: hall.desk.interlock("door", False),
    "door closed": lambda hall: hall.desk.interlock("door", True),
    "fence": lambda hall: hall.desk.interlock("fence", False),
    "select none": lambda hall: hall.desk.select("none"),
    "select bridge": lambda hall: hall.desk.select("bridge"),
    "reset": lambda hall: hall.desk.reset(),
    "drives off": lambda hall: hall.desk.drives(False),
    "drives on": lambda hall: hall.desk.drives(True),
    "stall": lambda hall: setattr(hall.facility.clock, "late_s", 0.5),
    "error": lambda hall: hall.facility.fail("test", ValueError("of ours")),
    "power": lambda hall: hall.desk.interlock("power", False),
}
FIRST = ("safe stop", "e-stop", "door", "stall", "error", "power", "select none")


def axes_file(q: np.ndarray) -> Trajectory:
    """Rows of axes as a file would have them."""
    values = np.empty((len(q), 22))
    lines_from_axes(CELL.hall, int(System.IJT), q, np.tile(POV_AT_LAB, (len(q), 1)), values)
    return Trajectory(np.full(len(q), System.IJT, np.int16), values, "test")


class Rig:
    """A hall in lockstep that is brought into motion and then stopped in every way there is."""

    def __init__(self, rail_m: float = 6.0) -> None:
        self.clock, home = LateClock(), BENT.copy()
        home[0] = rail_m
        self.hall = build(replace(CELL, home=home), self.clock, seed=1, record=None, bridge=BridgeSettings())
        self.facility, self.desk = self.hall.facility, self.hall.desk
        self.facility.duties.attach("client", poll=self._send)
        self.desk.drives(True)
        self._sequence, self._packet = 0, b""
        self.ticks_until(Mode.READY)

    def tick(self) -> None:
        self.facility.tick()

    def ticks_until(self, *modes: Mode) -> None:
        for _ in range(20_000):
            if self.facility.mode in modes:
                return
            self.tick()
        raise AssertionError(self.facility.mode.name)

    def run_file(self, q: np.ndarray) -> None:
        """Play rows of axes, from move to start on."""
        self.desk.load(preflighted(CELL, axes_file(q)))
        self.desk.select("async")
        self.desk.move_to_start("rail,robot1,robot2")
        self.ticks_until(Mode.AT_START)
        self.desk.confirm()

    def follow(self, x_m: float) -> None:
        """One cycle of a client of the bridge."""
        assert self.desk.bridge is not None
        self._sequence += 1
        pose, still = (x_m, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0), (0.0,) * 6
        command = BridgeCommand(self._sequence, self._sequence * PERIOD_NS, pose, (0.0,) * 6 + (1.0,), still, still)
        self._packet = pack_command(command)
        self.facility.tick()

    def _send(self) -> None:
        if self._packet and self.desk.bridge:
            self.desk.bridge.port.take(self._packet)
        self._packet = b""

    def close(self) -> None:
        self.hall.close()


def rail_at(clearance_m: float) -> float:
    """Where the rail is when the two robots are so far from red."""
    zones, low, high = ZoneWatch(CELL), 3.0, 6.0
    for _ in range(40):
        middle, q = 0.5 * (low + high), BENT.copy()
        q[0] = middle
        low, high = (low, middle) if zones.near(q, clearance_m) is None else (middle, high)
    return high


def ramped(way_m: float, start_m: float, share: float) -> np.ndarray:
    """Rows: the rail goes ``way_m`` from ``start_m``, softly in and out, with a share of its acceleration at the steepest."""
    rail_a = float(CELL.hall[0]["acceleration"][0]) * share
    lasts = max(np.sqrt(abs(way_m) * 6.0 / rail_a), abs(way_m) * 1.9 / float(CELL.hall[0]["speed"][0]))
    s = np.linspace(0.0, 1.0, int(lasts / PERIOD_S) + 2)
    q = np.tile(BENT, (len(s), 1))
    q[:, 0] = start_m + way_m * s**3 * (10 + s * (6 * s - 15))
    return q


END_M = RAIL_END - 0.6  # Table 3 ends before the rail does: port 1 is 0.5 m behind robot 1's base
NEAR_RED_M = rail_at(RESERVE_M + 0.003)


def towards_the_end(share: float) -> Rig:
    """A file that ends a hair's breadth before the range does."""
    rig = Rig(END_M - 2.5)
    rig.run_file(ramped(2.5, END_M - 2.5, share))
    return rig


def towards_red(share: float) -> Rig:
    """A file that ends just before the reserve to red."""
    rig = Rig(NEAR_RED_M + 2.5)
    rig.run_file(ramped(-2.5, NEAR_RED_M + 2.5, 0.6 * share))  # steeper, its own stops would not end in time
    return rig


def cut_off(share: float) -> Rig:
    """A file that ends in full motion: its stop rests just before the reserve to red, and its check says that this is fine."""
    rig, rows = Rig(NEAR_RED_M + 2.5), ramped(-2.5, NEAR_RED_M + 2.5, share)
    speed = np.diff(rows[:, 0]) / PERIOD_S
    rests = rows[1:, 0] + speed * np.abs(speed) * 0.25 * np.pi / float(CELL.hall[0]["acceleration"][0])
    last = int(np.argmax(rests[len(rests) // 3 :] < NEAR_RED_M + 0.01)) + len(rests) // 3
    rig.run_file(rows[: last + 1])
    return rig


def by_hand(share: float) -> Rig:
    rig = Rig()
    rig.desk.select("manual")
    rig.desk.jog("IJT", "rail", "rail", -1, share)
    return rig


def to_start(share: float) -> Rig:
    rig, q = Rig(), ramped(1.0, 7.0 + 4.0 * share, 0.5)
    rig.desk.load(preflighted(CELL, axes_file(q)))
    rig.desk.select("async")
    rig.desk.move_to_start("rail,robot1,robot2")
    return rig


def wave(share: float) -> Rig:
    rig = Rig()
    rig.desk.select("sine")
    rig.desk.sine("robot1_a1", 0.05 * share, 0.5, 4)
    return rig


def bridged(share: float) -> Rig:
    rig = Rig()
    rig.desk.select("bridge")
    for _ in range(200):
        rig.follow(4.0)
    return rig


MOTIONS: dict[str, Callable[[float], Rig]] = {
    "file to the rail's end": towards_the_end,
    "file to red": towards_red,
    "file that is cut off": cut_off,
    "jog": by_hand,
    "move to start": to_start,
    "sine": wave,
    "bridge": bridged,
}


def go_on(rig: Rig, motion: str, cycles: int) -> None:
    """The motion, whatever it needs to go on."""
    for k in range(cycles):
        if rig.facility.mode in BRAKING or rig.facility.stop:
            return
        if motion == "jog" and rig.facility.mode is Mode.MANUAL:
            rig.desk.jog("IJT", "rail", "rail", -1)
        if motion == "bridge":
            rig.follow(4.0 + 0.001 * k)
        else:
            rig.tick()


def do(rig: Rig, name: str) -> None:
    with contextlib.suppress(Refused, BadInput):
        ACTIONS[name](rig.hall)


@pytest.mark.parametrize("motion", MOTIONS)
@given(
    share=st.floats(0.2, 1.0),
    moment=st.floats(0.02, 0.98),
    first=st.sampled_from(FIRST),
    more=st.lists(st.tuples(st.integers(0, 120), st.sampled_from(sorted(ACTIONS))), max_size=6),
)
@QUIET
def test_robots_rest_where_the_first_stop_said(
    motion: str, share: float, moment: float, first: str, more: list[tuple[int, str]]
) -> None:
    rig = MOTIONS[motion](share)
    try:
        go_on(rig, motion, int(moment * 700))
        do(rig, first)
        rig.tick()  # stalls and inputs are noticed in the tick
        check_rest(rig, more)
    finally:
        rig.close()


def check_rest(rig: Rig, more: list[tuple[int, str]]) -> None:
    guard, facility = rig.facility.guard, rig.facility
    begun, foretold = guard.setpoint.copy(), guard.rest
    stopped = facility.mode in BRAKING
    for wait, name in more:
        for _ in range(wait):
            rig.tick()
        do(rig, name)
        if stopped and not guard.moving:
            stopped = False  # what comes now comes after the rest
            break
    if stopped:
        for _ in range(3000):
            if facility.mode not in BRAKING:
                break
            rig.tick()
        assert facility.mode not in BRAKING
        gone, most = guard.setpoint - begun, foretold - begun
        assert (gone * np.sign(most) <= np.abs(most) + ROUNDING).all(), facility.stop
        assert (np.abs(gone[most == 0.0]) <= ROUNDING).all()
    for _ in range(200):
        rig.tick()  # drives come to rest behind the set-point
    for q in (guard.setpoint, facility.link.standing):
        assert (q >= CELL.axes.lower - 1e-6).all() and (q <= CELL.axes.upper + 1e-6).all()
        assert facility.zones.near(q.copy(), 0.0) is None


def ended_by_itself(rig: Rig) -> None:
    """The file is over while the rail still moves: ENDING."""
    rig.ticks_until(Mode.ENDING, Mode.STOPPING)


def let_go(rig: Rig) -> None:
    go_on(rig, "jog", 200)
    rig.desk.select("none")


def halted(rig: Rig) -> None:
    """The client falls silent while the hall moves: HALTING, not latched."""
    for k in range(400):
        rig.follow(4.0 + 0.002 * k)
    rig.ticks_until(Mode.HALTING)


BRAKES = {"file": (cut_off, ended_by_itself), "jog": (by_hand, let_go), "bridge": (bridged, halted)}


@pytest.mark.parametrize("percent", [10, 30, 70])
@pytest.mark.parametrize("brake", BRAKES)
def test_a_second_stop_during_braking_changes_nothing(brake: str, percent: int) -> None:
    """The cases that were found: brakes that are not latched (the end of a file, a button let go of, a halt of the bridge), and
    SAFE STOP at a fraction of them began the profile anew, at full speed."""
    make, begin = BRAKES[brake]
    rig = make(1.0)
    try:
        begin(rig)
        assert rig.facility.mode in (Mode.ENDING, Mode.HALTING)
        foretold, left_s = rig.facility.guard.rest, rig.facility.guard.begin_braking()
        assert left_s > 10 * PERIOD_S
        for _ in range(int(left_s / PERIOD_S * percent / 100)):
            rig.tick()
        rig.desk.safe_stop()
        rig.ticks_until(Mode.STOPPED)
        np.testing.assert_allclose(rig.facility.guard.setpoint, foretold, atol=ROUNDING)
        assert rig.facility.zones.near(rig.facility.actual, 0.0) is None
    finally:
        rig.close()

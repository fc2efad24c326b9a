"""Zones: Table 1 row by row, the layer in closed form, and stops that begin at the edge of yellow and end before red."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from proxops.core.messages import PERIOD_S
from proxops.core.vocabulary import Zone
from proxops.lab.cell import Cell
from proxops.lab.cell_axes import trailing_s
from proxops.safety.braking import braking_time
from proxops.safety.clearance import Clearance
from proxops.safety.guard import Guard
from proxops.safety.limits import begin_braking, brake, guard_record, stand
from proxops.safety.zone_watch import ZoneWatch
from proxops.safety.zones import LOGIC, judge_zone, stopping_way, yellow_layer_m, zone_of

Array = NDArray[np.float64]
Facing = Callable[[float], Array]
R, Y, G = Zone.RED, Zone.YELLOW, Zone.GREEN


# The paper's rows: "no impact" of the actual state written out.
@pytest.mark.parametrize(
    ("commanded", "actual", "go"),
    [
        (R, R, False), (R, Y, False), (R, G, False),
        (Y, R, False), (Y, Y, False), (Y, G, False),
        (G, R, False), (G, Y, True), (G, G, True),
    ],
)  # fmt: skip
def test_table_1(commanded: Zone, actual: Zone, go: bool) -> None:
    assert LOGIC[commanded, actual] is go
    assert len(LOGIC) == 9


@pytest.mark.parametrize(
    ("clearance_m", "zone"),
    [(-1.0, R), (0.0, R), (1e-12, Y), (0.05, Y), (0.0500001, G), (math.inf, G), (-math.inf, R), (math.nan, R)],
)
def test_zone_of_a_clearance(clearance_m: float, zone: Zone) -> None:
    assert zone_of(clearance_m, 0.05) is zone


def ahead_of(epos: Cell, rate: Array) -> Array:
    """As the guard would brake from ``rate``."""
    out = np.empty(13)
    way = rate * (0.5 * braking_time(rate, epos.hall[0]["acceleration"]))
    stopping_way(way, rate, trailing_s(epos.controllers, epos.period_ns), out)
    return out


def test_the_layer_of_a_running_rail(epos: Cell, hall: Clearance) -> None:
    """Half the braking time pi/2 v/a, 48 ms of lag, one cycle; nothing but the minimum at rest."""
    rate = np.zeros(13)
    assert yellow_layer_m(hall.levers, ahead_of(epos, rate), 0.05) == 0.05
    rate[0] = -0.8
    way = 0.8 * (0.5 * 0.5 * math.pi * 0.8 / 0.9 + 0.048 + PERIOD_S)
    assert yellow_layer_m(hall.levers, ahead_of(epos, rate), 0.05) == pytest.approx(way, rel=1e-12)


def test_the_layer_adds_both_robots(epos: Cell, hall: Clearance) -> None:
    ahead = np.zeros(13)
    ahead[[1, 7]] = 0.1, -0.2
    layer = yellow_layer_m(hall.levers, ahead, 0.05)
    assert layer == pytest.approx(0.1 * hall.levers[1] + 0.2 * hall.levers[7], rel=1e-12)
    assert 3.3 < hall.levers[1] < hall.levers[7] < 4.5  # an arm stretched out, and the spacecraft on it


def test_a_fast_rail_makes_no_yellow_inside_an_arm_or_above_the_floor(epos: Cell, hall: Clearance) -> None:
    q = epos.home.copy()
    q[0] = 15.0
    rate = np.zeros(13)
    rate[0] = 1.2
    layer = yellow_layer_m(hall.levers, ahead_of(epos, rate), 0.05)
    assert hall.twin().at(q, 2.0).distance_m < 0.6 < layer  # link_3 and plate of robot 1
    assert judge_zone(hall.twin(), q, ahead_of(epos, rate), 0.05).zone is G


def test_red_is_told_even_if_another_pair_is_deeper_in_yellow(epos: Cell, hall: Clearance, facing: Facing) -> None:
    """Box 1 touches box 2 with the arms still, while axis 6 of robot 2 races: many pairs owe more."""
    q = facing(1.17)
    ahead = np.zeros(13)
    ahead[12] = 1.0
    found = judge_zone(hall.twin(), q, ahead, 0.05)
    assert found.zone is R
    assert found.finding.distance_m == pytest.approx(-0.005, abs=1e-6)
    still = np.zeros(13)
    assert [judge_zone(hall.twin(), facing(d), still, 0.05).zone for d in (1.17, 1.2, 1.23)] == [R, Y, G]


class Drives:
    """Thirteen drives that trail their set-points: dead time, then a first-order lag."""

    def __init__(self, epos: Cell, q: Array, rate: Array) -> None:
        servos = [epos.file.rail.servo, *[epos.file.robot1.servo] * 6, *[epos.file.robot2.servo] * 6]
        self.dead = round(servos[0].dead_time_ms / 4.0)
        self.share = 1.0 - np.exp(-4.0 / np.array([s.time_constant_ms for s in servos]))
        self.actual = q - rate * trailing_s(epos.controllers, 0)
        self.sent = [q - rate * PERIOD_S * k for k in range(self.dead, 0, -1)]

    def step(self, setpoint: Array) -> Array:
        self.sent.append(setpoint.copy())
        self.actual = self.actual + self.share * (self.sent.pop(0) - self.actual)
        return self.actual


def least_on_the_way(epos: Cell, hall: Clearance, start: Array, rate: Array, heed: bool) -> float | None:
    """Cruise at ``rate``, brake one cycle after the actual pose is no longer green; the smallest clearance on the way, or
    None if it did not begin in green. Without ``heed`` the layer is next to nothing, whatever the speed."""
    memory, guard, margins = hall.twin(), guard_record(epos), np.zeros(6)
    ahead, minimum = (ahead_of(epos, rate), 1e-3) if heed else (np.zeros(13), 1e-3)
    drives = Drives(epos, start, rate)
    if judge_zone(memory, drives.actual, ahead, minimum).zone is not G:
        return None
    stand(epos.hall, guard, start, margins)
    for _ in range(2000):
        guard[0]["x"] += rate * PERIOD_S
        if judge_zone(memory, drives.step(guard[0]["x"]), ahead, minimum).zone is not G:
            break
    else:
        return None
    guard[0]["v"] = rate
    begin_braking(guard)
    least = math.inf
    rested = False
    while not rested:
        rested = brake(epos.hall, guard, margins)
        least = min(least, memory.at(drives.step(guard[0]["x"]), 0.3).distance_m)
    for _ in range(100):
        least = min(least, memory.at(drives.step(guard[0]["x"]), 0.3).distance_m)
    return least


def test_a_stop_begun_at_the_edge_of_yellow_ends_before_red(epos: Cell, hall: Clearance, facing: Facing) -> None:
    """Random speeds of all axes, the rail towards the target; without the layer the same stops end in red."""
    rng = np.random.default_rng(81)
    kept, overrun = [], 0
    for _ in range(24):
        contact = facing(1.19) + rng.normal(size=13) * 0.01
        rate = rng.uniform(-1.0, 1.0, 13) * epos.hall[0]["speed"] * 10.0 ** rng.uniform(-3.0, -1.0)
        rate[0] = -rng.uniform(0.02, 0.8)
        start = contact - rate * 0.8 * (1.0 + abs(rate[0]) * 2)
        least = least_on_the_way(epos, hall, start, rate, heed=True)
        if least is not None:
            kept.append(least)
            unheeded = least_on_the_way(epos, hall, start, rate, heed=False)
            overrun += unheeded is not None and unheeded <= 0.0
    assert len(kept) >= 10
    assert min(kept) > 0.0
    assert overrun >= 5


def test_a_straight_run_on_the_rail_uses_the_layer_up_and_no_more(epos: Cell, hall: Clearance, facing: Facing) -> None:
    """The bound is not idle: boxes face to face, nothing but the rail moving, and what is left is the lag of a cycle or two."""
    rate = np.zeros(13)
    rate[0] = -0.5
    start = facing(1.175)
    start[0] += 0.8
    least = least_on_the_way(epos, hall, start, rate, heed=True)
    assert least is not None
    assert 0.0 < least < 0.01


def test_a_rehearsal_leaves_the_guard_where_it_stood(cell: Cell) -> None:
    guard = Guard(cell, np.zeros(6), ZoneWatch(cell))
    guard.stand(cell.home)
    before = guard._state.copy()
    guard.rehearse()
    for name in ("x", "v", "wish", "ports", "roll", "axis_margin", "range_margin", "braking", "zone_slack"):
        np.testing.assert_array_equal(guard._state[name], before[name], err_msg=name)

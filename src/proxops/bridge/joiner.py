"""Joining: all axes move together to a posture from which the bridge can follow, in one leg or round an obstacle.

A leg is a straight line in axis space, jerk-limited (Ruckig, all axes in phase), so what was looked at beforehand is what is
driven, at no more than the speed and rate that the operator allows the ports. Other ways take the rail back first, turn the arms
there (over their home posture, if need be), and come in again.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Final

import numpy as np
import ruckig
from numpy.typing import NDArray

from proxops.core.messages import N_AXES, PERIOD_S
from proxops.lab.cell import Cell
from proxops.lab.coordinates import port_poses
from proxops.lab.port_components import port_components
from proxops.maths.rotation import angle_between
from proxops.safety.motion import JERK_TIME_S

Axes = NDArray[np.float64]
RETREAT_M: Final = 4.0
STEP: Final = 0.06  # m or rad between two looks along a leg
A6_ROOM: Final = np.radians(30.0)
ROLL_LOOKS: Final = 40  # less than a quarter turn between two of them
END_ROOM_M: Final = 0.2  # kept free at the rail's end
PORT_SHARE: Final = 0.95  # of the ports' limits: their speed along a leg is looked at every STEP
AT_ONCE: Final = 1e9  # legs per second: no limit
TINY: Final = 1e-9  # m or rad: axes that stand still on a leg, which Ruckig wants limits of all the same


def ways(cell: Cell, start: Axes, goal: Axes) -> Iterator[list[Axes]]:
    """Corner points of the ways to try, the straight one first."""
    yield [goal]
    away = goal.copy()
    back = start.copy()
    back[0] = away[0] = min(max(start[0], goal[0]) + RETREAT_M, float(cell.hall[0]["upper"][0]) - END_ROOM_M)
    if back[0] > start[0]:
        yield [back, away, goal]
    folded = back.copy()  # both arms at home, where they are clear of everything, themselves included
    folded[1:] = np.where(np.isinf(cell.axes.upper[1:]), start[1:], cell.home[1:])
    yield [back, folded, away, goal]
    near = folded.copy()
    near[0] = start[0]
    yield [near, folded, away, goal]


def looks(start: Axes, corners: list[Axes]) -> Iterator[Axes]:
    """Postures along a way, near enough to each other to be looked at one by one."""
    here = start
    for corner in corners:
        count = 1 + int(np.max(np.abs(corner - here)) / STEP)
        for k in range(1, count + 1):
            yield here + (corner - here) * (k / count)
        here = corner


def least_rolled(cell: Cell, start: Axes, goal: Axes, roll: Axes) -> Axes:
    """The goal with robot 1's A6 a turn further or back, where that leaves more of both ranges: A6's own, and Table 3's of the
    plate's roll, which is counted along the way as the guard counts it."""
    most_a6, most_roll = float(cell.axes.upper[6]), float(cell.hall[0]["range_upper"][0, 3])
    turns = [goal]
    for turn in (2.0 * np.pi, -2.0 * np.pi):
        other = goal.copy()
        other[6] += turn
        if cell.axes.lower[6] + A6_ROOM <= other[6] <= cell.axes.upper[6] - A6_ROOM:
            turns.append(other)
    return min(turns, key=lambda q: max(abs(q[6]) / most_a6, abs(_rolled(cell, start, q, roll)) / most_roll))


def _rolled(cell: Cell, start: Axes, goal: Axes, roll: Axes) -> float:
    carried, values, ports = roll.copy(), np.empty((2, 6)), np.empty((2, 4, 4))
    for share in np.linspace(0.0, 1.0, ROLL_LOOKS):
        port_components(cell.hall, start + (goal - start) * share, carried, values, ports)
    return float(carried[0])


def port_gains(cell: Cell, start: Axes, goal: Axes) -> tuple[float, float]:
    """The ports' largest motion along a leg, per whole leg: m and rad for each unit of the share of it that is driven."""
    count = 2 + int(np.max(np.abs(goal - start)) / STEP)
    poses = [port_poses(cell.hall, start + (goal - start) * share) for share in np.linspace(0.0, 1.0, count)]
    moved = turned = 0.0
    for here, there in itertools.pairwise(poses):
        for a, b in zip(here, there, strict=True):
            moved, turned = max(moved, math.dist(a[:3, 3], b[:3, 3])), max(turned, angle_between(a[:3, :3], b[:3, :3]))
    return moved * (count - 1), turned * (count - 1)


class Joiner:
    """Drives a way; ``step`` gives the axes of each cycle, None once it is there. ``speed`` and ``rate``: m/s and rad/s that the
    ports may have in the lab."""

    def __init__(self, cell: Cell, start: Axes, corners: list[Axes], speed: float, rate: float) -> None:
        share = cell.file.limits.move_to_start_share
        self._cell, self._port_speed, self._port_rate = cell, PORT_SHARE * speed, PORT_SHARE * rate
        self._speed, self._acceleration = cell.guarded.speed * share, cell.guarded.acceleration * share
        self._corners = list(corners)
        self._wish = start.copy()
        self._begin()

    def _begin(self) -> None:
        self._otg, self._out = ruckig.Ruckig(N_AXES, PERIOD_S), ruckig.OutputParameter(N_AXES)
        plan = ruckig.InputParameter(N_AXES)
        plan.current_position, plan.target_position = self._wish.tolist(), self._corners[0].tolist()
        plan.max_velocity = self._allowed(np.abs(self._corners[0] - self._wish)).tolist()
        plan.max_acceleration = self._acceleration.tolist()
        plan.max_jerk = (self._acceleration / JERK_TIME_S).tolist()
        plan.synchronization = ruckig.Synchronization.Phase
        self._plan = plan

    def _allowed(self, way: Axes) -> Axes:
        """Speed of each axis on this leg, which is ``way`` long for it: its own, or what takes the ports to theirs. All axes are
        in phase, so one share of the leg per second holds for all."""
        moved_m, turned_rad = port_gains(self._cell, self._wish, self._corners[0])
        leg_per_s = min(self._port_speed / max(moved_m, TINY), self._port_rate / max(turned_rad, TINY), AT_ONCE)
        return np.minimum(self._speed, np.maximum(way * leg_per_s, TINY))

    def step(self) -> Axes | None:
        if not self._corners:
            return None
        result = self._otg.update(self._plan, self._out)
        self._wish[:] = self._out.new_position
        self._out.pass_to_input(self._plan)
        if result == ruckig.Result.Finished:
            self._wish[:] = self._corners.pop(0)
            if self._corners:
                self._begin()
        elif result != ruckig.Result.Working:
            raise RuntimeError(f"joining: trajectory generator answers {result}")
        return self._wish

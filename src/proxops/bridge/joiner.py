"""Joining: all axes move together to a posture from which the bridge can follow, in one leg or round an obstacle.

A leg is a straight line in axis space, and the share of it that is gone is jerk-limited (Ruckig): all axes are in phase, so what
was looked at beforehand is what is driven, at no more than the speed and rate that the operator allows the ports. Other ways take
the rail back first, turn the arms there (over their home posture, if need be), and come in again.
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
STEP: Final = 0.06  # m or rad between two looks at the ports along a leg
OUT: Final = 0.15  # m or rad that a single axis goes to get out of a tight place
A6_ROOM: Final = np.radians(30.0)
ROLL_LOOKS: Final = 40  # less than a quarter turn between two of them
END_ROOM_M: Final = 0.2  # kept free at the rail's end
PORT_SHARE: Final = 0.95  # of the ports' limits: their speed along a leg is looked at every STEP
TINY: Final = 1e-9  # m or rad: the least that an axis or a port goes on a leg, whose limits are shares of it


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


def ways_out(cell: Cell, start: Axes) -> Iterator[Axes]:
    """Places a little away from ``start``, one axis at a time: one of them may lead out of a tight place."""
    for axis, way in itertools.product(range(N_AXES), (OUT, -OUT)):
        out = start.copy()
        out[axis] += way
        if cell.axes.lower[axis] < out[axis] < cell.axes.upper[axis]:
            yield out


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
        self._from, self._wish = start.copy(), start.copy()
        self._begin()

    def _begin(self) -> None:
        """The next leg. What is planned is the share of it that is gone, one number for all axes: nothing else keeps them on the
        straight line (Ruckig's own synchronization of phases gives way to one of times where limits differ)."""
        self._from[:] = self._wish
        self._otg, self._out = ruckig.Ruckig(1, PERIOD_S), ruckig.OutputParameter(1)
        way = np.maximum(np.abs(self._corners[0] - self._from), TINY)
        moved_m, turned_rad = port_gains(self._cell, self._from, self._corners[0])
        plan = ruckig.InputParameter(1)
        plan.current_position, plan.target_position = [0.0], [1.0]
        plan.max_velocity = [
            min(
                float(np.min(self._speed / way)),
                self._port_speed / max(moved_m, TINY),
                self._port_rate / max(turned_rad, TINY),
            )
        ]
        plan.max_acceleration = [float(np.min(self._acceleration / way))]
        plan.max_jerk = [plan.max_acceleration[0] / JERK_TIME_S]
        self._plan = plan

    def step(self) -> Axes | None:
        if not self._corners:
            return None
        result = self._otg.update(self._plan, self._out)
        self._wish[:] = self._from + self._out.new_position[0] * (self._corners[0] - self._from)
        self._out.pass_to_input(self._plan)
        if result == ruckig.Result.Finished:
            self._wish[:] = self._corners.pop(0)
            if self._corners:
                self._begin()
        elif result != ruckig.Result.Working:
            raise RuntimeError(f"joining: trajectory generator answers {result}")
        return self._wish

"""Limits of the two ports of a hall, judged every tick: Table 3 along the way of a stop, speed and rate, singularities.

Where a cell has no ports to judge, ``hall`` is None and none of this is asked.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from proxops.core.messages import N_AXES
from proxops.lab.coordinates import HallRecord
from proxops.lab.kinematics import singularity_margins
from proxops.lab.port_components import port_components
from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array, angle_between, copy_to
from proxops.maths.stack import matrix, vector
from proxops.safety.range_rule import SPEED_ROUNDING, broken, within
from proxops.safety.rules import Rule

Guarded = NDArray[np.void]
ARC = 0.06  # rad of turning between two looks along a braking way: the arm's arc rises 1.3 mm over its chord
FIRST_COMPONENT = 14  # number of robot 1's x in rules.AXIS_TEXT
TABLE3, WRIST_ANGLE, ELBOW, SHOULDER = 1, 2, 3, 4  # places in the pool's group "margin"
POSITION_RANGE, ATTITUDE_RANGE = int(Rule.POSITION_RANGE), int(Rule.ATTITUDE_RANGE)
PORT_SPEED, PORT_RATE, WRIST = int(Rule.PORT_SPEED), int(Rule.PORT_RATE), int(Rule.WRIST_SINGULARITY)


@kernel
def _samples(way: Array) -> int:
    """How many points of a braking way to look at: ports swing on arcs, which may reach further out than their end."""
    turn1, turn2 = 0.0, 0.0
    for i in range(1, 7):
        turn1 += abs(way[i])
        turn2 += abs(way[6 + i])
    return 1 + int(max(turn1, turn2) / ARC)


@kernel
def port_ranges(
    hall: HallRecord, guard: Guarded, x: Array, way: Array, least: Array, margins: Array, report: Array
) -> int:
    """Table 3 all along the way on which a stop begun now would end; ``least`` receives the smallest margins on it."""
    h, g = hall[0], guard[0]
    values, roll, at = matrix(2, 6), vector(2), vector(N_AXES)
    copy_to(g.roll, roll)
    for robot in range(2):
        for k in range(6):
            least[robot, k] = np.inf
    count = _samples(way)
    for sample in range(1, count + 1):
        for i in range(N_AXES):
            at[i] = x[i] + way[i] * (sample / count)
        port_components(hall, at, roll, values, g.next_ports)
        for robot in range(2):
            for k in range(6):
                rule, margin = within(
                    values[robot, k], h.range_lower[robot, k], h.range_upper[robot, k], g.range_margin[robot, k],
                    FIRST_COMPONENT + 6 * robot + k, POSITION_RANGE if k < 3 else ATTITUDE_RANGE, report,
                )  # fmt: skip
                if rule:
                    return rule
                least[robot, k] = min(least[robot, k], margin)
    margins[TABLE3] = np.inf
    for robot in range(2):
        for k in range(3):
            margins[TABLE3] = min(margins[TABLE3], least[robot, k])
    return 0


@kernel
def port_motion(hall: HallRecord, guard: Guarded, ports: Array, report: Array) -> int:
    """Speed and rate of both ports from the set-point before to the one now."""
    h, g = hall[0], guard[0]
    for robot in range(2):
        way = 0.0
        for i in range(3):
            way += (ports[robot, i, 3] - g.ports[robot, i, 3]) ** 2
        speed, rate = math.sqrt(way) / g.dt, angle_between(g.ports[robot], ports[robot]) / g.dt
        if speed > h.port_speed * (1.0 + SPEED_ROUNDING):
            return broken(report, FIRST_COMPONENT + 6 * robot, speed, h.port_speed, PORT_SPEED)
        if rate > h.port_rate * (1.0 + SPEED_ROUNDING):
            return broken(report, FIRST_COMPONENT + 6 * robot + 3, rate, h.port_rate, PORT_RATE)
    return 0


@kernel
def singularities(hall: HallRecord, guard: Guarded, x: Array, margins: Array, report: Array) -> int:
    """Margins to the singularities; the wrist's is a rule where the cell asks for it, with the way out left open."""
    h, g = hall[0], guard[0]
    wrist1, elbow1, shoulder1 = singularity_margins(h.lengths1, x[1:7])
    wrist2, elbow2, shoulder2 = singularity_margins(h.lengths2, x[7:13])
    wrist = min(wrist1, wrist2)
    margins[WRIST_ANGLE], margins[ELBOW], margins[SHOULDER] = (
        wrist,
        min(elbow1, elbow2),
        min(shoulder1, shoulder2),
    )
    if wrist < h.wrist_margin and wrist < _wrist_margin(hall, g.x) - 1e-12:
        return broken(report, 6 if wrist1 < wrist2 else 12, wrist, h.wrist_margin, WRIST)
    return 0


@kernel
def _wrist_margin(hall: HallRecord, x: Array) -> float:
    h = hall[0]
    return min(singularity_margins(h.lengths1, x[1:7])[0], singularity_margins(h.lengths2, x[7:13])[0])


@kernel
def judge_ports(hall: HallRecord, guard: Guarded, x: Array, way: Array, margins: Array, report: Array) -> int:
    """All of the above for the next set-point ``x``, from which a stop would go on by ``way``."""
    g = guard[0]
    rule = port_ranges(hall, guard, x, way, g.next_range_margin, margins, report)
    if rule:
        return rule
    values, roll = matrix(2, 6), g.next_roll
    copy_to(g.roll, roll)
    port_components(hall, x, roll, values, g.next_ports)
    rule = port_motion(hall, guard, g.next_ports, report)
    if rule:
        return rule
    return singularities(hall, guard, x, margins, report)


@kernel
def judge_port_ranges(hall: HallRecord, guard: Guarded, x: Array, ports: Array, margins: Array, report: Array) -> int:
    """Ranges and singularities alone, on the way from the set-point to ``x``, which is taken if they allow it."""
    g = guard[0]
    way = vector(N_AXES)
    for i in range(N_AXES):
        way[i] = x[i] - g.x[i]
    rule = port_ranges(hall, guard, g.x, way, g.next_range_margin, margins, report)
    if rule:
        return rule
    port_components(hall, x, g.roll, matrix(2, 6), ports)
    g.range_margin[:] = g.next_range_margin
    return singularities(hall, guard, x, margins, report)


@kernel
def stand_ports(hall: HallRecord, guard: Guarded, q: Array, margins: Array, report: Array) -> None:
    """The ports of robots that stand at ``q``: no rule is broken by standing."""
    g = guard[0]
    values, range_margin, still = matrix(2, 6), matrix(2, 6), vector(N_AXES)
    for i in range(N_AXES):
        still[i] = 0.0
    port_components(hall, q, g.roll, values, g.ports)
    g.range_margin[:] = -np.inf  # nothing before to compare with
    port_ranges(hall, guard, q, still, range_margin, margins, report)
    singularities(hall, guard, q, margins, report)
    g.range_margin[:] = range_margin

"""Limits of axes and ports, judged every tick: the one kernel between a wish and the robots.

The set-point follows the wish exactly while the wish keeps the limits of speed and acceleration. Where it does not (a
trajectory that starts at full speed), each axis follows within its acceleration and catches up on a square-root curve;
when the wish runs further ahead than a small bound, the hall stops. Positions are judged where a stop begun now would
end, so that the robots never overrun a limit while braking. A brake that runs is never begun anew.

Collisions are judged by ``zone_watch``, which is asked only when a bound leaves it open: what was known of the clearances at
one posture, less the most that the axes can have used up since (``_clear_of_all``).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from proxops.core.messages import N_AXES, PERIOD_S
from proxops.lab.coordinates import Hall, flange_poses
from proxops.lab.kinematics import singularity_margins
from proxops.maths.kernel import kernel
from proxops.maths.pose import compose
from proxops.maths.rotation import Array, abc_from_matrix, angle_between, nearest_turn
from proxops.safety.braking import braking_time, braking_way
from proxops.safety.rules import Rule

DT = PERIOD_S
N = N_AXES
ROUNDING = 1e-9  # of a position (m, rad) that arithmetic may add
SPEED_ROUNDING = 1e-6  # share of a speed that rounding in files (six decimals of a mm) may add
ARC = 0.06  # rad of turning between two looks along a braking way: the arm's arc rises 1.3 mm over its chord
FIRST_COMPONENT = 14  # number of robot 1's x in rules.AXIS_TEXT
FENCE_SPEED_M_S = 0.25  # of any point of the robots while the fence is open (ISO 10218-1: reduced speed)
JUMP_FACTOR = 4.0  # a step of more than four cycles' worth of full speed is a jump, not a fast motion

# Rules as plain numbers, for the kernel.
NOT_FINITE, JUMP, AXIS_RANGE = int(Rule.NOT_FINITE), int(Rule.JUMP), int(Rule.AXIS_RANGE)
AXIS_SPEED, AXIS_ACCELERATION = int(Rule.AXIS_SPEED), int(Rule.AXIS_ACCELERATION)
POSITION_RANGE, ATTITUDE_RANGE = int(Rule.POSITION_RANGE), int(Rule.ATTITUDE_RANGE)
PORT_SPEED, PORT_RATE, WRIST = int(Rule.PORT_SPEED), int(Rule.PORT_RATE), int(Rule.WRIST_SINGULARITY)
REDUCED_SPEED = int(Rule.REDUCED_SPEED)

GUARD_DTYPE = np.dtype(
    [
        ("x", "f8", (N,)), ("v", "f8", (N,)),  # set-point and its rate
        ("wish", "f8", (N,)),  # the wish of the cycle before
        ("range_margin", "f8", (2, 6)),  # of the cycle before, where a stop would have ended
        ("axis_margin", "f8", (N,)),
        ("roll", "f8", (2,)),  # plate roll, counted through full turns
        ("ports", "f8", (2, 4, 4)),  # T_lab_port of x
        ("brake_from", "f8", (N,)), ("brake_v", "f8", (N,)), ("brake_T", "f8"), ("brake_t", "f8"),
        ("braking", "i8"),  # 1 from the begin of a brake until the set-point rests
        # What the wish of this cycle would make of the above: taken over by ``accept``.
        ("next_x", "f8", (N,)), ("next_v", "f8", (N,)), ("next_range_margin", "f8", (2, 6)),
        ("next_axis_margin", "f8", (N,)), ("next_roll", "f8", (2,)), ("next_ports", "f8", (2, 4, 4)),
        # At axes zone_q every clearance exceeds yellow's least layer by zone_slack (m) at least; m/rad (rail: m/m), s.
        ("zone_q", "f8", (N,)), ("zone_slack", "f8"), ("levers", "f8", (N,)), ("lag", "f8", (N,)),
        ("point_limit", "f8"), ("point_speed", "f8"),  # m/s of the fastest point: allowed, and in the cycle before
    ]
)  # fmt: skip
Guarded = NDArray[np.void]
LOOK = -1  # answer of ``judge``: no limit is broken, but the zones have to be looked at before the wish may be accepted


def guard_record() -> Guarded:
    """A guard that knows of no zones and no limit of its points' speed."""
    guard = np.zeros(1, GUARD_DTYPE)
    guard["zone_slack"] = guard["point_limit"] = np.inf
    return guard


AXIS_SHARE, TABLE3, WRIST_ANGLE, ELBOW, SHOULDER, SPEED_LEFT = range(6)  # order of the pool's group "margin"


@kernel
def limited_step(
    wish: float, wish_before: float, x: float, v: float, speed: float, acceleration: float
) -> tuple[float, float]:
    """Next set-point and rate of one axis: on the wish if the limits allow, else towards it without overshoot."""
    wish_v = (wish - wish_before) / DT
    error = wish_before - x
    step = acceleration * DT
    # Fastest approach (relative to the wish) from which whole steps of the allowed deceleration stop exactly on it:
    # covering v, v - step, v - 2 step, … takes n more cycles and adds up to the distance left.
    left = abs(error) / DT
    n = math.floor(0.5 * (math.sqrt(1.0 + 8.0 * left / step) - 1.0))
    closing = (left + 0.5 * step * n * (n + 1)) / (n + 1)
    target = wish_v + math.copysign(closing, error)
    new_v = min(max(target, v - step), v + step)
    new_v = min(max(new_v, -speed), speed)
    new_x = x + new_v * DT
    if abs(new_x - wish) <= 1e-12:
        new_x = wish
    return new_x, new_v


@kernel
def port_components(hall: Hall, q: Array, roll: Array, values: Array, ports: Array) -> None:
    """What Table 3 speaks of, at axes ``q``: x y z of both ports, roll pitch yaw of both plates, into ``values`` (2, 6);
    T_lab_port into ``ports`` (2, 4, 4). ``roll`` holds the roll counted through full turns and is carried on."""
    h = hall[0]
    T_lab_flange1, T_lab_flange2 = flange_poses(hall, q)
    R = np.empty((3, 3))  # R_lab_plate
    for robot in range(2):
        if robot == 0:
            F, R_flange_plate, T_flange_port = T_lab_flange1, h.plate1, h.port1
        else:
            F, R_flange_plate, T_flange_port = T_lab_flange2, h.plate2, h.port2
        ports[robot] = compose(F, T_flange_port)
        for i in range(3):
            values[robot, i] = ports[robot, i, 3]
            for j in range(3):
                R[i, j] = (
                    F[i, 0] * R_flange_plate[0, j] + F[i, 1] * R_flange_plate[1, j] + F[i, 2] * R_flange_plate[2, j]
                )
        abc = abc_from_matrix(R)
        roll[robot] = nearest_turn(abc[2], roll[robot])
        values[robot, 3], values[robot, 4], values[robot, 5] = roll[robot], abc[1], abc[0]


@kernel
def _follow(hall: Hall, guard: Guarded, wish: Array, x: Array, v: Array, margins: Array, report: Array) -> int:
    """Next set-point ``x`` and rate ``v`` of every axis, unless the wish jumps, races or runs away."""
    h, g = hall[0], guard[0]
    speed_left = 1.0
    for i in range(N):
        step = wish[i] - g.wish[i]
        if not math.isfinite(step):
            return _broken(report, i + 1, wish[i], 0.0, NOT_FINITE)
        if abs(step) > JUMP_FACTOR * h.speed[i] * DT:
            return _broken(report, i + 1, abs(step), JUMP_FACTOR * h.speed[i] * DT, JUMP)
        if abs(step) > h.speed[i] * DT * (1.0 + SPEED_ROUNDING):
            return _broken(report, i + 1, abs(step) / DT, h.speed[i], AXIS_SPEED)
        x[i], v[i] = limited_step(wish[i], g.wish[i], g.x[i], g.v[i], h.speed[i], h.acceleration[i])
        if abs(wish[i] - x[i]) > h.jump[i]:
            return _broken(report, i + 1, abs(wish[i] - x[i]), h.jump[i], AXIS_ACCELERATION)
        speed_left = min(speed_left, 1.0 - abs(v[i]) / h.speed[i])
    margins[SPEED_LEFT] = speed_left
    return 0


@kernel
def _broken(report: Array, number: int, value: float, bound: float, rule: int) -> int:
    report[0], report[1], report[2] = number, value, bound
    return rule


@kernel
def _within(
    value: float, lower: float, upper: float, before: float, number: int, rule: int, report: Array
) -> tuple[int, float]:
    """Rule broken (or 0) and margin of ``value``. Outside a range the way back in stays open: only a margin that
    shrinks breaks the rule."""
    margin = min(value - lower, upper - value)
    if margin < -ROUNDING and margin < before - 1e-12:
        return _broken(report, number, value, lower if value < lower else upper, rule), margin
    return 0, margin


@kernel
def _axis_ranges(hall: Hall, guard: Guarded, rest: Array, axis_margin: Array, margins: Array, report: Array) -> int:
    """Axis ranges at ``rest``, where a stop begun now would end; on the way there each axis runs one way only."""
    h, g = hall[0], guard[0]
    share = 1.0
    for i in range(N):
        rule, axis_margin[i] = _within(rest[i], h.lower[i], h.upper[i], g.axis_margin[i], i + 1, AXIS_RANGE, report)
        if rule:
            return rule
        if math.isfinite(axis_margin[i]):
            share = min(share, 2.0 * axis_margin[i] / (h.upper[i] - h.lower[i]))
    margins[AXIS_SHARE] = share
    return 0


@kernel
def _samples(way: Array) -> int:
    """How many points of a braking way to look at: ports swing on arcs, which may reach further out than their end."""
    turn1, turn2 = 0.0, 0.0
    for i in range(1, 7):
        turn1 += abs(way[i])
        turn2 += abs(way[6 + i])
    return 1 + int(max(turn1, turn2) / ARC)


@kernel
def _port_ranges(hall: Hall, guard: Guarded, x: Array, way: Array, least: Array, margins: Array, report: Array) -> int:
    """Table 3 all along the way on which a stop begun now would end; ``least`` receives the smallest margins on it."""
    h, g = hall[0], guard[0]
    values, ports, roll = np.empty((2, 6)), np.empty((2, 4, 4)), g.roll.copy()
    least[:] = np.inf
    count = _samples(way)
    for sample in range(1, count + 1):
        port_components(hall, x + way * (sample / count), roll, values, ports)
        for robot in range(2):
            for k in range(6):
                rule, margin = _within(
                    values[robot, k], h.range_lower[robot, k], h.range_upper[robot, k], g.range_margin[robot, k],
                    FIRST_COMPONENT + 6 * robot + k, POSITION_RANGE if k < 3 else ATTITUDE_RANGE, report,
                )  # fmt: skip
                if rule:
                    return rule
                least[robot, k] = min(least[robot, k], margin)
    margins[TABLE3] = least[:, :3].min()
    return 0


@kernel
def _port_motion(hall: Hall, guard: Guarded, ports: Array, report: Array) -> int:
    """Speed and rate of both ports from the set-point before to the one now."""
    h, g = hall[0], guard[0]
    for robot in range(2):
        way = 0.0
        for i in range(3):
            way += (ports[robot, i, 3] - g.ports[robot, i, 3]) ** 2
        speed, rate = math.sqrt(way) / DT, angle_between(g.ports[robot], ports[robot]) / DT
        if speed > h.port_speed * (1.0 + SPEED_ROUNDING):
            return _broken(report, FIRST_COMPONENT + 6 * robot, speed, h.port_speed, PORT_SPEED)
        if rate > h.port_rate * (1.0 + SPEED_ROUNDING):
            return _broken(report, FIRST_COMPONENT + 6 * robot + 3, rate, h.port_rate, PORT_RATE)
    return 0


@kernel
def _singularities(hall: Hall, guard: Guarded, x: Array, margins: Array, report: Array) -> int:
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
        return _broken(report, 6 if wrist1 < wrist2 else 12, wrist, h.wrist_margin, WRIST)
    return 0


@kernel
def _wrist_margin(hall: Hall, x: Array) -> float:
    h = hall[0]
    return min(singularity_margins(h.lengths1, x[1:7])[0], singularity_margins(h.lengths2, x[7:13])[0])


@kernel
def _point_motion(guard: Guarded, v: Array, report: Array) -> int:
    """Speed that no point of the robots exceeds at axis rates ``v``, against its limit; slowing down from more is allowed."""
    g = guard[0]
    fastest = point_speed(g.levers, v)
    if fastest > g.point_limit * (1.0 + SPEED_ROUNDING) and fastest > g.point_speed * (1.0 + SPEED_ROUNDING):
        return _broken(report, 0, fastest, g.point_limit, REDUCED_SPEED)
    g.point_speed = fastest
    return 0


@kernel
def point_speed(levers: Array, v: Array) -> float:
    """An upper bound of the speed of any point of either robot, m/s, in any posture."""
    first, second = 0.0, 0.0
    for i in range(7):
        first += levers[i] * abs(v[i])
    for i in range(7, N):
        second += levers[i] * abs(v[i])
    return max(first, second)


@kernel
def _clear_of_all(guard: Guarded, x: Array, v: Array, way: Array, actual: Array) -> bool:
    """Whether everything is green for certain: set-point, robots at ``actual`` and the whole way of a stop begun now. False
    also for what is not a number."""
    g = guard[0]
    used = 0.0
    for i in range(N):
        used += g.levers[i] * (
            abs(x[i] - g.zone_q[i]) + abs(way[i]) + abs(v[i]) * (g.lag[i] + DT) + abs(actual[i] - x[i])
        )
    clear: bool = used < g.zone_slack
    return clear


@kernel
def judge(hall: Hall, guard: Guarded, wish: Array, actual: Array, margins: Array, report: Array) -> int:
    """One cycle: take ``wish`` as the next set-point, or return the rule that forbids it and leave the set-point alone.
    ``LOOK``: nothing but a collision can forbid it; the caller looks at ``next_x``, then calls ``accept`` or does not.

    ``actual``: where the robots are. ``report`` receives the number of the axis or component, the value and the bound;
    ``margins`` the pool's margins."""
    h, g = hall[0], guard[0]
    x, v = g.next_x, g.next_v
    rule = _follow(hall, guard, wish, x, v, margins, report)
    if rule:
        return rule
    way = v * (0.5 * braking_time(v, h.acceleration))
    rule = _axis_ranges(hall, guard, x + way, g.next_axis_margin, margins, report)
    if rule:
        return rule
    rule = _port_ranges(hall, guard, x, way, g.next_range_margin, margins, report)
    if rule:
        return rule
    values, roll = np.empty((2, 6)), g.next_roll
    roll[:] = g.roll
    port_components(hall, x, roll, values, g.next_ports)
    rule = _port_motion(hall, guard, g.next_ports, report)
    if rule:
        return rule
    rule = _singularities(hall, guard, x, margins, report)
    if rule:
        return rule
    rule = _point_motion(guard, v, report)
    if rule:
        return rule
    if not _clear_of_all(guard, x, v, way, actual):
        return LOOK
    accept(guard, wish)
    return 0


@kernel
def judge_run(hall: Hall, guard: Guarded, wishes: Array, first: int, margins: Array, report: Array) -> tuple[int, int]:
    """``judge`` for one wish after another, from ``first`` on, by robots that follow at once: the number of the first one that
    is not taken and its rule or ``LOOK``; 0 behind the last."""
    for k in range(first, wishes.shape[0]):
        rule = judge(hall, guard, wishes[k], guard[0].next_x, margins, report)
        if rule:
            return k, rule
    return wishes.shape[0], 0


@kernel
def accept(guard: Guarded, wish: Array) -> None:
    """The wish that ``judge`` has looked at last is the set-point from now on."""
    g = guard[0]
    g.x[:], g.v[:], g.wish[:] = g.next_x, g.next_v, wish
    g.axis_margin[:], g.range_margin[:] = g.next_axis_margin, g.next_range_margin
    g.roll[:], g.ports[:] = g.next_roll, g.next_ports
    g.braking = 0


@kernel
def stand(hall: Hall, guard: Guarded, q: Array, margins: Array) -> None:
    """Make ``q`` the set-point, at rest: when the drives have come on, or at the end of braking."""
    g = guard[0]
    values = np.empty((2, 6))
    g.x[:], g.wish[:] = q, q
    g.v[:] = 0.0
    g.braking, g.point_speed = 0, 0.0
    port_components(hall, q, g.roll, values, g.ports)
    g.axis_margin[:], g.range_margin[:] = (
        -np.inf,
        -np.inf,
    )  # nothing before to compare with: no rule is broken by standing
    report, axis_margin, range_margin, still = np.empty(3), np.empty(N), np.empty((2, 6)), np.zeros(N)
    _axis_ranges(hall, guard, q, axis_margin, margins, report)
    _port_ranges(hall, guard, q, still, range_margin, margins, report)
    _singularities(hall, guard, q, margins, report)
    g.axis_margin[:], g.range_margin[:] = axis_margin, range_margin
    margins[SPEED_LEFT] = 1.0


@kernel
def begin_braking(hall: Hall, guard: Guarded) -> float:
    """Start to brake from the present set-point and rate, unless a brake runs already; returns the time that is left. Begun
    anew, the profile would start at full speed again and end further on than was foretold."""
    h, g = hall[0], guard[0]
    if g.braking == 0:
        g.brake_from[:], g.brake_v[:] = g.x, g.v
        g.brake_T, g.brake_t = braking_time(g.v, h.acceleration), 0.0
        g.braking = 1
    left: float = max(g.brake_T - g.brake_t, 0.0)
    return left


@kernel
def brake(hall: Hall, guard: Guarded, margins: Array) -> bool:
    """One cycle of braking; True once the set-point no longer changes."""
    g = guard[0]
    rested: bool = g.brake_t >= g.brake_T
    g.brake_t += DT
    x = g.brake_from + g.brake_v * braking_way(g.brake_t, g.brake_T)
    v = (x - g.x) / DT
    stand(hall, guard, x, margins)
    g.v[:] = v
    g.braking = 0 if rested else 1
    return rested


@kernel
def rest_place(hall: Hall, guard: Guarded, out: Array) -> None:
    """Where the set-point comes to rest if it brakes from now on, or goes on braking; into ``out`` (13)."""
    h, g = hall[0], guard[0]
    if g.braking == 1:
        out[:] = g.brake_from + g.brake_v * (0.5 * g.brake_T)
    else:
        out[:] = g.x + g.v * (0.5 * braking_time(g.v, h.acceleration))

"""Limits of all axes and, where the cell has them, of ports, judged every tick: the one kernel between a wish and the robots.

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

from proxops.lab.any_cell import AnyCell
from proxops.lab.cell_axes import trailing_s
from proxops.lab.coordinates import HallRecord
from proxops.maths.kernel import kernel
from proxops.maths.record import one_layout
from proxops.maths.rotation import Array, copy_to
from proxops.safety.braking import braking_time, braking_way
from proxops.safety.port_limits import judge_port_ranges, judge_ports, stand_ports
from proxops.safety.range_rule import JUMP_FACTOR, SPEED_ROUNDING, broken, within
from proxops.safety.rules import Rule

# By how much an axis may be off, over what it trails its set-point by at full speed: 2 deg.
ASTRAY_RAD, ASTRAY_M = 0.035, 0.03
SCATTER = 1e-3  # m or rad, of what axes report about where they stand: no reason to call one ahead of its set-point
FENCE_SPEED_M_S = 0.25  # of any point of the robots while the fence is open (ISO 10218-1: reduced speed)

# Rules as plain numbers, for the kernel.
NOT_FINITE, JUMP, AXIS_RANGE = int(Rule.NOT_FINITE), int(Rule.JUMP), int(Rule.AXIS_RANGE)
AXIS_SPEED, AXIS_ACCELERATION = int(Rule.AXIS_SPEED), int(Rule.AXIS_ACCELERATION)
FOLLOWING = int(Rule.FOLLOWING)
REDUCED_SPEED = int(Rule.REDUCED_SPEED)


@one_layout
def guard_dtype(axes: int) -> np.dtype[np.void]:
    """State of the set-point of robots with so many axes (m, rad)."""
    n = (axes,)
    return np.dtype(
        [
            ("wish", "f8", n), ("x", "f8", n), ("v", "f8", n),  # of the cycle before: wish, set-point and its rate
            ("range_margin", "f8", (2, 6)),  # of the cycle before, where a stop would have ended
            ("axis_margin", "f8", n),
            ("roll", "f8", (2,)),  # plate roll, counted through full turns
            ("ports", "f8", (2, 4, 4)),  # T_lab_port of x
            ("brake_from", "f8", n), ("brake_v", "f8", n), ("brake_T", "f8"), ("brake_t", "f8"),
            ("braking", "i8"),  # 1 from the begin of a brake until the set-point rests
            # What the wish of this cycle would make of the above: taken over by ``accept``.
            ("next_x", "f8", n), ("next_v", "f8", n), ("next_range_margin", "f8", (2, 6)),
            ("next_axis_margin", "f8", n), ("next_roll", "f8", (2,)), ("next_ports", "f8", (2, 4, 4)),
            ("way", "f8", n), ("rest", "f8", n),  # of a stop begun at next_x
            # At axes zone_q every clearance exceeds yellow's least layer by zone_slack (m) at least; m/rad (rail: m/m), s.
            ("zone_q", "f8", n), ("zone_slack", "f8"), ("levers", "f8", n), ("lag", "f8", n),
            ("point_limit", "f8"), ("point_speed", "f8"),  # m/s of the fastest point: allowed, and in the cycle before
            # What never changes: limits of the axes, how far a wish may run ahead, and the arm that an axis moves.
            ("lower", "f8", n), ("upper", "f8", n), ("speed", "f8", n), ("acceleration", "f8", n), ("jump", "f8", n),
            ("astray", "f8", n),  # by how much it may be off its set-point
            ("arm", "i8", n),
            ("dt", "f8"), ("coast", "f8"),  # s, of a cycle; for which arms go on by themselves when cycles are lost
        ]
    )  # fmt: skip


Guarded = NDArray[np.void]
LEG_PORTION = 100  # steps of a leg that are judged in one cycle: a tenth of a millisecond
LEG_STEP = (
    0.01  # m or rad of a leg between two looks at its ranges: an arc rises some hundredths of a mm over its chord
)
LOOK = -1  # answer of ``judge``: no limit is broken, but the zones have to be looked at before the wish may be accepted


def guard_record(cell: AnyCell) -> Guarded:
    """A guard that knows of no zones and no limit of its points' speed."""
    guard = np.zeros(1, guard_dtype(cell.n_axes))
    guard["zone_slack"] = guard["point_limit"] = np.inf
    g = guard[0]
    for name, values in cell.guarded._asdict().items():
        g[name] = values
    g["astray"] = (
        np.where(cell.slides, ASTRAY_M, ASTRAY_RAD) + trailing_s(cell.controllers, cell.period_ns) * g["speed"]
    )
    g["arm"], g["dt"], g["coast"] = cell.arm_of_axis, cell.period_ns * 1e-9, cell.coast_s
    return guard


AXIS_SHARE, SPEED_LEFT = 0, 5  # places in the pool's group "margin"


@kernel
def limited_step(
    wish: float, wish_before: float, x: float, v: float, speed: float, acceleration: float, dt: float
) -> tuple[float, float]:
    """Next set-point and rate of one axis, ``dt`` later: on the wish if the limits allow, else towards it without overshoot."""
    wish_v = (wish - wish_before) / dt
    error = wish_before - x
    step = acceleration * dt
    # Fastest approach (relative to the wish) from which whole steps of the allowed deceleration stop exactly on it:
    # covering v, v - step, v - 2 step, … takes n more cycles and adds up to the distance left.
    left = abs(error) / dt
    n = math.floor(0.5 * (math.sqrt(1.0 + 8.0 * left / step) - 1.0))
    closing = (left + 0.5 * step * n * (n + 1)) / (n + 1)
    target = wish_v + math.copysign(closing, error)
    new_v = min(max(target, v - step), v + step)
    new_v = min(max(new_v, -speed), speed)
    new_x = x + new_v * dt
    if abs(new_x - wish) <= 1e-12:
        new_x = wish
    return new_x, new_v


@kernel
def _follow(guard: Guarded, wish: Array, x: Array, v: Array, margins: Array, report: Array) -> int:
    """Next set-point ``x`` and rate ``v`` of every axis, unless the wish jumps, races or runs away."""
    g = guard[0]
    speed_left, dt = 1.0, g.dt
    for i in range(x.shape[0]):
        step = wish[i] - g.wish[i]
        if not math.isfinite(step):
            return broken(report, i + 1, wish[i], 0.0, NOT_FINITE)
        if abs(step) > JUMP_FACTOR * g.speed[i] * dt:
            return broken(report, i + 1, abs(step), JUMP_FACTOR * g.speed[i] * dt, JUMP)
        if abs(step) > g.speed[i] * dt * (1.0 + SPEED_ROUNDING):
            return broken(report, i + 1, abs(step) / dt, g.speed[i], AXIS_SPEED)
        x[i], v[i] = limited_step(wish[i], g.wish[i], g.x[i], g.v[i], g.speed[i], g.acceleration[i], dt)
        if abs(wish[i] - x[i]) > g.jump[i]:
            return broken(report, i + 1, abs(wish[i] - x[i]), g.jump[i], AXIS_ACCELERATION)
        speed_left = min(speed_left, 1.0 - abs(v[i]) / g.speed[i])
    margins[SPEED_LEFT] = speed_left
    return 0


@kernel
def _on_course(guard: Guarded, actual: Array, report: Array) -> int:
    """The robots are where their set-points have led them, as far as their servos allow; what is no number is not."""
    g = guard[0]
    for i in range(actual.shape[0]):
        off = abs(actual[i] - g.x[i])
        if not off <= g.astray[i]:
            return broken(report, i + 1, off, g.astray[i], FOLLOWING)
    return 0


@kernel
def _axis_ranges(guard: Guarded, rest: Array, axis_margin: Array, margins: Array, report: Array) -> int:
    """Axis ranges at ``rest``, where a stop begun now would end; on the way there each axis runs one way only."""
    g = guard[0]
    share = 1.0
    for i in range(rest.shape[0]):
        rule, axis_margin[i] = within(rest[i], g.lower[i], g.upper[i], g.axis_margin[i], i + 1, AXIS_RANGE, report)
        if rule:
            return rule
        if math.isfinite(axis_margin[i]):
            share = min(share, 2.0 * axis_margin[i] / (g.upper[i] - g.lower[i]))
    margins[AXIS_SHARE] = share
    return 0


@kernel
def _from_ahead(rest: Array, x: Array, way: Array, actual: Array) -> None:
    """An arm that is ahead of its set-point ``x`` by more than its axes scatter comes to ``rest`` by as much further on."""
    for i in range(rest.shape[0]):
        ahead = actual[i] - x[i]
        if ahead * way[i] > 0.0 and abs(ahead) > SCATTER:
            rest[i] += ahead


@kernel
def _point_motion(guard: Guarded, v: Array, report: Array) -> int:
    """Speed that no point of the robots exceeds at axis rates ``v``, against its limit; slowing down from more is allowed."""
    g = guard[0]
    fastest = point_speed(g.levers, g.arm, v)
    if fastest > g.point_limit * (1.0 + SPEED_ROUNDING) and fastest > g.point_speed * (1.0 + SPEED_ROUNDING):
        return broken(report, 0, fastest, g.point_limit, REDUCED_SPEED)
    g.point_speed = fastest
    return 0


@kernel
def point_speed(levers: Array, arm: NDArray[np.int64], v: Array) -> float:
    """An upper bound of the speed of any point of any robot, m/s, in any posture. ``arm``: which one an axis moves; -1: all."""
    fastest = 0.0
    for number in range(arm[-1] + 1):
        speed = 0.0
        for i in range(v.shape[0]):
            if arm[i] == number or arm[i] < 0:
                speed += levers[i] * abs(v[i])
        fastest = max(fastest, speed)
    return fastest


@kernel
def _clear_of_all(guard: Guarded, x: Array, v: Array, way: Array, actual: Array) -> bool:
    """Whether everything is green for certain: set-point, robots at ``actual`` and the whole way of a stop begun now. False
    also for what is not a number."""
    g = guard[0]
    used = 0.0
    for i in range(x.shape[0]):
        used += g.levers[i] * (abs(x[i] - g.zone_q[i]) + abs(way[i]) + abs(v[i]) * g.lag[i] + abs(actual[i] - x[i]))
    clear: bool = used < g.zone_slack
    return clear


@kernel
def judge(hall: HallRecord | None, guard: Guarded, wish: Array, actual: Array, margins: Array, report: Array) -> int:
    """One cycle: take ``wish`` as the next set-point, or return the rule that forbids it and leave the set-point alone.
    ``LOOK``: nothing but a collision can forbid it; the caller looks at ``next_x``, then calls ``accept`` or does not.

    ``actual``: where the robots are. ``report`` receives the number of the axis or component, the value and the bound;
    ``margins`` the pool's margins."""
    g = guard[0]
    x, v = g.next_x, g.next_v
    rule = _on_course(guard, actual, report)
    if rule:
        return rule
    rule = _follow(guard, wish, x, v, margins, report)
    if rule:
        return rule
    way, rest = g.way, g.rest
    half_s = 0.5 * braking_time(v, g.acceleration)
    for i in range(x.shape[0]):
        way[i] = v[i] * half_s
        rest[i] = x[i] + way[i]
    if hall is None:
        _from_ahead(rest, x, way, actual)
        for i in range(x.shape[0]):
            rest[i] += v[i] * g.coast
    rule = _axis_ranges(guard, rest, g.next_axis_margin, margins, report)
    if rule:
        return rule
    if hall is not None:
        rule = judge_ports(hall, guard, x, way, margins, report)
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
def judge_leg(
    hall: HallRecord | None, guard: Guarded, start: Array, goal: Array, first: int, margins: Array, report: Array
) -> tuple[int, int]:
    """A portion of a straight leg from ``start`` to ``goal``, gone so slowly that a stop stays on it, from step ``first`` (1) on:
    the rule of ranges that forbids it, or 0, and the step to go on with, 0 at its end. Of a guard's copy; zones are left out."""
    g = guard[0]
    x, ports = g.next_x, g.next_ports
    count = 1 + int(np.max(np.abs(goal - start)) / LEG_STEP)
    last = min(count, first + LEG_PORTION - 1)
    for k in range(first, last + 1):
        x[:] = start + (goal - start) * (k / count)
        rule = _axis_ranges(guard, x, g.next_axis_margin, margins, report)
        if rule == 0 and hall is not None:
            rule = judge_port_ranges(hall, guard, x, ports, margins, report)
        if rule:
            return rule, 0
        g.x[:], g.axis_margin[:] = x, g.next_axis_margin
    return 0, last + 1 if last < count else 0


@kernel
def judge_run(
    hall: HallRecord | None, guard: Guarded, wishes: Array, first: int, margins: Array, report: Array
) -> tuple[int, int]:
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
    for i in range(wish.shape[0]):
        g.x[i], g.v[i], g.wish[i], g.axis_margin[i] = g.next_x[i], g.next_v[i], wish[i], g.next_axis_margin[i]
    for robot in range(2):
        g.roll[robot] = g.next_roll[robot]
        copy_to(g.next_range_margin[robot], g.range_margin[robot])
        for i in range(4):
            copy_to(g.next_ports[robot, i], g.ports[robot, i])
    g.braking = 0


@kernel
def stand(hall: HallRecord | None, guard: Guarded, q: Array, margins: Array) -> None:
    """Make ``q`` the set-point, at rest: when the drives have come on, or at the end of braking."""
    g = guard[0]
    g.x[:], g.wish[:], g.next_x[:] = q, q, q
    g.v[:] = 0.0
    g.braking, g.point_speed = 0, 0.0
    g.axis_margin[:] = -np.inf  # nothing before to compare with: no rule is broken by standing
    report, axis_margin = np.empty(3), np.empty(q.shape[0])
    _axis_ranges(guard, q, axis_margin, margins, report)
    g.axis_margin[:] = axis_margin
    if hall is not None:
        stand_ports(hall, guard, q, margins, report)
    margins[SPEED_LEFT] = 1.0


@kernel
def begin_braking(guard: Guarded) -> float:
    """Start to brake from the present set-point and rate, unless a brake runs already; returns the time that is left. Begun
    anew, the profile would start at full speed again and end further on than was foretold."""
    g = guard[0]
    if g.braking == 0:
        g.brake_from[:], g.brake_v[:] = g.x, g.v
        g.brake_T, g.brake_t = braking_time(g.v, g.acceleration), 0.0
        g.braking = 1
    left: float = max(g.brake_T - g.brake_t, 0.0)
    return left


@kernel
def brake(hall: HallRecord | None, guard: Guarded, margins: Array) -> bool:
    """One cycle of braking; True once the set-point no longer changes."""
    g = guard[0]
    rested: bool = g.brake_t >= g.brake_T
    g.brake_t += g.dt
    x = g.brake_from + g.brake_v * braking_way(g.brake_t, g.brake_T)
    v = (x - g.x) / g.dt
    stand(hall, guard, x, margins)
    g.v[:] = v
    g.braking = 0 if rested else 1
    return rested


@kernel
def rest_place(guard: Guarded, out: Array) -> None:
    """Where the set-point comes to rest if it brakes from now on, or goes on braking; into ``out``."""
    g = guard[0]
    if g.braking == 1:
        out[:] = g.brake_from + g.brake_v * (0.5 * g.brake_T)
    else:
        out[:] = g.x + g.v * (0.5 * braking_time(g.v, g.acceleration))

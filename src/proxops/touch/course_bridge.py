"""Bridges over the kinks of a joint course: stretches that ask for more acceleration or jerk than the arm has.

An object that bounces turns round in a few cycles; no arm does. But the bounce is predicted: the arm may leave the course
before it and come back to it behind, by the same time. Who turns with acceleration A by the velocity V only from the kink on
is left behind by V²/(2 A); who begins half of the turn before it, by a quarter of that.

A bridge leads each joint from its motion at the one end to the course's at the other (position, rate, acceleration), all in
the same time: on a polynomial of the fifth degree where that stays within the limits, else on Ruckig's way, which is the
shortest. It is renewed in every cycle from where the arm is: its end may move with a course that is planned anew, and there
is no seam.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array
from proxops.touch.joint_way import JointWay

Sharp = NDArray[np.bool_]

NEEDED: Final = 4  # points of a course from which its motion is read
COURSE_SHARE: Final = 0.8  # of every limit that a course may use up; what is more is a kink, or is left behind
# Share of every limit that a new bridge may use up; the rest is for a course that changes on the way.
BRIDGE_SHARE: Final = 0.9
CALM: Final = 5  # cycles without a kink that a bridge ends in
EARLY: Final = 12  # cycles before its begin, at the latest, from which a bridge is computed in full
SAMPLES: Final = 12  # of a bridge's rate


@kernel
def course_motion(course: Array, k: int, i: int, dt: float) -> tuple[float, float, float]:
    """Rate, acceleration and jerk of joint ``i`` in cycle ``k``: those of the cubic through four points from there on."""
    c0, c1, c2, c3 = course[k, i], course[k + 1, i], course[k + 2, i], course[k + 3, i]
    v = (-11.0 * c0 + 18.0 * c1 - 9.0 * c2 + 2.0 * c3) / (6.0 * dt)
    a = (2.0 * c0 - 5.0 * c1 + 4.0 * c2 - c3) / (dt * dt)
    return v, a, (c3 - 3.0 * c2 + 3.0 * c1 - c0) / (dt * dt * dt)


@kernel
def too_sharp(a: float, j: float, most: float, jerk: float, dt: float) -> bool:
    return not (max(abs(a), abs(a + dt * j)) <= COURSE_SHARE * most and abs(j) <= COURSE_SHARE * jerk)


@kernel
def kinked(course: Array, k: int, limits: Array, dt: float) -> bool:
    """Does cycle ``k`` ask more of any joint than a course may?"""
    for i in range(course.shape[1]):
        _, a, j = course_motion(course, k, i, dt)
        if too_sharp(a, j, limits[1, i], limits[2, i], dt):
            return True
    return False


@kernel
def crossing(x0: float, v0: float, a0: float, x1: float, v1: float, a1: float, T: float) -> tuple[float, float, float]:
    """Coefficients of t^3, t^4 and t^5 on the way from one motion to another in the time T."""
    d, dv, da = x1 - x0 - T * (v0 + 0.5 * T * a0), T * (v1 - v0 - T * a0), 0.5 * T * T * (a1 - a0)
    T3 = T * T * T
    return (
        (10.0 * d - 4.0 * dv + da) / T3,
        (-15.0 * d + 7.0 * dv - 2.0 * da) / (T3 * T),
        (6.0 * d - 3.0 * dv + da) / (T3 * T * T),
    )


@kernel
def within_limits(
    v0: float, a0: float, c3: float, c4: float, c5: float, T: float, speed: float, most: float, jerk: float
) -> bool:  # fmt: skip
    """Of the polynomial from 0 to T; jerk and acceleration at all their extremes, the rate at samples."""
    top = -0.2 * c4 / c5 if c5 != 0.0 else 0.0  # of the jerk
    for t in (0.0, T, min(max(top, 0.0), T)):
        if not abs(6.0 * c3 + t * (24.0 * c4 + t * 60.0 * c5)) <= jerk:
            return False
    root = math.sqrt(max(c4 * c4 - 2.5 * c5 * c3, 0.0))  # of the jerk: 10 c5 t^2 + 4 c4 t + c3 = 0
    one, two = (
        (0.0, 0.0) if c5 == 0.0 else ((-2.0 * c4 - 2.0 * root) / (10.0 * c5), (-2.0 * c4 + 2.0 * root) / (10.0 * c5))
    )
    for t in (0.0, T, min(max(one, 0.0), T), min(max(two, 0.0), T)):
        if not abs(a0 + t * (6.0 * c3 + t * (12.0 * c4 + t * 20.0 * c5))) <= most:
            return False
    for k in range(SAMPLES + 1):
        t = k * T / SAMPLES
        if not abs(v0 + t * (a0 + t * (3.0 * c3 + t * (4.0 * c4 + t * 5.0 * c5)))) <= speed:
            return False
    return True


@kernel
def put_motion(course: Array, k: int, dt: float, motion: Array) -> None:
    """``motion`` (3, n) := position, rate and acceleration of the course in cycle ``k``."""
    for i in range(course.shape[1]):
        motion[0, i] = course[k, i]
        motion[1, i], motion[2, i], _ = course_motion(course, k, i, dt)


@kernel
def put_soft_crossings(
    start: Array, goal: Array, T: float, dt: float, limits: Array, share: float, after: Array, sharp: Sharp
) -> bool:  # fmt: skip
    """``after`` := ``dt`` on from ``start`` on the polynomials to ``goal``. ``sharp``: joints for which they would break
    ``share`` of a limit; is there one?"""
    found = False
    for i in range(start.shape[1]):
        x, v, a = start[0, i], start[1, i], start[2, i]
        c3, c4, c5 = crossing(x, v, a, goal[0, i], goal[1, i], goal[2, i], T)
        speed, most = max(share * limits[0, i], abs(v)), max(share * limits[1, i], abs(a))
        sharp[i] = not within_limits(v, a, c3, c4, c5, T, speed, most, share * limits[2, i])
        found = found or sharp[i]
        after[0, i] = x + dt * (v + dt * (0.5 * a + dt * (c3 + dt * (c4 + dt * c5))))
        after[1, i] = v + dt * (a + dt * (3.0 * c3 + dt * (4.0 * c4 + dt * 5.0 * c5)))
        after[2, i] = a + dt * (6.0 * c3 + dt * (12.0 * c4 + dt * 20.0 * c5))
    return found


@kernel
def long_enough(start: Array, goal: Array, T: float, limits: Array, share: float) -> bool:
    """Could the rates change that much in the time T? If not, no way is worth looking for."""
    enough = True
    for i in range(start.shape[1]):
        enough = enough and abs(goal[1, i] - start[1, i]) <= share * limits[1, i] * T
    return enough


@kernel
def kink(course: Array, limits: Array, dt: float) -> tuple[int, int]:
    """First cycle of the first kink, and the first one behind it; (-1, -1) if there is none."""
    last = course.shape[0] - NEEDED
    for first in range(last + 1):
        if kinked(course, first, limits, dt):
            behind = first + 1
            while behind <= last and kinked(course, behind, limits, dt):
                behind += 1
            return first, behind
    return -1, -1


@kernel
def calm(course: Array, k: int, limits: Array, dt: float) -> bool:
    """Is there no kink for a moment from cycle ``k`` on?"""
    quiet = k + CALM + NEEDED <= course.shape[0] + 1
    for i in range(k, k + CALM):
        quiet = quiet and not kinked(course, i, limits, dt)
    return bool(quiet)


@kernel
def next_span(
    course: Array, start: Array, first: int, behind: int, end: int, at_once: bool, limits: Array, dt: float, leave: Array,
    goal: Array,
) -> tuple[int, int]:  # fmt: skip
    """From ``end`` on, the first cycle in which a bridge could end, and that in which it leaves the course, as long before
    the kink as it ends behind it; 0: from ``start``. (-1, -1) if the course is too short. ``leave`` and ``goal``: the motions
    there."""
    while end + NEEDED + CALM <= course.shape[0] + 1:
        if calm(course, end, limits, dt):
            begin = 0 if at_once else max(first - (end - behind), 0)
            put_motion(course, end, dt, goal)
            if begin > 0:
                put_motion(course, begin, dt, leave)
            else:
                leave[:] = start
            if long_enough(leave, goal, (end - begin) * dt, limits, BRIDGE_SHARE):
                return begin, end
        end += 1
    return -1, -1


class CourseBridge:
    """``limits`` (3, n): speed, acceleration, jerk. ``end``: cycles to the end of the bridge that the arm is on; 0: none."""

    def __init__(self, limits: Array, cycle_s: float) -> None:
        n = limits.shape[1]
        self._limits, self._dt, self._way = limits, cycle_s, JointWay(n)
        self._leave, self._goal, self._sharp = np.zeros((3, n)), np.zeros((3, n)), np.zeros(n, np.bool_)
        self.end = 0

    def renew(self, course: Array, start: Array, after: Array) -> bool:
        """One cycle on along the bridge begun, if its end is still one: ``after`` := the motion from ``start`` on."""
        self.end = max(self.end - 1, 0)
        if self.end > 0 and calm(course, self.end, self._limits, self._dt):
            put_motion(course, self.end, self._dt, self._goal)
            for share in (BRIDGE_SHARE, 1.0):
                if self._cross(start, self.end * self._dt, share, after):
                    return True
        self.end = 0
        return False

    def due(self, course: Array, ahead: tuple[int, int], start: Array, at_once: bool, after: Array) -> int:
        """Cycles until a bridge over the kink ``ahead`` must be begun; -1: there is no bridge. If 0 it is begun and ``after`` is
        one cycle on. ``at_once``: it begins now, from wherever the arm is."""
        limits, dt = self._limits, self._dt
        first, behind = ahead
        end = behind
        while True:
            begin, end = next_span(course, start, first, behind, end, at_once, limits, dt, self._leave, self._goal)
            if begin < 0 or begin > EARLY:  # what is far away is looked at later
                return begin
            if self._cross(self._leave, (end - begin) * dt, BRIDGE_SHARE, after):
                self.end = end if begin == 0 else 0
                return begin
            end += 1

    def _cross(self, start: Array, T: float, share: float, after: Array) -> bool:
        """``after`` := one cycle on from ``start`` to the goal in the time T, if that can be done."""
        if not put_soft_crossings(start, self._goal, T, self._dt, self._limits, share, after, self._sharp):
            return True
        limits, sharp = share * self._limits, self._sharp
        np.maximum(limits[:2], np.abs(start[1:]), out=limits[:2])
        both = np.vstack([-limits[0], limits[0], -limits[1], limits[1], limits[2]])
        if not self._way.lead(start[:, sharp], both[:, sharp], self._goal[:, sharp], T):
            return False
        after[:, sharp] = self._way.at(self._dt)
        return True

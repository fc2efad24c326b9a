"""Executes joint plans in cycles within speed, acceleration and jerk; a new plan may come in every cycle.

On course the arm is where the physics is. A kink that is seen coming (a bounce) is crossed on a bridge: the arm leaves the
course before it and is back behind it (``course_bridge``).

No bridge helps against a surprise (a push): the course changes at once, and what the arm has too much of then is an offset,
in position, velocity and acceleration, so that the set-point itself has no seam. Ruckig brings the offset to zero as fast as
the limits allow that the course leaves free, all joints together. Zero does not move as a point of the course would: each
cycle goes on where the cycle before has left off, and nothing overshoots. If a kink comes before the arm has caught up, it
does so behind the kink, on a bridge.

Without a plan, shortly before the end of one that breaks off, or where a later stop would leave a joint's range: a
smooth stop.
"""

from __future__ import annotations

import math
from enum import IntEnum
from typing import Final

import numpy as np

from proxops.core.messages import PERIOD_S
from proxops.lab.redundant_arm import SOLVED, SrsArm
from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array
from proxops.touch.course_bridge import COURSE_SHARE, NEEDED, CourseBridge, course_motion, kink, too_sharp
from proxops.touch.joint_plan import JointPlan
from proxops.touch.joint_stop import can_stop, stop_time
from proxops.touch.joint_way import JointWay

RESERVE_S: Final = 0.02  # between the end of a stop and the end of a plan that breaks off
# Offset (rad, rad/s, rad/s2) that is dropped in one cycle: what replanning leaves, and less than a 50th of what a course
# must leave free of any limit.
NOTHING: Final = (1e-8, 1e-5, 1e-2)
ON_COURSE: Final = 1e-6  # rad, offset of a joint that counts as none in what is told


class FollowerState(IntEnum):
    RESTING = 0
    ON_COURSE = 1
    CATCHING_UP = 2
    STOPPING = 3
    BRIDGING = 4


class JointFollower:
    """Starts at rest at ``joints``. ``set_point`` (3, n): ``joints``, ``rates``, ``accelerations``; it is replaced, never
    changed."""

    def __init__(self, arm: SrsArm, joints: Array, cycle_s: float = PERIOD_S) -> None:
        n = len(arm.joints)
        self.arm, self.cycle_s = arm, cycle_s
        self.set_point = np.zeros((3, n))
        self.set_point[0] = joints
        self.state, self.reason = FollowerState.RESTING, ""
        self.offset = np.zeros((3, n))  # of the set-point from the course: position, rate, acceleration
        self._limits, self._motion = np.zeros((5, n)), np.zeros((4, n))
        most = np.array([arm.speed, arm.acceleration, arm.jerk])
        self._bounds = np.array([arm.lower, arm.upper]), most
        self._way, self._bridge = JointWay(n), CourseBridge(most, cycle_s)

    def go_on_from(self, other: JointFollower) -> None:
        """Go on as ``other``, of the same arm, would; it is left as it is."""
        self.set_point = other.set_point
        self.state, self.reason, self._bridge.end = other.state, other.reason, other._bridge.end

    @property
    def joints(self) -> Array:
        """rad."""
        joints: Array = self.set_point[0]
        return joints

    @property
    def rates(self) -> Array:
        """rad/s."""
        rates: Array = self.set_point[1]
        return rates

    @property
    def accelerations(self) -> Array:
        """rad/s2."""
        accelerations: Array = self.set_point[2]
        return accelerations

    def step(self, plan: JointPlan | None) -> tuple[Array, Array]:
        """The next set-point: joints and rates one cycle on."""
        self.reason = self._objection(plan)
        if plan is None or self.reason:
            self._stop()
        elif not self._follow(plan.joints[: plan.cycles]):
            self.reason = "a joint would leave its range or its speed before it can stand"
            self._stop()
        return self.joints, self.rates

    def _objection(self, plan: JointPlan | None) -> str:
        if plan is None:
            return "no plan"
        left_s = (plan.cycles - NEEDED) * self.cycle_s
        if left_s < 0.0 or (plan.code != SOLVED and (self._stands or left_s < self._stop_time() + RESERVE_S)):
            return plan.fault or "plan too short"
        return ""

    @property
    def _stands(self) -> bool:
        """A stop once begun before the end of a plan is not taken back until there is a whole plan again."""
        return self.state == FollowerState.STOPPING or (self.state == FollowerState.RESTING and bool(self.reason))

    def _stop_time(self) -> float:
        return stop_time(self.rates, self.accelerations, self.arm.acceleration, self.arm.jerk)

    def _follow(self, course: Array) -> bool:
        """One cycle along the course, beside it or towards it; False where a stop from there would break a limit."""
        dt, start, offset, motion, bounds = self.cycle_s, self.set_point, self.offset, self._motion, self._bounds
        after, bridge = np.empty(start.shape), self._bridge
        on_course, first, behind, away = look(
            course, start, *bounds, dt, motion, self._limits, offset, bridge.end > 1, after
        )
        if not math.isnan(away):
            bridge.end = 0
        elif bridge.renew(course, start, after) or self._bridged(course, (first, behind), on_course, after):
            away = distance(after, course, *bounds, offset)
        else:
            if not on_course and not self._way.lead(offset, self._limits):
                return False
            offset[:] = 0.0 if on_course else self._way.at(dt)
            away = go_on(course, *bounds, dt, motion, offset, after)
        if away < 0.0:
            return False
        self.set_point, self.state = after, self._told(away)
        return True

    def _bridged(self, course: Array, ahead: tuple[int, int], on_course: bool, after: Array) -> bool:
        """Is it time for a bridge over the kink ``ahead``? Then ``after`` is on it."""
        if ahead[0] < 0:
            return False
        due = self._bridge.due(course, ahead, self.set_point, False, after)
        if due < 0 or on_course:
            return due == 0
        if self._way.lead(self.offset, self._limits) and self._way.duration <= due * self.cycle_s:
            return False  # caught up before
        return self._bridge.due(course, ahead, self.set_point, True, after) == 0

    def _told(self, away: float) -> FollowerState:
        if away <= ON_COURSE:
            return FollowerState.ON_COURSE
        return FollowerState.BRIDGING if self._bridge.end > 0 else FollowerState.CATCHING_UP

    def _stop(self) -> None:
        """One cycle of the quickest stop."""
        self.state, self._bridge.end = FollowerState.STOPPING, 0
        if not self.rates.any() and not self.accelerations.any():
            self.state = FollowerState.RESTING
            return
        arm = self.arm
        limits = np.stack([-arm.speed, arm.speed, -arm.acceleration, arm.acceleration, arm.jerk])
        if not self._way.lead_to_rest(self.set_point, limits):
            raise RuntimeError("Ruckig found no stop")
        self.set_point = self._way.at(self.cycle_s)


@kernel
def look(
    course: Array, start: Array, ranges: Array, most: Array, dt: float, motion: Array, limits: Array, offset: Array,
    bridged: bool, after: Array,
) -> tuple[bool, int, int, float]:  # fmt: skip
    """The course's ``motion`` in this cycle, the ``offset`` of ``start`` from it and the ``limits`` that it leaves. Is the offset
    nothing? And the course's first kink, as ``course_bridge.kink`` tells it. Where it is nothing, there is no kink and the arm
    is not on a bridge, the course is gone on along, and its ``distance`` the last answer; else that is no number."""
    put_course_motion(course, most[0], most[1], most[2], dt, motion, limits)
    first, behind = kink(course, most, dt)
    on_course, away = put_offset(start, motion, offset), math.nan
    if on_course and first < 0 and not bridged:
        offset[:] = 0.0
        away = go_on(course, ranges, most, dt, motion, offset, after)
    return on_course, first, behind, away


@kernel
def go_on(course: Array, ranges: Array, most: Array, dt: float, motion: Array, offset: Array, after: Array) -> float:
    """``put_set_point``, and its ``distance``."""
    put_set_point(motion, offset, dt, after)
    return distance(after, course, ranges, most, offset)


@kernel
def distance(after: Array, course: Array, ranges: Array, most: Array, offset: Array) -> float:
    """``offset[0]`` := of a set-point from the course's next point; the largest, rad. -1 where a stop from there would break a
    limit."""
    if not can_stop(after[0], after[1], after[2], ranges[0], ranges[1], most[0], most[1], most[2]):
        return -1.0
    largest = 0.0
    for i in range(after.shape[1]):
        offset[0, i] = after[0, i] - course[1, i]
        largest = max(largest, abs(offset[0, i]))
    return largest


@kernel
def put_offset(start: Array, motion: Array, offset: Array) -> bool:
    """``offset`` := of a motion from the course's; is it nothing?"""
    small = True
    for k in range(3):
        for i in range(start.shape[1]):
            offset[k, i] = start[k, i] - motion[k, i]
            small = small and abs(offset[k, i]) <= NOTHING[k]
    return small


@kernel
def put_set_point(motion: Array, offset: Array, dt: float, after: Array) -> None:
    """``after`` := the course one cycle on, and the offset."""
    for i in range(offset.shape[1]):
        place, v, a, j = motion[0, i], motion[1, i], motion[2, i], motion[3, i]
        after[0, i] = offset[0, i] + place + dt * (v + dt * (a / 2.0 + dt * j / 6.0))
        after[1, i] = offset[1, i] + v + dt * (a + dt * j / 2.0)
        after[2, i] = offset[2, i] + a + dt * j


@kernel
def put_course_motion(
    course: Array, speed: Array, most: Array, jerk: Array, dt: float, motion: Array, limits: Array
) -> None:  # fmt: skip
    """``motion`` (4, n): position, rate, acceleration and jerk with which the course goes through this cycle, those of
    the cubic through its next four points. ``limits`` (5, n): lowest and highest rate and acceleration and the jerk
    that are left for an offset."""
    for i in range(course.shape[1]):
        v, a, j = course_motion(course, 0, i, dt)
        if too_sharp(a, j, most[i], jerk[i], dt):  # a kink is near: straight on, up to it
            v, a, j = (course[1, i] - course[0, i]) / dt, 0.0, 0.0
        fastest = max(abs(v), abs(v + dt * (a + 0.5 * dt * j)))
        if fastest > COURSE_SHARE * speed[i]:  # it is left behind
            v, a, j = min(max(v, -COURSE_SHARE * speed[i]), COURSE_SHARE * speed[i]), 0.0, 0.0
        motion[0, i], motion[1, i], motion[2, i], motion[3, i] = course[0, i], v, a, j
        after, worst = v + dt * (a + 0.5 * dt * j), max(abs(a), abs(a + dt * j))
        limits[0, i], limits[1, i] = -speed[i] - min(v, after), speed[i] - max(v, after)
        limits[2, i], limits[3, i], limits[4, i] = -most[i] + worst, most[i] - worst, jerk[i] - abs(j)

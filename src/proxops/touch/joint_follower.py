"""Executes joint plans in cycles within speed, acceleration and jerk; a new plan may come in every cycle.

The set-point is the planned course plus an offset. No arm follows an object that bounces or is pushed: its course
changes velocity at once, and what the arm has too much of then is the offset, in position, velocity and acceleration,
so that the set-point itself has no seam. Ruckig brings the offset to zero as fast as the limits allow that the course
leaves free, all joints together. Zero does not move as a point of the course would: each cycle goes on where the cycle
before has left off, and nothing overshoots. On course the offset is zero and the arm is where the physics is.

Without a plan, shortly before the end of one that breaks off, or where a later stop would leave a joint's range: a
smooth stop.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any, Final

import numpy as np

from proxops.core.messages import PERIOD_S
from proxops.lab.redundant_arm import SOLVED, SrsArm
from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array
from proxops.touch.joint_plan import JointPlan
from proxops.touch.joint_stop import can_stop, stop_time

RESERVE_S: Final = 0.02  # between the end of a stop and the end of a plan that breaks off
NEEDED: Final = 4  # points of a course from which its motion is read
COURSE_SHARE: Final = 0.8  # of every limit that a course may use up; what is faster is a kink, or is left behind
# Offset (rad, rad/s, rad/s2) that is dropped in one cycle: what replanning leaves, and less than a 50th of what a course
# must leave free of any limit.
NOTHING: Final = np.array([[1e-8], [1e-5], [1e-2]])
# rad, rad/s, rad/s2 of an offset that is arithmetic's, not the arm's: third differences of 4 ms make 1e-8 rad/s2 of
# 1e-16 rad. Ruckig
# finds no common time for ways of this size.
ROUNDING: Final = np.array([[1e-10], [1e-8], [1e-6]])
ON_COURSE: Final = 1e-6  # rad, offset of a joint that counts as none in what is told


class Following(IntEnum):
    RESTING = 0
    ON_COURSE = 1
    CATCHING_UP = 2
    STOPPING = 3


class JointFollower:
    """Starts at rest at ``joints``. ``joints``, ``rates``, ``accelerations`` are the set-point; they are replaced,
    never changed."""

    def __init__(self, arm: SrsArm, joints: Array, cycle_s: float = PERIOD_S) -> None:
        import ruckig

        n = len(arm.joints)
        self.arm, self.cycle_s = arm, cycle_s
        self.joints, self.rates, self.accelerations = np.array(joints, float), np.zeros(n), np.zeros(n)
        self.state, self.reason = Following.RESTING, ""
        self.offset = np.zeros((3, n))  # of the set-point from the course: position, rate, acceleration
        self._limits, self._motion = np.zeros((5, n)), np.zeros((4, n))
        self._ruckig: Any = ruckig
        self._generator: Any = ruckig.Ruckig(n)
        self._trajectory: Any = ruckig.Trajectory(n)
        self._wish: Any = ruckig.InputParameter(n)
        self._nothing = [0.0] * n

    def step(self, plan: JointPlan | None) -> tuple[Array, Array]:
        """The next set-point: joints and rates one cycle on."""
        self.reason = self._objection(plan)
        if plan is None or self.reason:
            self._stop()
        elif not self._follow(plan.joints):
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
        return self.state == Following.STOPPING or (self.state == Following.RESTING and bool(self.reason))

    def _stop_time(self) -> float:
        return stop_time(self.rates, self.accelerations, self.arm.acceleration, self.arm.jerk)

    def _follow(self, course: Array) -> bool:
        """One cycle along the course, offset on its way to zero; False where a stop from there would break a limit."""
        arm, dt = self.arm, self.cycle_s
        put_course_motion(course, arm.speed, arm.acceleration, arm.jerk, dt, self._motion, self._limits)
        place, v, a, j = self._motion
        self.offset = np.stack([self.joints - place, self.rates - v, self.accelerations - a])
        if (np.abs(self.offset) <= NOTHING).all():
            self.offset = np.zeros_like(self.offset)
        elif self._lead(self.offset, self._limits):
            self.offset = np.array(self._trajectory.at_time(dt))
        else:
            return False
        after = self.offset + np.stack(
            [place + dt * (v + dt * (a / 2.0 + dt * j / 6.0)), v + dt * (a + dt * j / 2.0), a + dt * j]
        )
        if not can_stop(after[0], after[1], after[2], arm.lower, arm.upper, arm.speed, arm.acceleration, arm.jerk):
            return False
        self.joints, self.rates, self.accelerations = after
        self.state = Following.CATCHING_UP if np.abs(self.offset[0]).max() > ON_COURSE else Following.ON_COURSE
        return True

    def _lead(self, start: Array, limits: Array, velocity_only: bool = False) -> bool:
        """Ruckig's way from ``start`` (position, rate, acceleration) to zero, or to rest."""
        wish, interface = self._wish, self._ruckig.ControlInterface
        wish.control_interface = interface.Velocity if velocity_only else interface.Position
        wish.current_position, wish.current_velocity, wish.current_acceleration = start.tolist()
        wish.target_position = wish.target_velocity = wish.target_acceleration = self._nothing
        wish.min_velocity, wish.max_velocity, wish.min_acceleration, wish.max_acceleration, wish.max_jerk = (
            limits.tolist()
        )
        together, alone = self._ruckig.Synchronization.Time, self._ruckig.Synchronization.No
        # A stop is each joint's quickest: that is the way which was found to stay within its range.
        for wish.synchronization in (alone,) if velocity_only else (together, alone):
            try:
                result = self._generator.calculate(wish, self._trajectory)
            except self._ruckig.RuckigError:  # what it thinks of its input
                return False
            if result in (self._ruckig.Result.Working, self._ruckig.Result.Finished):
                return True
        return False

    def _stop(self) -> None:
        """One cycle of the quickest stop."""
        self.state = Following.STOPPING
        if not self.rates.any() and not self.accelerations.any():
            self.state = Following.RESTING
            return
        arm = self.arm
        start = np.stack([self.joints, self.rates, self.accelerations])
        limits = np.stack([-arm.speed, arm.speed, -arm.acceleration, arm.acceleration, arm.jerk])
        if not self._lead(start, limits, velocity_only=True):
            raise RuntimeError("Ruckig found no stop")
        self.joints, self.rates, self.accelerations = np.array(self._trajectory.at_time(self.cycle_s))


@kernel
def put_course_motion(
    course: Array, speed: Array, most: Array, jerk: Array, dt: float, motion: Array, limits: Array
) -> None:  # fmt: skip
    """``motion`` (4, n): position, rate, acceleration and jerk with which the course goes through this cycle, those of
    the cubic through its next four points. ``limits`` (5, n): lowest and highest rate and acceleration and the jerk
    that are left for an offset."""
    for i in range(course.shape[1]):
        c0, c1, c2, c3 = course[0, i], course[1, i], course[2, i], course[3, i]
        v = (-11.0 * c0 + 18.0 * c1 - 9.0 * c2 + 2.0 * c3) / (6.0 * dt)
        a = (2.0 * c0 - 5.0 * c1 + 4.0 * c2 - c3) / (dt * dt)
        j = (c3 - 3.0 * c2 + 3.0 * c1 - c0) / (dt * dt * dt)
        worst = max(abs(a), abs(a + dt * j))
        if worst > COURSE_SHARE * most[i] or abs(j) > COURSE_SHARE * jerk[i]:  # a kink is near: straight on, up to it
            v, a, j, worst = (c1 - c0) / dt, 0.0, 0.0, 0.0
        fastest = max(abs(v), abs(v + dt * (a + 0.5 * dt * j)))
        if fastest > COURSE_SHARE * speed[i]:  # it is left behind
            v, a, j, worst = min(max(v, -COURSE_SHARE * speed[i]), COURSE_SHARE * speed[i]), 0.0, 0.0, 0.0
        motion[0, i], motion[1, i], motion[2, i], motion[3, i] = c0, v, a, j
        after = v + dt * (a + 0.5 * dt * j)
        limits[0, i], limits[1, i] = -speed[i] - min(v, after), speed[i] - max(v, after)
        limits[2, i], limits[3, i], limits[4, i] = -most[i] + worst, most[i] - worst, jerk[i] - abs(j)

"""Guidance: the plan's steps as a reference for the chaser's centre of mass and attitude, cycle by cycle.

A reference is carried by one of two frames: LVLH (holds, straight approaches, fly-arounds) or, once on the docking axis, the
target's own frame as the filter believes it. Its inertial velocity and acceleration follow from the frame's turning.

While it waits, the reference comes to rest in the frame that carries it, within the acceleration of its steps: the time of a
step runs at a pace between 1 and 0, a course on the sphere goes no further towards its goal.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np

from proxops.core.flight import Estimate, Floats, OnboardData
from proxops.core.mission import ApproachStep, FinalStep, FlyAroundStep, HoldStep, Step
from proxops.core.ramp import Ramp
from proxops.maths.kernel import kernel
from proxops.maths.quaternion import turned
from proxops.maths.rotation import put_matrix
from proxops.maths.stack import matrix, vector
from proxops.maths.triple import crossed, difference, mapped, quad, rotated, triple
from proxops.onboard.attitude_reference import Pointing, Slew, follow, look
from proxops.onboard.course import SphereCourse, along, line_ramp
from proxops.onboard.docking_axis import DockingAxis
from proxops.onboard.local_orbit import LocalOrbit, seen_inertially

ACCELERATION: Final = 0.002  # m/s^2 of references
THRUST_SHARE: Final = 0.1  # of one thruster's acceleration, if that is less: the rest is for the controller
ARRIVED: Final = math.radians(0.1)  # angle to go at which a fly-around has arrived
ALIGNING: Final = math.radians(5.0)  # angle to go from which the chaser takes on the target's attitude
AWAY: Final = math.radians(10.0)  # from which on it looks at the target again: an axis may have passed by
ALIGNED: Final = math.radians(0.5)
ALIGNED_RATE: Final = math.radians(0.05)
Turning = tuple[Floats, Floats]  # of the target: rad/s and rad/s^2, eci axes


class Reference(NamedTuple):
    """Where the chaser should be and what it takes to stay there; eci axes, from the target's centre of mass."""

    position: Floats  # (3) m, of the chaser's centre of mass
    velocity: Floats  # (3) m/s, inertial
    thrust: Floats  # (3) m/s^2 by the thrusters: the motion's acceleration less gravity's difference


class Guidance:
    """Walks through the plan. ``start`` once, then ``step`` each cycle; ``finished`` asks whether the step is over."""

    def __init__(self, plan: tuple[Step, ...], data: OnboardData) -> None:
        self.plan = plan
        self.number, self.present = 0, plan[0]  # the present step
        self.on_axis = False  # carried by the target's frame
        self.waiting = False  # comes to rest and stays there until it is not
        self._pace = 1.0  # of a step's time
        self._axis = DockingAxis(data)
        self._limit = min(ACCELERATION, THRUST_SHARE * data.thruster_force_n / data.mass_kg)
        self._dt = data.period_s
        self._t = 0.0  # since the step began
        self._place = np.zeros(3)  # m, where the step began, in the carrying frame
        self._rate = np.zeros(3)
        self._acceleration = np.zeros(3)
        self._ramp: Ramp | None = None
        self._sphere: SphereCourse | None = None
        self._aligning = False
        self._aligned = False
        self._gap = 0.0
        self._now = np.zeros(3)  # m, where the reference is, in the carrying frame
        self._heading = np.zeros(3)  # of a straight step, in the carrying frame
        self._distance = 0.0  # m, where the step began
        self._goal_place = np.zeros(3)  # of a fly-around to the docking axis, in the target's frame

    @property
    def direction(self) -> Floats:
        """From the target to where the present step began (unit), in the frame that carries it."""
        unit: Floats = self._place / math.sqrt(self._place @ self._place)
        return unit

    def start(self, orbit: LocalOrbit, estimate: Estimate, turning: Turning) -> None:
        """Begin the plan where the chaser is believed to be. ``turning``: the target's rate and its change, eci axes."""
        self._place = orbit.R_eci_lvlh.T @ estimate.position
        self._now = self._place.copy()
        self._pointing = Pointing(self._place / math.sqrt(self._place @ self._place))
        self._begin(orbit, estimate, turning)

    def advance(self, orbit: LocalOrbit, estimate: Estimate, turning: Turning) -> bool:
        """Go to the next step, from where the reference is; False if there is none."""
        if self.number + 1 >= len(self.plan):
            return False
        if self._sphere is not None and self._aligning:
            self.on_axis = True
            self._now = self._axis.place(self._gap)
        self.number += 1
        self._begin(orbit, estimate, turning)
        return True

    def _begin(self, orbit: LocalOrbit, estimate: Estimate, turning: Turning) -> None:
        step = self.present = self.plan[self.number]
        self._t, self._ramp, self._sphere = 0.0, None, None
        self._place = self._now.copy()
        self._rate, self._acceleration = np.zeros(3), np.zeros(3)
        distance = math.sqrt(self._place @ self._place)
        self._heading = np.array([-1.0, 0.0, 0.0])
        if isinstance(step, ApproachStep):
            self._heading = math.copysign(1.0 / distance, step.to_m - distance) * self._place
            self._ramp = line_ramp(abs(distance - step.to_m), step.speed_m_s, self._limit, to_contact=False)
        elif isinstance(step, FinalStep):
            self._gap = self._axis.gap(self._place)
            self._ramp = line_ramp(max(self._gap, 1e-3), step.speed_m_s, self._limit, to_contact=True)
        elif isinstance(step, FlyAroundStep):
            if self.on_axis:  # back to LVLH, from where the axis is now
                self._place = orbit.R_eci_lvlh.T @ turned(estimate.q_eci_target, self._place)
                self._pointing = Pointing(self._place / distance)
            self.on_axis = self._aligning = False
            self._gap = self._axis.gap_at(distance)
            self._distance = math.sqrt(self._place @ self._place)
            self._goal_place = self._axis.place(self._gap)
            rate = min(math.radians(step.rate_deg_s), math.sqrt(self._limit / distance))
            _, goal_velocity, _ = self._goal(step, orbit, estimate, turning)
            moving = math.sqrt(goal_velocity @ goal_velocity)
            self._sphere = SphereCourse(self._place / distance, rate, self._limit / distance, moving)

    def finished(self) -> bool:
        """Whether the present step has come to its end (the final step ends by contact, which the estimate tells)."""
        step = self.present
        if isinstance(step, HoldStep):
            return self._t >= step.duration_s
        if isinstance(step, ApproachStep):
            return self._ramp is not None and self._t >= self._ramp.duration_s
        if isinstance(step, FlyAroundStep) and self._sphere is not None:
            there = self._sphere.angle_to_go < ARRIVED
            return there and (step.to != "docking_axis" or (self._aligning and self._aligned))
        return False

    def step(self, orbit: LocalOrbit, estimate: Estimate, turning: Turning, slew: Slew) -> Reference:
        """The reference of this cycle; ``slew`` is moved on towards the attitude that belongs to it."""
        pace_dot = self._change_of_pace()
        self._t += (self._pace + 0.5 * self._dt * pace_dot) * self._dt
        self._pace += self._dt * pace_dot
        self._move(orbit, estimate, turning, pace_dot)
        parallel = self.on_axis or self._align()
        reference = Reference(np.empty(3), np.empty(3), np.empty(3))
        refer(
            self.on_axis, parallel, self._dt, self._now, self._rate, self._acceleration, orbit.R_eci_lvlh, orbit.w, orbit.w_dot,
            orbit.gradient, estimate.q_eci_target, *turning, self._pointing.z, *slew.parts, reference.position,
            reference.velocity, reference.thrust,
        )  # fmt: skip
        self._aligned = slew.angle_to_go < ALIGNED and slew.rate_to_go < ALIGNED_RATE
        return reference

    def watch(self, orbit: LocalOrbit, estimate: Estimate, slew: Slew) -> None:
        """No place to be: ``slew`` is moved on towards looking at the target from wherever the chaser is."""
        place = orbit.R_eci_lvlh.T @ estimate.position
        rate = orbit.R_eci_lvlh.T @ (estimate.velocity - np.cross(orbit.w, estimate.position))
        q_goal, w_goal = np.empty(4), np.empty(3)
        look(place, rate, orbit.R_eci_lvlh, orbit.w, self._dt, self._pointing.z, q_goal, w_goal)
        slew.follow(q_goal, w_goal, np.zeros(3), self._dt)

    def _change_of_pace(self) -> float:
        """1/s: towards rest or full pace, as quickly as the acceleration of references allows."""
        missing = (0.0 if self.waiting else 1.0) - self._pace
        if missing == 0.0:
            return 0.0
        speed = along(self._ramp, self._t)[1] if self._ramp is not None else 0.0
        most = min(self._limit / max(speed, 1e-9), 1.0 / self._dt)
        return min(max(missing / self._dt, -most), most)

    def _move(self, orbit: LocalOrbit, estimate: Estimate, turning: Turning, pace_dot: float) -> None:
        """Place, rate and acceleration in the carrying frame; a hold stays where it began."""
        step = self.present
        if self._ramp is not None:
            way, speed, change = along(self._ramp, self._t)
            pace = self._pace
            onwards(
                self._place, self._heading, way, pace * speed, pace * pace * change + pace_dot * speed, self._now, self._rate,
                self._acceleration,
            )  # fmt: skip
        elif self._sphere is not None and isinstance(step, FlyAroundStep):
            self._sphere.stands = self.waiting
            self._sphere.step(*self._goal(step, orbit, estimate, turning), self._dt)
            self._sphere.put(self._distance, self._now, self._rate, self._acceleration)

    def _align(self) -> bool:
        """Whether the chaser shall be parallel to the target, and not look at it. Two limits: no wavering at one."""
        step = self.present
        if self._sphere is not None and isinstance(step, FlyAroundStep) and step.to == "docking_axis":
            self._aligning = self._sphere.angle_to_go < (AWAY if self._aligning else ALIGNING)
        return self._aligning

    def _goal(
        self, step: FlyAroundStep, orbit: LocalOrbit, estimate: Estimate, turning: Turning
    ) -> tuple[Floats, Floats, Floats]:
        """Direction to fly to, with its derivatives, as seen in LVLH."""
        if isinstance(step.to, tuple):
            return np.array(step.to), np.zeros(3), np.zeros(3)
        out = np.empty((3, 3))
        axis_goal(orbit.R_eci_lvlh, orbit.w, orbit.w_dot, estimate.q_eci_target, *turning, self._goal_place, out)
        return out[0], out[1], out[2]


@kernel
def onwards(
    place: Floats,
    heading: Floats,
    way: float,
    speed: float,
    change: float,
    now: Floats,
    rate: Floats,
    acceleration: Floats,
) -> None:
    """On a line from ``place``: where, how fast, how much faster."""
    for i in range(3):
        now[i] = place[i] + way * heading[i]
        rate[i], acceleration[i] = speed * heading[i], change * heading[i]


@kernel
def axis_goal(
    R_eci_lvlh: Floats, w_lvlh: Floats, w_dot_lvlh: Floats, q_target: Floats, w: Floats, w_dot: Floats, place: Floats, out: Floats
) -> None:  # fmt: skip
    """``out``: direction of a ``place`` in the target's frame, its rate and acceleration, as seen in LVLH; rates in eci axes."""
    R, frame, target = R_eci_lvlh.T, triple(w_lvlh, 0), triple(w, 0)
    size = math.sqrt(place[0] * place[0] + place[1] * place[1] + place[2] * place[2])
    direction = mapped(R, rotated(quad(q_target, 0), (place[0] / size, place[1] / size, place[2] / size)))
    against = mapped(R, difference(target, frame))
    change = difference(difference(triple(w_dot, 0), triple(w_dot_lvlh, 0)), crossed(frame, target))
    velocity = crossed(against, direction)
    by_change, by_turning = crossed(mapped(R, change), direction), crossed(against, velocity)
    for i in range(3):
        out[0, i], out[1, i], out[2, i] = direction[i], velocity[i], by_change[i] + by_turning[i]


@kernel
def refer(
    on_axis: bool, parallel: bool, dt: float, now: Floats, rate: Floats, acceleration: Floats, R_eci_lvlh: Floats,
    w_lvlh: Floats, w_dot_lvlh: Floats, gradient: Floats, q_target: Floats, w_target: Floats, w_dot_target: Floats, z: Floats,
    q: Floats, w: Floats, w_dot: Floats, limits: Floats, to_go: Floats, position: Floats, velocity: Floats, thrust: Floats,
) -> None:  # fmt: skip
    """The reference of a place that moves in the frame that carries it, the target's (``on_axis``) or LVLH; and the slew, whose
    parts are ``q`` to ``to_go``, one cycle on towards the target's attitude (``parallel``) or to look at it. ``z``: what
    ``look`` keeps. Rates of the frames in eci axes."""
    seen = matrix(3, 3)
    if on_axis:
        R_eci_target = matrix(3, 3)
        put_matrix(q_target, R_eci_target)
        seen_inertially(R_eci_target, w_target, w_dot_target, now, rate, acceleration, seen)
    else:
        seen_inertially(R_eci_lvlh, w_lvlh, w_dot_lvlh, now, rate, acceleration, seen)
    if parallel:
        follow(q, w, w_dot, q_target, w_target, w_dot_target, limits, dt, to_go)
    else:
        q_goal, w_goal, steady = vector(4), vector(3), vector(3)
        steady[0] = steady[1] = steady[2] = 0.0
        look(now, rate, R_eci_lvlh, w_lvlh, dt, z, q_goal, w_goal)
        follow(q, w, w_dot, q_goal, w_goal, steady, limits, dt, to_go)
    by_gravity = mapped(gradient, (seen[0, 0], seen[0, 1], seen[0, 2]))  # its difference, which costs nothing
    for i in range(3):
        position[i], velocity[i], thrust[i] = seen[0, i], seen[1, i], seen[2, i] - by_gravity[i]

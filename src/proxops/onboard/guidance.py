"""Guidance: the plan's steps as a reference for the chaser's centre of mass and attitude, cycle by cycle.

A reference is carried by one of two frames: LVLH (holds, straight approaches, fly-arounds) or, once on the docking axis, the
target's own frame as the filter believes it. Its inertial velocity and acceleration follow from the frame's turning.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from proxops.core.flight import Estimate, Floats, OnboardData
from proxops.core.mission import ApproachStep, FinalStep, FlyAroundStep, HoldStep, Step
from proxops.core.ramp import Ramp
from proxops.maths.quaternion import cross, turned
from proxops.maths.rotation import matrix_from_quat
from proxops.onboard.attitude_reference import Pointing, Slew, attitude_of
from proxops.onboard.course import SphereCourse, along, line_ramp
from proxops.onboard.docking_axis import DockingAxis
from proxops.onboard.local_orbit import LocalOrbit, seen_inertially

ACCELERATION: Final = 0.002  # m/s^2 of references
THRUST_SHARE: Final = 0.1  # of one thruster's acceleration, if that is less: the rest is for the controller
ARRIVED: Final = math.radians(0.1)  # angle to go at which a fly-around has arrived
ALIGNING: Final = math.radians(5.0)  # angle to go from which the chaser takes on the target's attitude
ALIGNED: Final = math.radians(0.5)
ALIGNED_RATE: Final = math.radians(0.05)


@dataclass(frozen=True)
class Reference:
    """Where the chaser should be and what it takes to stay there; eci axes, from the target's centre of mass."""

    position: Floats  # (3) m, of the chaser's centre of mass
    velocity: Floats  # (3) m/s, inertial
    thrust: Floats  # (3) m/s^2 by the thrusters: the motion's acceleration less gravity's difference
    q_eci_chaser: Floats
    w: Floats  # (3) rad/s
    w_dot: Floats  # (3) rad/s^2


class Guidance:
    """Walks through the plan. ``start`` once, then ``step`` each cycle; ``finished`` asks whether the step is over."""

    def __init__(self, plan: tuple[Step, ...], data: OnboardData) -> None:
        self.plan = plan
        self.number = 0  # index of the present step
        self.on_axis = False  # carried by the target's frame
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
        self._out = np.empty((3, 3))

    @property
    def present(self) -> Step:
        return self.plan[self.number]

    @property
    def direction(self) -> Floats:
        """From the target to where the present step began (unit), in the frame that carries it."""
        unit: Floats = self._place / math.sqrt(self._place @ self._place)
        return unit

    def start(self, orbit: LocalOrbit, estimate: Estimate) -> None:
        """Begin the plan where the chaser is believed to be."""
        self._place = orbit.R_eci_lvlh.T @ estimate.position
        self._now = self._place.copy()
        self._pointing = Pointing(self._place / math.sqrt(self._place @ self._place))
        self._begin(orbit, estimate)

    def advance(self, orbit: LocalOrbit, estimate: Estimate) -> bool:
        """Go to the next step, from where the reference is; False if there is none."""
        if self.number + 1 >= len(self.plan):
            return False
        if self._sphere is not None and self._aligning:
            self.on_axis = True
            self._now = self._axis.place(self._gap)
        self.number += 1
        self._begin(orbit, estimate)
        return True

    def _begin(self, orbit: LocalOrbit, estimate: Estimate) -> None:
        step = self.present
        self._t, self._ramp, self._sphere = 0.0, None, None
        self._place = self._now.copy()
        distance = math.sqrt(self._place @ self._place)
        if isinstance(step, ApproachStep):
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
            rate = min(math.radians(step.rate_deg_s), math.sqrt(self._limit / distance))
            _, goal_velocity, _ = self._goal(step, orbit, estimate)
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

    def step(self, orbit: LocalOrbit, estimate: Estimate, slew: Slew) -> Reference:
        """The reference of this cycle; ``slew`` is moved on towards the attitude that belongs to it."""
        self._t += self._dt
        self._move(orbit, estimate)
        out = self._out
        if self.on_axis:
            R_eci_target = matrix_from_quat(estimate.q_eci_target)
            w, w_dot = self._axis.turning(estimate)
            seen_inertially(R_eci_target, w, w_dot, self._now, self._rate, self._acceleration, out)
        else:
            seen_inertially(orbit.R_eci_lvlh, orbit.w, orbit.w_dot, self._now, self._rate, self._acceleration, out)
        self._turn(orbit, estimate, slew)
        position, velocity, acceleration = out.copy()
        thrust = acceleration - orbit.gradient @ position
        return Reference(position, velocity, thrust, slew.q.copy(), slew.w.copy(), slew.acceleration.copy())

    def _move(self, orbit: LocalOrbit, estimate: Estimate) -> None:
        """Place, rate and acceleration in the carrying frame."""
        step = self.present
        self._rate, self._acceleration = np.zeros(3), np.zeros(3)
        if self._ramp is not None:
            way, speed, change = along(self._ramp, self._t)
            inwards = np.array([-1.0, 0.0, 0.0])
            if isinstance(step, ApproachStep):
                distance = math.sqrt(self._place @ self._place)
                inwards = math.copysign(1.0 / distance, step.to_m - distance) * self._place
            self._now = self._place + way * inwards
            self._rate, self._acceleration = speed * inwards, change * inwards
        elif self._sphere is not None and isinstance(step, FlyAroundStep):
            distance = math.sqrt(self._place @ self._place)
            self._sphere.step(*self._goal(step, orbit, estimate), self._dt)
            self._now = distance * self._sphere.direction
            self._rate, self._acceleration = distance * self._sphere.velocity, distance * self._sphere.acceleration

    def _goal(self, step: FlyAroundStep, orbit: LocalOrbit, estimate: Estimate) -> tuple[Floats, Floats, Floats]:
        """Direction to fly to, with its derivatives, as seen in LVLH."""
        if isinstance(step.to, tuple):
            return np.array(step.to), np.zeros(3), np.zeros(3)
        place = self._axis.place(self._gap)
        R_lvlh_eci = orbit.R_eci_lvlh.T
        direction = R_lvlh_eci @ turned(estimate.q_eci_target, place / math.sqrt(place @ place))
        w, w_dot = self._axis.turning(estimate)
        w_rel = R_lvlh_eci @ (w - orbit.w)
        w_rel_dot = R_lvlh_eci @ (w_dot - orbit.w_dot - cross(orbit.w, w))
        velocity = cross(w_rel, direction)
        return direction, velocity, cross(w_rel_dot, direction) + cross(w_rel, velocity)

    def _turn(self, orbit: LocalOrbit, estimate: Estimate, slew: Slew) -> None:
        """Towards the attitude of this cycle: looking at the target, or parallel to it."""
        step = self.present
        near = self._sphere is not None and self._sphere.angle_to_go < ALIGNING
        if near and isinstance(step, FlyAroundStep) and step.to == "docking_axis":
            self._aligning = True  # once and for all: no wavering at the limit
        if self.on_axis or self._aligning:
            w, w_dot = self._axis.turning(estimate)
            slew.follow(estimate.q_eci_target, w, w_dot, self._dt)
        else:
            distance = math.sqrt(self._now @ self._now)
            direction = self._now / distance
            across = self._rate - (self._rate @ direction) * direction
            R_lvlh_chaser, w = self._pointing.step(direction, across / distance, self._dt)
            q = attitude_of(orbit.R_eci_lvlh, R_lvlh_chaser)
            slew.follow(q, orbit.w + orbit.R_eci_lvlh @ w, np.zeros(3), self._dt)
        self._aligned = slew.angle_to_go < ALIGNED and slew.rate_to_go < ALIGNED_RATE

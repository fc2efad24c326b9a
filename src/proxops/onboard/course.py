"""Where a reference is on its way: along a straight line by a smooth ramp, or over a sphere after a goal that may move."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from proxops.core.flight import Floats
from proxops.core.ramp import STEEPEST, Ramp, ramp_over
from proxops.maths.kernel import kernel

ENTRY: Final = 0.9  # share of a short way that may be spent on starting
CAPTURE_PER_S: Final = 0.2  # how quickly the last of an angle is closed
STEADY_COS: Final = -0.985  # beyond some 170 degrees every way is the short one: keep the way once chosen


def line_ramp(way: float, speed: float, acceleration: float, to_contact: bool) -> Ramp:
    """From rest over ``way`` (>= 0), at rest again there unless it ends in contact, which is met at speed."""
    if to_contact:
        speed = min(speed, math.sqrt(2.0 * ENTRY * way * acceleration / STEEPEST))
    return ramp_over(way, speed, acceleration, moving_end=to_contact)


def along(ramp: Ramp, t: float) -> tuple[float, float, float]:
    """Way, speed and acceleration ``t`` after the start; a ramp that ends moving goes on at its speed."""
    if t <= 0.0:
        return 0.0, 0.0, 0.0
    if t < ramp.rise_s:
        x = t / ramp.rise_s
        slope = 6.0 * x * (1.0 - x) * ramp.rate / ramp.rise_s
        return ramp.rate * ramp.rise_s * x**3 * (1.0 - 0.5 * x), ramp.rate * x * x * (3.0 - 2.0 * x), slope
    if t < ramp.rise_s + ramp.cruise_s or (ramp.fall_s == 0.0 and ramp.rate > 0.0):
        return ramp.rate * (t - 0.5 * ramp.rise_s), ramp.rate, 0.0
    if t < ramp.duration_s:
        x = (ramp.duration_s - t) / ramp.fall_s
        slope = -6.0 * x * (1.0 - x) * ramp.rate / ramp.fall_s
        return ramp.way - ramp.rate * ramp.fall_s * x**3 * (1.0 - 0.5 * x), ramp.rate * x * x * (3.0 - 2.0 * x), slope
    return ramp.way, 0.0, 0.0


class SphereCourse:
    """A direction that flies along the great circle to a goal direction and then stays with it.

    All in one frame (LVLH). The course begins at rest there; by and by it takes on the goal's own motion, carried over
    from the goal along the great circle, so that it arrives with the goal's velocity and not only at its place.
    """

    def __init__(self, direction: Floats, rate: float, angular_acceleration: float, goal_rate: float) -> None:
        self.direction = direction.copy()
        self.velocity = np.zeros(3)  # of the direction, 1/s
        self.acceleration = np.zeros(3)  # 1/s^2
        self.angle_to_go = math.pi
        self.stands = False  # goes no further towards the goal
        self._limits, self._rate = np.array([rate, angular_acceleration]), rate
        # Taking on the goal's motion costs acceleration, too: half of what is allowed, at the blend's steepest.
        self._blend_s = max(5.0, 2.0 * STEEPEST * goal_rate / angular_acceleration)
        self._state = np.zeros(5)  # angular speed, seconds so far, the last tangent

    def step(self, goal: Floats, goal_velocity: Floats, goal_acceleration: Floats, dt: float) -> None:
        """One cycle; the goal as a unit vector with its derivatives."""
        self._limits[0] = 0.0 if self.stands else self._rate
        self.angle_to_go = pursue(
            self.direction, self.velocity, self.acceleration, self._state, goal, goal_velocity, goal_acceleration,
            self._limits, self._blend_s, dt,
        )  # fmt: skip

    def put(self, distance: float, place: Floats, rate: Floats, acceleration: Floats) -> None:
        """Where a craft is at this distance, and its derivatives."""
        outwards(distance, self.direction, self.velocity, self.acceleration, place, rate, acceleration)

    @property
    def speed(self) -> float:
        """Angular speed towards the goal, rad/s."""
        return float(self._state[0])


@kernel
def outwards(
    distance: float, u: Floats, u_dot: Floats, u_ddot: Floats, place: Floats, rate: Floats, acceleration: Floats
) -> None:
    """``place`` := distance u, likewise its derivatives."""
    for i in range(3):
        place[i], rate[i], acceleration[i] = distance * u[i], distance * u_dot[i], distance * u_ddot[i]


@kernel
def _dot(a: Floats, b: Floats) -> float:
    product: float = a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    return product


@kernel
def _tangent(u: Floats, goal: Floats, cosine: float, last: Floats) -> None:
    """``last`` := unit vector at u towards the goal; near the antipode the last one is kept."""
    t = goal - cosine * u
    if cosine < STEADY_COS:
        kept = last - _dot(last, u) * u
        if _dot(kept, kept) > 0.25:
            t = kept
    size = math.sqrt(_dot(t, t))
    if size < 1e-9 and cosine < 0.0:  # exactly opposite: round by the axis that is farthest from u
        k = np.argmin(np.abs(u))
        t = -u[k] * u
        t[k] += 1.0
        size = math.sqrt(_dot(t, t))
    for i in range(3):
        last[i] = t[i] / size if size >= 1e-9 else 0.0


@kernel
def _carried_over(y: Floats, u: Floats, goal: Floats, cosine: float) -> Floats:
    """A tangent vector at the goal, carried along the great circle to u; let go near the antipode, where it is undefined."""
    y = y - _dot(y, goal) * goal
    k = max(1.0 + cosine, 1e-3)
    weight = min(1.0, k / 0.1)
    moved: Floats = weight * (y - (_dot(y, u) / k) * (u + goal))
    return moved


@kernel
def pursue(
    u: Floats, u_dot: Floats, u_ddot: Floats, state: Floats, goal: Floats, goal_dot: Floats, goal_ddot: Floats,
    limits: Floats, blend_s: float, dt: float,
) -> float:  # fmt: skip
    """Advance the direction ``u`` by dt and give its derivatives; returns the angle to go."""
    cosine = _dot(u, goal)
    _tangent(u, goal, cosine, state[2:5])
    t = state[2:5]
    off = goal - cosine * u
    angle = math.atan2(math.sqrt(_dot(off, off)), cosine)
    wanted = min(limits[0], math.sqrt(limits[1] * angle), CAPTURE_PER_S * angle)
    change = min(max(wanted - state[0], -limits[1] * dt), limits[1] * dt)
    state[0] += change
    state[1] += dt
    x = min(state[1] / blend_s, 1.0)
    blend, blend_dot = x * x * (3.0 - 2.0 * x), 6.0 * x * (1.0 - x) / blend_s
    carried = _carried_over(goal_dot, u, goal, cosine)
    pulled = _carried_over(goal_ddot, u, goal, cosine)
    for i in range(3):
        u_dot[i] = blend * carried[i] + state[0] * t[i]
        u_ddot[i] = blend_dot * carried[i] + blend * pulled[i] + change / dt * t[i]
    turning = _dot(u_dot, u_dot)
    for i in range(3):
        u_ddot[i] -= turning * u[i]
    moved = u + dt * u_dot + 0.5 * dt * dt * u_ddot
    size = math.sqrt(_dot(moved, moved))
    for i in range(3):
        u[i] = moved[i] / size
    return angle

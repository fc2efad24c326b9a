"""Attitude references: looking at the target from an LVLH direction, and a slew that follows whatever is asked, gently."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from proxops.core.flight import Floats, OnboardData
from proxops.maths.kernel import kernel
from proxops.maths.quaternion import cross, length, quat_inverse, quat_product, turn, turned
from proxops.maths.rotation import put_quat
from proxops.maths.small_matrix import product
from proxops.maths.triple import Triple, crossed, mapped, triple

SLEW_RATE: Final = math.radians(1.0)  # beyond the rate of what is followed
SLEW_ACCELERATION: Final = math.radians(0.1)
TORQUE_SHARE: Final = 0.3  # of the wheels' torque that a slew may ask for
STIFFNESS: Final = 0.09  # 1/s^2: what noise of the goal is worth following, (0.3 rad/s)^2
DAMPING: Final = 0.6  # 1/s
LONG_WAY: Final = 3.0  # rad: from here on the sense of turning already taken counts, not the shorter way
UPSET: Final = math.radians(150.0)  # tilt from which roll means nothing
STEEP: Final = 0.25  # sine of the angle to the vertical below which "z to nadir" says too little
ROLL_RATE: Final = math.radians(0.5)


class Pointing:
    """Chaser's -x to the target, +z to nadir as far as possible; near the R-bar the roll stays as it was, at first with +z
    along the flight. In LVLH, for a direction (target to chaser) that moves there."""

    def __init__(self, direction: Floats) -> None:
        level = math.hypot(direction[0], direction[1])
        hint = (0.0, 0.0, 1.0) if level > STEEP else (1.0, 0.0, 0.0)
        self.z = np.array(_perpendicular(hint, tuple(direction.tolist())))

    def step(self, direction: Floats, velocity: Floats, dt: float) -> tuple[Floats, Floats]:
        """R_lvlh_chaser and the rate against LVLH, in LVLH."""
        R_lvlh_chaser, rate = np.empty((3, 3)), np.empty(3)
        point(direction, velocity, dt, self.z, R_lvlh_chaser, rate)
        return R_lvlh_chaser, rate


@kernel
def _perpendicular(hint: Triple, direction: Triple) -> Triple:
    along = hint[0] * direction[0] + hint[1] * direction[1] + hint[2] * direction[2]
    x, y, z = hint[0] - along * direction[0], hint[1] - along * direction[1], hint[2] - along * direction[2]
    size = math.sqrt(x * x + y * y + z * z)
    return x / size, y / size, z / size


@kernel
def point(direction: Floats, velocity: Floats, dt: float, kept: Floats, R: Floats, rate: Floats) -> None:
    """``R`` := R_lvlh_chaser and ``rate`` (LVLH); ``kept``: z of the cycle before, and of this one rolled on."""
    x = triple(direction, 0)
    z = _perpendicular(triple(kept, 0), x)
    roll_rate = 0.0
    if math.hypot(x[0], x[1]) > STEEP:
        nadir = _perpendicular((0.0, 0.0, 1.0), x)
        across = crossed(z, nadir)
        sine = across[0] * x[0] + across[1] * x[1] + across[2] * x[2]
        angle = math.atan2(sine, z[0] * nadir[0] + z[1] * nadir[1] + z[2] * nadir[2])
        roll_rate = min(max(0.1 * angle, -ROLL_RATE), ROLL_RATE)
    y, swept = crossed(z, x), crossed(x, triple(velocity, 0))
    for i in range(3):
        kept[i] = z[i] - roll_rate * dt * y[i]
        R[i, 0], R[i, 1], R[i, 2] = x[i], y[i], z[i]
        rate[i] = swept[i] + roll_rate * x[i]


@kernel
def look(
    place: Floats, rate: Floats, R_eci_lvlh: Floats, w_lvlh: Floats, dt: float, kept: Floats, q: Floats, w: Floats
) -> None:
    """``q`` := q_eci_chaser and ``w`` := its rate in eci axes: ``point`` from ``place``, which moves at ``rate``."""
    direction, across, R, turning = np.empty(3), np.empty(3), np.empty((3, 3)), np.empty(3)
    distance = math.sqrt(place[0] * place[0] + place[1] * place[1] + place[2] * place[2])
    for i in range(3):
        direction[i] = place[i] / distance
    outwards = rate[0] * direction[0] + rate[1] * direction[1] + rate[2] * direction[2]
    for i in range(3):
        across[i] = (rate[i] - outwards * direction[i]) / distance
    point(direction, across, dt, kept, R, turning)
    put_quat(product(R_eci_lvlh, R), q)
    x, y, z = mapped(R_eci_lvlh, triple(turning, 0))
    w[0], w[1], w[2] = w_lvlh[0] + x, w_lvlh[1] + y, w_lvlh[2] + z


class Slew:
    """A reference attitude that never jumps: it follows its goal with bounded rate and acceleration relative to it, and like
    a damped spring when close, which keeps the estimate's noise away from the wheels.

    Where x points and the roll about it are followed apart: catching up with a client that spins must not cost the sight of
    it.
    """

    def __init__(self, q_eci_chaser: Floats, w_chaser: Floats, data: OnboardData) -> None:
        self.q = q_eci_chaser.copy()
        self.w: Floats = turned(q_eci_chaser, w_chaser)  # rad/s in eci axes
        self.acceleration = np.zeros(3)  # rad/s^2 in eci axes
        share = data.wheel_axes @ np.linalg.inv(data.wheel_axes.T @ data.wheel_axes)
        # The wheels' torque about each body axis, and with it the acceleration of tilt (the weaker of y and z) and roll.
        most = TORQUE_SHARE * data.wheel_torque_n_m / np.max(np.abs(share), axis=0) / np.diag(data.inertia)
        self._limits = np.minimum([min(most[1], most[2]), most[0]], SLEW_ACCELERATION)
        self._to_go = np.zeros(2)

    @property
    def parts(self) -> tuple[Floats, Floats, Floats, Floats, Floats]:
        """For kernels."""
        return self.q, self.w, self.acceleration, self._limits, self._to_go

    @property
    def angle_to_go(self) -> float:
        """rad."""
        return float(self._to_go[0])

    @property
    def rate_to_go(self) -> float:
        """rad/s, against what is followed."""
        return float(self._to_go[1])

    def follow(self, q_eci_goal: Floats, w: Floats, w_dot: Floats, dt: float) -> None:
        """One cycle towards an attitude that itself turns; w and w_dot in eci axes."""
        follow(self.q, self.w, self.acceleration, q_eci_goal, w, w_dot, self._limits, dt, self._to_go)

    def steady(self, w: Floats, dt: float) -> None:
        """One cycle of turning at a rate from wherever it is."""
        ahead = self.q.copy()
        turn(ahead, dt * self.w)
        self.follow(ahead, w, np.zeros(3), dt)


@kernel
def _speed(angle: float, limit: float) -> float:
    """Rate at which an angle is closed: one that can still be braked."""
    return min(STIFFNESS / DAMPING * angle, SLEW_RATE, math.sqrt(limit * angle))


@kernel
def _tilt(x: Floats, x_goal: Floats, way: Floats) -> float:
    """``way`` := unit axis of the smallest turn of x onto x_goal; returns its angle."""
    across = cross(x, x_goal)
    sine = length(across)
    cosine = x[0] * x_goal[0] + x[1] * x_goal[1] + x[2] * x_goal[2]
    if sine < 1e-9:  # parallel, or opposite: then any axis across serves
        across = cross(x, np.array([0.0, 0.0, 1.0]) if abs(x[2]) < 0.9 else np.array([1.0, 0.0, 0.0]))
    size = length(across)
    for i in range(3):
        way[i] = across[i] / size
    return math.atan2(sine, cosine)


@kernel
def _roll(q: Floats, q_goal: Floats, tilt: float, rate: float) -> float:
    """Angle about x that is left after the tilt, signed; ``rate`` is that of the goal less that of q."""
    if tilt > UPSET:
        return 0.0  # undefined near the opposite direction
    relative = quat_product(quat_inverse(q), q_goal)
    angle = 2.0 * math.atan2(relative[1], relative[0])
    angle -= 2.0 * math.pi * math.floor(angle / (2.0 * math.pi) + 0.5)
    if abs(angle) > LONG_WAY and angle * rate > 0.0:
        angle -= math.copysign(2.0 * math.pi, angle)
    return angle


@kernel
def follow(
    q: Floats, w: Floats, acceleration: Floats, q_goal: Floats, w_goal: Floats, w_dot_goal: Floats, limits: Floats,
    dt: float, to_go: Floats,
) -> None:  # fmt: skip
    """Bring q and w up to now by the last acceleration, and choose the next one; ``to_go``: angle and relative rate that are
    left; ``limits``: of tilt and roll acceleration."""
    ahead, way = np.array([1.0, 0.0, 0.0]), np.empty(3)
    for i in range(3):
        way[i] = dt * w[i] + 0.5 * dt * dt * acceleration[i]
        w[i] += dt * acceleration[i]
    turn(q, way)
    x, relative = turned(q, ahead), w_goal - w
    tilt = _tilt(x, turned(q_goal, ahead), way)
    roll_rate = relative[0] * x[0] + relative[1] * x[1] + relative[2] * x[2]
    roll = _roll(q, q_goal, tilt, roll_rate)
    to_go[0], to_go[1] = math.hypot(tilt, roll), length(relative)
    by_roll = DAMPING * (roll_rate + math.copysign(_speed(abs(roll), limits[1]), roll))
    by_roll = min(max(by_roll, -limits[1]), limits[1])
    by_tilt, carried = np.empty(3), cross(w, x)
    for i in range(3):
        by_tilt[i] = DAMPING * (relative[i] - roll_rate * x[i] + _speed(tilt, limits[0]) * way[i])
    keep = min(1.0, limits[0] / max(length(by_tilt), 1e-12))
    for i in range(3):
        # The roll rate that is still missing would turn with x; without it, catching up would throw x off its course.
        acceleration[i] = w_dot_goal[i] + keep * by_tilt[i] + by_roll * x[i] - roll_rate * carried[i]

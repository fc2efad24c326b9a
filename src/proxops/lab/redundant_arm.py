"""Arms of seven joints with a spherical shoulder, an elbow and a spherical wrist (LWR 4+, iiwa): kinematics in closed
form.

At zero the arm stands straight up along z of its base and its axes are z, y, z, y, z, y, z of the base, each with a
sign: T_base_flange = Tz(base) Rz(1) Ry(2) Rz(3) Tz(upper arm) Ry(4) Tz(forearm) Rz(5) Ry(6) Rz(7) Tz(hand).

A pose of the flange fixes shoulder and wrist; the elbow is free on a circle about the line between them. Where it is
there is the arm angle. It is counted from the direction into which the smallest turn from upright to the line takes the
base's x axis: unlike an angle against the vertical plane, that has no gap over the shoulder, where an arm likes to
work, but only straight below it, where its own foot stands. Each place of the elbow has eight solutions, one for each
sign of joints 2, 4 and 6: the branch.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array, nearest_turn

N_JOINTS: Final = 7
N_BRANCHES: Final = 8
SHOULDER, ELBOW, WRIST = 1, 3, 5  # joints whose signs make the branch: bits 0, 1, 2 of its number, set where negative
SOLVED, NOT_FINITE, TOO_FAR, TOO_NEAR, BELOW_SHOULDER, OUT_OF_RANGE = range(6)
REASONS: Final = (
    "solved",
    "pose is not a finite number",
    "wrist farther from the shoulder than the arm is long",
    "wrist nearer to the shoulder than the arm folds",
    "wrist straight below the shoulder: no arm angle",
    "no arm angle keeps every joint within its range",
)
ROUNDING: Final = 1e-12  # share of its length by which a stretched arm may seem too short
BASE, UPPER, FOREARM, HAND = range(4)  # lengths, m
U, N1, N2, ALONG, BEYOND, ASIDE = (
    0,
    3,
    6,
    9,
    10,
    11,
)  # parts of a line: three unit vectors; elbow along and beside it, m
N_LINE: Final = 12
# Rotations by rows, as numbers on the stack: an array is asked of the heap, 50 ns each time.
Vector = tuple[float, float, float]
Turn = tuple[float, float, float, float, float, float, float, float, float]
UPRIGHT: Final[Turn] = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


@dataclass(frozen=True, eq=False)
class SrsArm:
    """``lengths``: base to shoulder, upper arm, forearm, wrist to flange, m. ``signs``: +1 or -1, of each axis against
    z, y, z, y, z, y, z. Ranges rad, speed rad/s, acceleration rad/s2, jerk rad/s3."""

    joints: tuple[str, ...]
    lengths: Array
    signs: Array
    lower: Array
    upper: Array
    speed: Array
    acceleration: Array
    jerk: Array

    def flange(self, q: Array) -> Array:
        """T_base_flange."""
        return flange_pose(self.lengths, self.signs, q)

    def solve(
        self, T_base_flange: Array, arm_angle: float, branch: int, near: Array | None = None
    ) -> tuple[int, Array]:
        """One of the codes above and the joints, those about z within half a turn of ``near`` (of zero without it)."""
        q = np.zeros(N_JOINTS) if near is None else np.array(near, float)
        return solve(self.lengths, self.signs, T_base_flange, arm_angle, branch, q), q

    def arm_angle(self, q: Array) -> float:
        return arm_angle(self.lengths, self.signs, q)

    def branch(self, q: Array) -> int:
        return branch_of(q)


@kernel
def branch_of(q: Array) -> int:
    return (1 if q[SHOULDER] < 0.0 else 0) + (2 if q[ELBOW] < 0.0 else 0) + (4 if q[WRIST] < 0.0 else 0)


@kernel
def put_turn_zy(R: Array, z: float, y: float) -> None:
    """R := R Rz(z) Ry(y)."""
    cz, sz, cy, sy = math.cos(z), math.sin(z), math.cos(y), math.sin(y)
    for i in range(3):
        a, b, c = cz * R[i, 0] + sz * R[i, 1], cz * R[i, 1] - sz * R[i, 0], R[i, 2]
        R[i, 0], R[i, 1], R[i, 2] = cy * a - sy * c, b, sy * a + cy * c


@kernel
def flange_pose(lengths: Array, signs: Array, q: Array) -> Array:
    """T_base_flange."""
    T = np.empty((4, 4))
    put_flange_pose(lengths, signs, q, T)
    return T


@kernel
def put_flange_pose(lengths: Array, signs: Array, q: Array, T: Array) -> None:
    """The same, into ``T``."""
    T[:] = 0.0
    T[0, 0] = T[1, 1] = T[2, 2] = T[3, 3] = 1.0
    T[2, 3] = lengths[BASE]
    for k in range(3):
        put_turn_zy(T, signs[2 * k] * q[2 * k], signs[2 * k + 1] * q[2 * k + 1])
        if k < 2:
            for i in range(3):
                T[i, 3] += lengths[UPPER + k] * T[i, 2]
    put_turn_zy(T, signs[6] * q[6], 0.0)
    for i in range(3):
        T[i, 3] += lengths[HAND] * T[i, 2]


@kernel
def put_reference(line: Array) -> bool:
    """n1 and n2 of a line's direction u: x and y of the base after the smallest turn from z to u. False straight
    below."""
    x, y, z = line[U], line[U + 1], line[U + 2]
    rise = 1.0 + z if z > 0.0 else (x * x + y * y) / (1.0 - z)  # 1 + z without cancellation
    if not rise > 1e-18:
        return False
    line[N1], line[N1 + 1], line[N1 + 2] = 1.0 - x * x / rise, -x * y / rise, -x
    line[N2], line[N2 + 1], line[N2 + 2] = -x * y / rise, 1.0 - y * y / rise, -y
    return True


@kernel
def put_line(lengths: Array, T_base_flange: Array, line: Array) -> int:
    """What all arm angles of a pose have in common: the line from shoulder to wrist and the elbow's circle about it."""
    squares = 0.0
    for i in range(3):
        line[U + i] = T_base_flange[i, 3] - lengths[HAND] * T_base_flange[i, 2]
        if i == 2:
            line[U + 2] -= lengths[BASE]
        squares += line[U + i] * line[U + i]
        for j in range(2):  # columns that are not in the line yet
            if not math.isfinite(T_base_flange[i, j]):
                return NOT_FINITE
    if not math.isfinite(squares):
        return NOT_FINITE
    far, a, b = math.sqrt(squares), lengths[UPPER], lengths[FOREARM]
    if far > (a + b) * (1.0 + ROUNDING):
        return TOO_FAR
    if far < abs(a - b) * (1.0 - ROUNDING) or far < 1e-9:
        return TOO_NEAR
    for i in range(3):
        line[U + i] /= far
    # Heron: exact where the arm is nearly straight and the cosine law is not.
    area = (a + b + far) * (a + b - far) * (far - (a - b)) * (far + (a - b))
    more = (a - b) * (a + b) / far
    line[ALONG], line[BEYOND], line[ASIDE] = (
        0.5 * (far + more),
        0.5 * (far - more),
        0.5 * math.sqrt(max(area, 0.0)) / far,
    )
    return SOLVED if put_reference(line) else BELOW_SHOULDER


@kernel
def put_solution(signs: Array, T_base_flange: Array, line: Array, angle: float, branch: int, q: Array) -> None:
    """Joints for one arm angle; those about z within half a turn of what stands in ``q``."""
    s2 = -signs[SHOULDER] if branch & 1 else signs[SHOULDER]
    s4 = -signs[ELBOW] if branch & 2 else signs[ELBOW]
    s6 = -signs[WRIST] if branch & 4 else signs[WRIST]
    c, s = line[ASIDE] * math.cos(angle), line[ASIDE] * math.sin(angle)
    ex = line[ALONG] * line[U] + c * line[N1] + s * line[N2]
    ey = line[ALONG] * line[U + 1] + c * line[N1 + 1] + s * line[N2 + 1]
    ez = line[ALONG] * line[U + 2] + c * line[N1 + 2] + s * line[N2 + 2]
    # Along the forearm.
    fx = line[BEYOND] * line[U] - c * line[N1] - s * line[N2]
    fy = line[BEYOND] * line[U + 1] - c * line[N1 + 1] - s * line[N2 + 1]
    fz = line[BEYOND] * line[U + 2] - c * line[N1 + 2] - s * line[N2 + 2]
    R, a, b = turn_towards(UPRIGHT, (ex, ey, ez), s2)  # axes of the upper arm, then of the forearm
    put_joint(signs, 0, (a, b), q)
    R, a, b = turn_towards(R, within(R, fx, fy, fz), s4)
    put_joint(signs, 2, (a, b), q)
    R, a, b = turn_towards(R, within(R, T_base_flange[0, 2], T_base_flange[1, 2], T_base_flange[2, 2]), s6)
    put_joint(signs, 4, (a, b), q)
    x = R[1] * T_base_flange[0, 1] + R[4] * T_base_flange[1, 1] + R[7] * T_base_flange[2, 1]
    y = R[1] * T_base_flange[0, 0] + R[4] * T_base_flange[1, 0] + R[7] * T_base_flange[2, 0]
    q[6] = nearest_turn(signs[6] * math.atan2(y, x), q[6])


@kernel
def within(R: Turn, x: float, y: float, z: float) -> Vector:
    """A vector's components along the columns of R."""
    return R[0] * x + R[3] * y + R[6] * z, R[1] * x + R[4] * y + R[7] * z, R[2] * x + R[5] * y + R[8] * z


@kernel
def turn_towards(R: Turn, towards: Vector, sign: float) -> tuple[Turn, float, float]:
    """R Rz(a) Ry(b), by rows, whose z points along a vector given in R's own axes; b has the sign. And a and b."""
    x, y, z = towards
    beside = math.hypot(x, y)
    whole = math.hypot(beside, z)
    ca, sa = (sign * x / beside, sign * y / beside) if beside > 0.0 else (1.0, 0.0)
    cb, sb = z / whole, sign * beside / whole
    p0, p1, p2 = ca * R[0] + sa * R[1], ca * R[3] + sa * R[4], ca * R[6] + sa * R[7]
    n0, n1, n2 = ca * R[1] - sa * R[0], ca * R[4] - sa * R[3], ca * R[7] - sa * R[6]
    turned = (
        cb * p0 - sb * R[2], n0, sb * p0 + cb * R[2],
        cb * p1 - sb * R[5], n1, sb * p1 + cb * R[5],
        cb * p2 - sb * R[8], n2, sb * p2 + cb * R[8],
    )  # fmt: skip
    return turned, math.atan2(sa, ca), math.atan2(sb, cb)


@kernel
def put_joint(signs: Array, first: int, turn: tuple[float, float], q: Array) -> None:
    """A joint about z, next to where it was, and the bent one about y behind it, whose sign is the branch."""
    q[first] = nearest_turn(signs[first] * turn[0], q[first])
    q[first + 1] = signs[first + 1] * turn[1]


@kernel
def solve(lengths: Array, signs: Array, T_base_flange: Array, angle: float, branch: int, q: Array) -> int:
    """``q`` := the joints, those about z within half a turn of what stands there; or why there are none, and ``q``
    stays."""
    line = np.empty(N_LINE)
    code = put_line(lengths, T_base_flange, line)
    if code == SOLVED and not math.isfinite(angle):
        code = NOT_FINITE
    if code == SOLVED:
        put_solution(signs, T_base_flange, line, angle, branch, q)
    return code


@kernel
def arm_angle(lengths: Array, signs: Array, q: Array) -> float:
    """Of joints, in (-pi, pi]; of a straight arm as it falls, NaN where there is none."""
    line = np.empty(N_LINE)
    if put_line(lengths, flange_pose(lengths, signs, q), line) != SOLVED:
        return math.nan
    t1, t2 = signs[0] * q[0], signs[1] * q[1]
    x, y, z = math.cos(t1) * math.sin(t2), math.sin(t1) * math.sin(t2), math.cos(t2)  # towards the elbow
    across = x * line[N2] + y * line[N2 + 1] + z * line[N2 + 2]
    return math.atan2(across, x * line[N1] + y * line[N1 + 1] + z * line[N1 + 2])

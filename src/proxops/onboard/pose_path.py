"""A path of the tool through way-points: smooth in position and attitude, at rest at both ends.

Six coordinates, position and rotation vector from the start's attitude, follow quintic polynomials through the way-points whose
derivatives up to the fourth are continuous: of all paths through them the one with the least integral of squared jerk. The
attitude is R = exp([θ]×) R_start, so the angular velocity is A(θ) θ̇ with A the left Jacobian of the exponential. All in
inertial axes.
"""

from __future__ import annotations

import math

import numpy as np

from proxops.arms.model import Floats
from proxops.core.errors import BadInput
from proxops.maths.kernel import kernel
from proxops.maths.rotation import matrix_from_rotation_vector

MOST_TURN_RAD = 3.0  # from the start's attitude: at a whole turn the rotation vector's map is singular


class PoseDemand:
    """What a tool should do now, one piece of memory (24): position, attitude (R by rows), twist, acceleration; inertial axes,
    linear before angular. The attributes are views."""

    def __init__(self) -> None:
        self.flat: Floats = np.zeros(24)
        self.p, self.twist, self.acceleration = self.flat[0:3], self.flat[12:18], self.flat[18:24]
        self.R = self.flat[3:12].reshape(3, 3)
        self.R[:] = np.eye(3)


class PosePath:
    """``at(t)``: the demand. Before the first time and behind the last the tool rests."""

    def __init__(self, p: Floats, R: Floats, times: Floats, positions: Floats, turns: Floats) -> None:
        """Start pose ``p``, ``R``; ``times`` (k) of the way-points, increasing from 0, their ``positions`` (k, 3) and
        ``turns`` (k, 3), rotation vectors, both from the start pose in inertial axes; the first row is the start, all zeros."""
        points = np.hstack([positions, turns])
        _check(times, points)
        self._p, self._R = np.array(p, dtype=np.float64), np.array(R, dtype=np.float64, order="C")
        self._times, self._coefficients = times.astype(np.float64), spline(times, points)
        self._demand = PoseDemand()

    @property
    def duration_s(self) -> float:
        return float(self._times[-1])

    def at(self, t: float) -> PoseDemand:
        """Memory is used again."""
        put_demand(self._times, self._coefficients, self._p, self._R, t, self._demand.flat)
        return self._demand


def _check(times: Floats, points: Floats) -> None:
    if times.ndim != 1 or len(times) < 2 or points.shape != (len(times), 6):
        raise BadInput("way-points: a time, a position and a turn for each", value=(times.shape, points.shape))
    if times[0] != 0.0 or not np.all(np.diff(times) > 0.0):
        raise BadInput("way-points: times", value=times.tolist(), bound="from 0, increasing")
    if not np.isfinite(points).all() or points[0].any():
        raise BadInput("way-points: the first is the start itself", value=points[0].tolist(), bound="zeros, all finite")
    most = float(np.max(np.linalg.norm(points[:, 3:], axis=1)))
    if most > MOST_TURN_RAD:
        raise BadInput(
            "way-points: turn from the start", value=f"{math.degrees(most):.1f} deg",
            bound=f"at most {math.degrees(MOST_TURN_RAD):.0f} deg",
        )  # fmt: skip


def spline(times: Floats, points: Floats) -> Floats:
    """(k − 1, 6, d) coefficients, rising powers of the time since each piece's begin, of the quintic spline at rest at both
    ends.

    One linear system for all coefficients: it is solved once, before the run."""
    pieces = len(times) - 1
    A, b = np.zeros((6 * pieces, 6 * pieces)), np.zeros((6 * pieces, points.shape[1]))
    row = 0

    def require(piece: int, t: float, order: int, value: Floats | None) -> None:
        """The derivative of this order: a value, or (None) what the next piece begins with."""
        nonlocal row
        A[row, 6 * piece : 6 * piece + 6] = powers(t, order)
        if value is None:
            A[row, 6 * piece + 6 : 6 * piece + 12] = -powers(0.0, order)
        else:
            b[row] = value
        row += 1

    still = np.zeros(points.shape[1])
    for piece in range(pieces):
        h = float(times[piece + 1] - times[piece])
        require(piece, 0.0, 0, points[piece])
        require(piece, h, 0, points[piece + 1])
        for order in range(1, 5):
            if piece + 1 < pieces:
                require(piece, h, order, None)
    for order in (1, 2):
        require(0, 0.0, order, still)
        require(pieces - 1, float(times[-1] - times[-2]), order, still)
    return np.ascontiguousarray(np.linalg.solve(A, b).reshape(pieces, 6, points.shape[1]))


def powers(t: float, order: int) -> Floats:
    """(6) derivatives of 1, t, …, t⁵."""
    out = np.zeros(6)
    for k in range(order, 6):
        out[k] = math.perm(k, order) * t ** (k - order)
    return out


@kernel
def put_demand(times: Floats, coefficients: Floats, p: Floats, R: Floats, t: float, out: Floats) -> None:
    """``out`` (24) as ``PoseDemand`` has it."""
    last = times.shape[0] - 1
    piece = 0
    while piece < last - 1 and t >= times[piece + 1]:
        piece += 1
    h = min(max(t, times[0]), times[last]) - times[piece]
    x = np.zeros((3, 6))  # coordinates and their two derivatives
    for d in range(6):
        c = coefficients[piece, :, d]
        x[0, d] = c[0] + h * (c[1] + h * (c[2] + h * (c[3] + h * (c[4] + h * c[5]))))
        if times[0] <= t <= times[last]:
            x[1, d] = c[1] + h * (2.0 * c[2] + h * (3.0 * c[3] + h * (4.0 * c[4] + h * 5.0 * c[5])))
            x[2, d] = 2.0 * c[2] + h * (6.0 * c[3] + h * (12.0 * c[4] + h * 20.0 * c[5]))
    turn = matrix_from_rotation_vector(x[0, 3:])
    for i in range(3):
        out[i] = p[i] + x[0, i]
        out[12 + i], out[18 + i] = x[1, i], x[2, i]
        for j in range(3):
            out[3 + 3 * i + j] = turn[i, 0] * R[0, j] + turn[i, 1] * R[1, j] + turn[i, 2] * R[2, j]
    _turn_rates(x[0, 3:], x[1, 3:], x[2, 3:], out[15:18], out[21:24])


@kernel
def _turn_rates(v: Floats, v1: Floats, v2: Floats, w: Floats, w_rate: Floats) -> None:
    """ω = A(θ) θ̇ and ω̇ of R = exp([θ]×): A = 1 + b [θ]× + c [θ]×², b = (1 − cos φ)/φ², c = (φ − sin φ)/φ³."""
    square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2]
    growth = v[0] * v1[0] + v[1] * v1[1] + v[2] * v1[2]  # φ φ̇
    if square < 1e-4:  # series: the quotients lose digits; the next terms are below 1e-16
        b = 0.5 - square / 24.0 + square * square / 720.0
        c = 1.0 / 6.0 - square / 120.0 + square * square / 5040.0
        b1 = -growth * (1.0 / 12.0 - square / 180.0 + square * square / 6720.0)
        c1 = -growth * (1.0 / 60.0 - square / 1260.0 + square * square / 60480.0)
    else:
        angle = math.sqrt(square)
        b = 2.0 * math.sin(0.5 * angle) ** 2 / square
        c = (angle - math.sin(angle)) / (square * angle)
        b1 = growth * (math.sin(angle) / angle - 2.0 * b) / square
        c1 = growth * (b - 3.0 * c) / square
    a, aa = np.empty(3), np.empty(3)  # θ × θ̇, θ × (θ × θ̇)
    e, ee, f = np.empty(3), np.empty(3), np.empty(3)  # θ × θ̈, θ × (θ × θ̈), θ̇ × (θ × θ̇)
    _cross(v, v1, a)
    _cross(v, a, aa)
    _cross(v, v2, e)
    _cross(v, e, ee)
    _cross(v1, a, f)
    for i in range(3):
        w[i] = v1[i] + b * a[i] + c * aa[i]
        w_rate[i] = v2[i] + b * e[i] + c * (ee[i] + f[i]) + b1 * a[i] + c1 * aa[i]


@kernel
def _cross(a: Floats, b: Floats, out: Floats) -> None:
    out[0] = a[1] * b[2] - a[2] * b[1]
    out[1] = a[2] * b[0] - a[0] * b[2]
    out[2] = a[0] * b[1] - a[1] * b[0]

"""Unit quaternions (w, x, y, z) as they are: products, exponential and logarithm, turned vectors.

Their sign carries on, where a matrix forgets it. Arrays in, arrays out; the arithmetic is in ``triple``, whose tuples are for
what is only on its way into something else: an array is asked of the heap, 50 ns each time.
"""

from __future__ import annotations

import math

import numpy as np

from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array, exponential
from proxops.maths.triple import Quad, composed, crossed, inverse, quad, rotated, triple


@kernel
def quat_product(p: Array, q: Array) -> Array:
    """q_a_c of q_a_b and q_b_c."""
    r = np.empty(4)
    r[0], r[1], r[2], r[3] = composed(quad(p, 0), quad(q, 0))
    return r


@kernel
def quat_inverse(q: Array) -> Array:
    """q_b_a of the unit quaternion q_a_b."""
    r = np.empty(4)
    r[0], r[1], r[2], r[3] = inverse(quad(q, 0))
    return r


@kernel
def quat_about(axis: Array, angle: float) -> Array:
    """Turn by ``angle`` (rad) about a unit vector."""
    s = math.sin(0.5 * angle)
    r = np.empty(4)
    r[0], r[1], r[2], r[3] = math.cos(0.5 * angle), s * axis[0], s * axis[1], s * axis[2]
    return r


@kernel
def turned(q: Array, v: Array) -> Array:
    """v_a of q_a_b and v_b."""
    r = np.empty(3)
    r[0], r[1], r[2] = rotated(quad(q, 0), triple(v, 0))
    return r


@kernel
def cross(a: Array, b: Array) -> Array:
    """a x b."""
    r = np.empty(3)
    r[0], r[1], r[2] = crossed(triple(a, 0), triple(b, 0))
    return r


@kernel
def length(v: Array) -> float:
    """|v| of a vector of three."""
    return math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])


@kernel
def rotation_vector(q: Array | Quad, out: Array) -> float:
    """``out`` := log(q), the short way round; returns its angle in [0, pi]."""
    sine = math.sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    angle = 2.0 * math.atan2(sine, abs(q[0]))
    # angle / sin(angle / 2), which is 2 / cos near zero; the sign of w picks the short way.
    k = 2.0 / q[0] if sine < 1e-9 else math.copysign(angle, q[0]) / sine
    out[0], out[1], out[2] = k * q[1], k * q[2], k * q[3]
    return angle


@kernel
def turn(q: Array, way: Array) -> None:
    """q := exp(way) q in place, of unit norm; ``way`` is a rotation vector in the frame that q turns into."""
    put_unit(composed(exponential(way), quad(q, 0)), q)


@kernel
def put_unit(q: Array | Quad, out: Array) -> None:
    """``out`` := q / |q|."""
    norm = math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    out[0], out[1], out[2], out[3] = q[0] / norm, q[1] / norm, q[2] / norm, q[3] / norm


@kernel
def way_between(q1: Array, q2: Array, way: Array) -> float:
    """``way`` := log(q2 q1^-1), the short way from q1 to q2, so that exp(way) q1 = q2; returns its angle in [0, pi]."""
    return rotation_vector(composed(quad(q2, 0), inverse(quad(q1, 0))), way)


def quat_to_direction(direction: Array) -> Array:
    """The smallest turn that takes +x to this unit vector; to -x that is any half turn: the one about z."""
    x, y, z = direction.tolist()
    beside = y * y + z * z
    if beside == 0.0 and x < 0.0:
        return np.array([0.0, 0.0, 0.0, 1.0])
    q = np.array([1.0 + x if x > 0.0 else beside / (1.0 - x), 0.0, -z, y])  # 1 + x without cancellation
    unit: Array = q / np.linalg.norm(q)
    return unit

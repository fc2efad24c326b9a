"""Unit quaternions (w, x, y, z) as they are: products and turned vectors. Their sign carries on, where a matrix forgets it."""

from __future__ import annotations

import math

import numpy as np

from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array


@kernel
def quat_product(p: Array, q: Array) -> Array:
    """q_a_c of q_a_b and q_b_c."""
    r = np.empty(4)
    r[0] = p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3]
    r[1] = p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2]
    r[2] = p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1]
    r[3] = p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0]
    return r


@kernel
def quat_inverse(q: Array) -> Array:
    """q_b_a of the unit quaternion q_a_b."""
    r = np.empty(4)
    r[0], r[1], r[2], r[3] = q[0], -q[1], -q[2], -q[3]
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
    t0 = 2.0 * (q[2] * v[2] - q[3] * v[1])
    t1 = 2.0 * (q[3] * v[0] - q[1] * v[2])
    t2 = 2.0 * (q[1] * v[1] - q[2] * v[0])
    r = np.empty(3)
    r[0] = v[0] + q[0] * t0 + q[2] * t2 - q[3] * t1
    r[1] = v[1] + q[0] * t1 + q[3] * t0 - q[1] * t2
    r[2] = v[2] + q[0] * t2 + q[1] * t1 - q[2] * t0
    return r


@kernel
def cross(a: Array, b: Array) -> Array:
    """a x b."""
    r = np.empty(3)
    r[0] = a[1] * b[2] - a[2] * b[1]
    r[1] = a[2] * b[0] - a[0] * b[2]
    r[2] = a[0] * b[1] - a[1] * b[0]
    return r

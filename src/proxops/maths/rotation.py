"""Rotations: matrices (3x3), unit quaternions with the scalar FIRST, KUKA's ABC angles, rotation vectors. Radians."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from proxops.maths.kernel import kernel
from proxops.maths.stack import matrix

Array = NDArray[np.float64]


@kernel
def copy_to(values: Array, out: Array) -> None:
    """``out`` := ``values``, of any length. A slice that is assigned asks first whether the two overlap, and where."""
    for i in range(values.shape[0]):
        out[i] = values[i]


@kernel
def matrix_from_quat(q: Array) -> Array:
    """Rotation matrix of a unit quaternion (w, x, y, z); a norm off by rounding is divided out."""
    R = np.empty((3, 3))
    put_matrix(q, R)
    return R


@kernel
def put_matrix(q: Array, R: Array) -> None:
    """Likewise, into ``R``."""
    w, x, y, z = q[0], q[1], q[2], q[3]
    s = 2.0 / (w * w + x * x + y * y + z * z)
    R[0, 0] = 1.0 - s * (y * y + z * z)
    R[0, 1] = s * (x * y - w * z)
    R[0, 2] = s * (x * z + w * y)
    R[1, 0] = s * (x * y + w * z)
    R[1, 1] = 1.0 - s * (x * x + z * z)
    R[1, 2] = s * (y * z - w * x)
    R[2, 0] = s * (x * z - w * y)
    R[2, 1] = s * (y * z + w * x)
    R[2, 2] = 1.0 - s * (x * x + y * y)


@kernel
def quat_from_matrix(R: Array) -> Array:
    """Unit quaternion (w, x, y, z) with w >= 0."""
    q = np.empty(4)
    put_quat(R, q)
    return q


@kernel
def put_quat(R: Array, q: Array) -> None:
    """Likewise, into ``q``; pivots on the largest component, so it is exact everywhere."""
    trace = R[0, 0] + R[1, 1] + R[2, 2]
    if trace >= R[0, 0] and trace >= R[1, 1] and trace >= R[2, 2]:
        q[0] = 1.0 + trace
        q[1] = R[2, 1] - R[1, 2]
        q[2] = R[0, 2] - R[2, 0]
        q[3] = R[1, 0] - R[0, 1]
    elif R[0, 0] >= R[1, 1] and R[0, 0] >= R[2, 2]:
        q[0] = R[2, 1] - R[1, 2]
        q[1] = 1.0 + R[0, 0] - R[1, 1] - R[2, 2]
        q[2] = R[0, 1] + R[1, 0]
        q[3] = R[0, 2] + R[2, 0]
    elif R[1, 1] >= R[2, 2]:
        q[0] = R[0, 2] - R[2, 0]
        q[1] = R[0, 1] + R[1, 0]
        q[2] = 1.0 + R[1, 1] - R[0, 0] - R[2, 2]
        q[3] = R[1, 2] + R[2, 1]
    else:
        q[0] = R[1, 0] - R[0, 1]
        q[1] = R[0, 2] + R[2, 0]
        q[2] = R[1, 2] + R[2, 1]
        q[3] = 1.0 + R[2, 2] - R[0, 0] - R[1, 1]
    norm = math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    if q[0] < 0.0:
        norm = -norm
    for i in range(4):
        q[i] /= norm


@kernel
def matrix_from_abc(a: float, b: float, c: float) -> Array:
    """Rz(a) Ry(b) Rx(c): KUKA's ABC, intrinsic z-y'-x''."""
    ca, sa, cb, sb, cc, sc = math.cos(a), math.sin(a), math.cos(b), math.sin(b), math.cos(c), math.sin(c)
    R = np.empty((3, 3))
    R[0, 0] = ca * cb
    R[0, 1] = ca * sb * sc - sa * cc
    R[0, 2] = ca * sb * cc + sa * sc
    R[1, 0] = sa * cb
    R[1, 1] = sa * sb * sc + ca * cc
    R[1, 2] = sa * sb * cc - ca * sc
    R[2, 0] = -sb
    R[2, 1] = cb * sc
    R[2, 2] = cb * cc
    return R


@kernel
def abc_from_matrix(R: Array) -> Array:
    """KUKA's ABC as an array."""
    out = np.empty(3)
    out[0], out[1], out[2] = abc_angles(R)
    return out


@kernel
def abc_angles(R: Array) -> tuple[float, float, float]:
    """KUKA's ABC with b in [-pi/2, pi/2]. C comes from the rotation that is left after A and B, so that the three
    together give R back to rounding even at the gimbal lock b = +-pi/2 (where A is taken as it falls, 0 if exact)."""
    cb = math.hypot(R[0, 0], R[1, 0])
    a = math.atan2(R[1, 0], R[0, 0]) if cb > 0.0 else 0.0
    ca, sa = math.cos(a), math.sin(a)
    b = math.atan2(-R[2, 0], ca * R[0, 0] + sa * R[1, 0])
    # Rz(-a) R has the rows below; its second row is (0, cos c, -sin c).
    c = math.atan2(sa * R[0, 2] - ca * R[1, 2], ca * R[1, 1] - sa * R[0, 1])
    return a, b, c


@kernel
def angle_between(R1: Array, R2: Array) -> float:
    """Angle of the rotation from R1 to R2, accurate for small angles too."""
    # M = R1^T R2; its skew part holds sin, its trace cos.
    m = matrix(3, 3)
    for i in range(3):
        for j in range(3):
            m[i, j] = R1[0, i] * R2[0, j] + R1[1, i] * R2[1, j] + R1[2, i] * R2[2, j]
    x, y, z = m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]
    return math.atan2(math.sqrt(x * x + y * y + z * z), m[0, 0] + m[1, 1] + m[2, 2] - 1.0)


@kernel
def exponential(v: Array | tuple[float, float, float]) -> tuple[float, float, float, float]:
    """Unit quaternion (w, x, y, z) of the rotation by |v| about v."""
    angle = math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    # sin(x)/x by its series near zero, where the quotient would lose digits.
    k = 0.5 - angle * angle / 48.0 if angle < 1e-4 else math.sin(0.5 * angle) / angle
    return math.cos(0.5 * angle), k * v[0], k * v[1], k * v[2]


@kernel
def quat_from_rotation_vector(v: Array) -> Array:
    """The same as an array."""
    q = np.empty(4)
    q[0], q[1], q[2], q[3] = exponential(v)
    return q


@kernel
def matrix_from_rotation_vector(v: Array) -> Array:
    """Rotation by |v| about v (Rodrigues)."""
    return matrix_from_quat(quat_from_rotation_vector(v))


@kernel
def nearest_turn(angle: float, reference: float) -> float:
    """The angle that differs from ``angle`` by whole turns and lies nearest to ``reference``."""
    return angle + 2.0 * math.pi * math.floor((reference - angle) / (2.0 * math.pi) + 0.5)

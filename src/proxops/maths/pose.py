"""Poses as 4x4 matrices: ``T_a_c = compose(T_a_b, T_b_c)``; packed as (x, y, z, qw, qx, qy, qz) where they are stored."""

from __future__ import annotations

import numpy as np

from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array, matrix_from_abc, matrix_from_quat, put_quat


@kernel
def pose(R: Array, p: Array) -> Array:
    """4x4 pose from a rotation matrix and a position."""
    T = np.empty((4, 4))
    for i in range(3):
        for j in range(3):
            T[i, j] = R[i, j]
        T[i, 3] = p[i]
        T[3, i] = 0.0
    T[3, 3] = 1.0
    return T


@kernel
def compose(T_a_b: Array, T_b_c: Array) -> Array:
    """T_a_c."""
    T = np.empty((4, 4))
    put_composed(T_a_b, T_b_c, T)
    put_last_row(T)
    return T


@kernel
def put_composed(T_a_b: Array, T_b_c: Array, T_a_c: Array) -> None:
    """The upper rows of T_a_c; into one that is already there. Written out: BLAS costs more than it saves at this size."""
    for i in range(3):
        for j in range(4):
            T_a_c[i, j] = T_a_b[i, 0] * T_b_c[0, j] + T_a_b[i, 1] * T_b_c[1, j] + T_a_b[i, 2] * T_b_c[2, j]
        T_a_c[i, 3] += T_a_b[i, 3]


@kernel
def put_last_row(T: Array) -> None:
    """Of every pose: 0 0 0 1."""
    T[3, 0] = T[3, 1] = T[3, 2] = 0.0
    T[3, 3] = 1.0


@kernel
def inverse_pose(T_a_b: Array) -> Array:
    """T_b_a."""
    T = np.empty((4, 4))
    put_inverse(T_a_b, T)
    put_last_row(T)
    return T


@kernel
def put_inverse(T_a_b: Array, T: Array) -> None:
    """The upper rows of T_b_a, into ``T``."""
    for i in range(3):
        for j in range(3):
            T[i, j] = T_a_b[j, i]
        T[i, 3] = -(T_a_b[0, i] * T_a_b[0, 3] + T_a_b[1, i] * T_a_b[1, 3] + T_a_b[2, i] * T_a_b[2, 3])


@kernel
def pose_from_abc(x: float, y: float, z: float, a: float, b: float, c: float) -> Array:
    """Pose from metres and KUKA's ABC in radians."""
    p = np.empty(3)
    p[0], p[1], p[2] = x, y, z
    return pose(matrix_from_abc(a, b, c), p)


@kernel
def pose_from_packed(packed: Array) -> Array:
    """Pose from (x, y, z, qw, qx, qy, qz)."""
    return pose(matrix_from_quat(packed[3:7]), packed[0:3])


@kernel
def pack_pose(T: Array, out: Array) -> None:
    """Write (x, y, z, qw, qx, qy, qz)."""
    for i in range(3):
        out[i] = T[i, 3]
    put_quat(T, out[3:7])

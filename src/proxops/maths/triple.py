"""Vectors of three and quaternions (w, x, y, z) as tuples of numbers, for kernels in which an array for each vector would take
several times as long as the arithmetic. The formulas stand here; ``quaternion.py`` has them for arrays."""

from __future__ import annotations

from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array

Triple = tuple[float, float, float]
Quad = tuple[float, float, float, float]
Vector = (
    Array | Triple
)  # what a kernel only reads: numbers in registers cost a hot one a third less than an array's memory
Quaternion = Array | Quad


@kernel
def triple(y: Array, at: int) -> Triple:
    """The three numbers of an array from there on."""
    return y[at], y[at + 1], y[at + 2]


@kernel
def quad(y: Array, at: int) -> Quad:
    """The four numbers of an array from there on."""
    return y[at], y[at + 1], y[at + 2], y[at + 3]


@kernel
def difference(a: Triple, b: Triple) -> Triple:
    """a - b."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@kernel
def crossed(a: Triple, b: Triple) -> Triple:
    """a x b."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@kernel
def mapped(A: Array, v: Triple) -> Triple:
    """A v of a matrix (3, 3)."""
    return (
        A[0, 0] * v[0] + A[0, 1] * v[1] + A[0, 2] * v[2],
        A[1, 0] * v[0] + A[1, 1] * v[1] + A[1, 2] * v[2],
        A[2, 0] * v[0] + A[2, 1] * v[1] + A[2, 2] * v[2],
    )


@kernel
def inverse(q: Quad) -> Quad:
    """q_b_a of the unit quaternion q_a_b."""
    return q[0], -q[1], -q[2], -q[3]


@kernel
def rotated(q: Quad, v: Triple) -> Triple:
    """v_a of q_a_b and v_b."""
    t0 = 2.0 * (q[2] * v[2] - q[3] * v[1])
    t1 = 2.0 * (q[3] * v[0] - q[1] * v[2])
    t2 = 2.0 * (q[1] * v[1] - q[2] * v[0])
    return (
        v[0] + q[0] * t0 + q[2] * t2 - q[3] * t1,
        v[1] + q[0] * t1 + q[3] * t0 - q[1] * t2,
        v[2] + q[0] * t2 + q[1] * t1 - q[2] * t0,
    )


@kernel
def composed(p: Quad, q: Quad) -> Quad:
    """q_a_c of q_a_b and q_b_c."""
    return (
        p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
        p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
        p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
        p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0],
    )

"""Small dense matrices in plain loops: products, skew matrices, Cholesky. BLAS would need scipy and cost more than it saves."""

from __future__ import annotations

import math

import numpy as np

from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array


@kernel
def product(a: Array, b: Array) -> Array:
    """a b."""
    n, m, k = a.shape[0], b.shape[1], a.shape[1]
    out = np.zeros((n, m))
    for i in range(n):
        for h in range(k):
            for j in range(m):
                out[i, j] += a[i, h] * b[h, j]
    return out


@kernel
def applied(a: Array, v: Array) -> Array:
    """a v."""
    out = np.empty(a.shape[0])
    put_applied(a, v, out)
    return out


@kernel
def put_applied(a: Array, v: Array, out: Array) -> None:
    """The same, into ``out``."""
    for i in range(a.shape[0]):
        out[i] = 0.0
        for j in range(a.shape[1]):
            out[i] += a[i, j] * v[j]


@kernel
def skew(v: Array) -> Array:
    """[v]×, so that [v]× u = v x u."""
    out = np.zeros((3, 3))
    out[0, 1], out[0, 2], out[1, 2] = -v[2], v[1], -v[0]
    out[1, 0], out[2, 0], out[2, 1] = v[2], -v[1], v[0]
    return out


@kernel
def cholesky(a: Array) -> Array:
    """Lower L with L Lᵀ = a; of a matrix that is not positive definite (or no number) NaN comes out."""
    n = a.shape[0]
    L = np.zeros((n, n))
    put_cholesky(a, L)
    return L


@kernel
def put_cholesky(a: Array, L: Array) -> None:
    """The same into the lower triangle of ``L``, of the first block of ``a`` that is as large; reads its lower triangle."""
    for i in range(L.shape[0]):
        for j in range(i + 1):
            total = a[i, j]
            for k in range(j):
                total -= L[i, k] * L[j, k]
            if i == j:
                L[i, i] = math.sqrt(total) if total > 0.0 else math.nan
            else:
                L[i, j] = total / L[j, j]


@kernel
def lower_solved(L: Array, b: Array) -> Array:
    """L⁻¹ b of a lower triangle, column by column of b (n, m)."""
    n, m = b.shape
    out = np.empty((n, m))
    for i in range(n):
        for j in range(m):
            total = b[i, j]
            for k in range(i):
                total -= L[i, k] * out[k, j]
            out[i, j] = total / L[i, i]
    return out


@kernel
def largest_eigenvalue(M: Array) -> float:
    """Of a symmetric matrix (3, 3), in closed form: the largest root of its characteristic cubic."""
    mean = (M[0, 0] + M[1, 1] + M[2, 2]) / 3.0
    a, b, c = M[0, 0] - mean, M[1, 1] - mean, M[2, 2] - mean
    d, e, f = M[0, 1], M[0, 2], M[1, 2]
    p2 = (a * a + b * b + c * c + 2.0 * (d * d + e * e + f * f)) / 6.0
    if p2 == 0.0:
        return float(mean)
    p = math.sqrt(p2)
    half_det = 0.5 * (a * (b * c - f * f) - d * (d * c - f * e) + e * (d * f - b * e)) / (p2 * p)
    return float(mean + 2.0 * p * math.cos(math.acos(min(max(half_det, -1.0), 1.0)) / 3.0))


@kernel
def symmetric_eigen(a: Array) -> tuple[Array, Array]:
    """Eigenvalues (n) and eigenvectors (n, n), columns, of a symmetric matrix: Jacobi's rotations, in no order."""
    n = a.shape[0]
    w, v = a.copy(), np.eye(n)
    for _ in range(30):
        off = 0.0
        for p in range(n):
            for q in range(p):
                off += w[p, q] * w[p, q]
        scale = 0.0
        for p in range(n):
            scale += w[p, p] * w[p, p]
        if not off > 1e-30 * scale:  # NaN ends it, too
            break
        for p in range(n - 1):
            for q in range(p + 1, n):
                _rotate(w, v, p, q)
    return np.diag(w).copy(), v


@kernel
def _rotate(w: Array, v: Array, p: int, q: int) -> None:
    """One rotation in the plane of ``p`` and ``q`` that makes w[p, q] zero."""
    if w[p, q] == 0.0:
        return
    theta = 0.5 * (w[q, q] - w[p, p]) / w[p, q]
    t = (1.0 if theta >= 0.0 else -1.0) / (abs(theta) + math.sqrt(theta * theta + 1.0))
    c = 1.0 / math.sqrt(t * t + 1.0)
    s = t * c
    for k in range(w.shape[0]):
        w[k, p], w[k, q] = c * w[k, p] - s * w[k, q], s * w[k, p] + c * w[k, q]
    for k in range(w.shape[0]):
        w[p, k], w[q, k] = c * w[p, k] - s * w[q, k], s * w[p, k] + c * w[q, k]
        v[k, p], v[k, q] = c * v[k, p] - s * v[k, q], s * v[k, p] + c * v[k, q]

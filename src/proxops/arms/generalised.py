"""Algebra of a free-floating arm: the base's six velocities are eliminated with the momentum.

    [Mbb Mbm] [v̇b]   [cb]   [hb]                X = Mbb⁻¹ Mbm
    [Mmb Mmm] [q̈ ] + [cm] = [τ ]                M* = Mmm − Mmb X,  C* = cm − Mmb Mbb⁻¹ cb,  Jg = Jm − Jb X

and, at any momentum, J̇g q̇ + v̇gm = J̇ v − Jb Mbb⁻¹ cb: exact, without differences of sampled values.
(Paper 003, equations 7 to 15; its eq. 13 has base velocities where the momentum belongs.)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from proxops.arms.model import N_BASE, Floats
from proxops.maths.kernel import kernel
from proxops.maths.small_matrix import put_cholesky


class Generalised(NamedTuple):
    """Filled by ``generalise``; n joints."""

    inertia: Floats  # (n, n) M*
    bias: Floats  # (n) C*
    jacobian: Floats  # (6, n) Jg, rows: linear, angular, in inertial axes
    drift: Floats  # (6) J̇g q̇ + v̇gm
    carried: Floats  # (6) vgm: what the tool does by the momentum alone
    base: Floats  # (6, n) −X: base velocity by joint rates, at zero momentum


Parts = tuple[Floats, Floats, Floats, Floats, Floats, Floats]  # the same without names: half the price in a call


def room(n: int) -> Generalised:
    """Memory for ``n`` joints."""
    return Generalised(np.zeros((n, n)), np.zeros(n), np.zeros((6, n)), np.zeros(6), np.zeros(6), np.zeros((N_BASE, n)))


@kernel
def generalise(M: Floats, c: Floats, J: Floats, drift: Floats, v: Floats, out: Parts) -> None:
    """``M``, ``c``: mass matrix and nonlinear forces; ``J``, ``drift``: the tool's Jacobian and J̇ v; ``v``: all velocities.

    Forces on base and joints that are known besides the torques are taken off ``c``: bias and drift then are as eq. 8 wants
    them."""
    inertia, bias, jacobian, all_drift, carried, base = out
    n = M.shape[0] - N_BASE
    L = np.empty((N_BASE, N_BASE))
    put_cholesky(M.T, L)
    x = np.empty((N_BASE, n + 2))  # Mbb⁻¹ times: Mbm | cb | momentum
    for i in range(N_BASE):
        for j in range(n):
            x[i, j] = M[i, N_BASE + j]
        x[i, n] = c[i]
        x[i, n + 1] = 0.0
        for j in range(N_BASE + n):
            x[i, n + 1] += M[i, j] * v[j]
    _solve(L, x)
    for i in range(n):
        left = c[N_BASE + i]
        for k in range(N_BASE):
            left -= M[k, N_BASE + i] * x[k, n]
        bias[i] = left
        for j in range(i + 1):
            total = M[N_BASE + j, N_BASE + i]
            for k in range(N_BASE):
                total -= M[k, N_BASE + i] * x[k, j]
            inertia[i, j] = inertia[j, i] = total
    for i in range(N_BASE):
        for j in range(n):
            base[i, j] = -x[i, j]
            total = J[i, N_BASE + j]
            for k in range(N_BASE):
                total -= J[i, k] * x[k, j]
            jacobian[i, j] = total
        moved, along = drift[i], 0.0
        for k in range(N_BASE):
            moved -= J[i, k] * x[k, n]
            along += J[i, k] * x[k, n + 1]
        all_drift[i], carried[i] = moved, along


@kernel
def put_jacobian_rate(M: Floats, coriolis: Floats, J: Floats, rate: Floats, base: Floats, out: Floats) -> None:
    """J̇g = J̇m − J̇b X − Jb Ẋ, Ẋ = Mbb⁻¹ (Ṁbm − Ṁbb X), with Ṁ = C + Cᵀ of Coriolis' matrix. ``rate``: J̇; ``base``: −X."""
    n = M.shape[0] - N_BASE
    L = np.empty((N_BASE, N_BASE))
    put_cholesky(M.T, L)
    x = np.empty((N_BASE, n))  # Ẋ
    for i in range(N_BASE):
        for j in range(n):
            x[i, j] = coriolis[i, N_BASE + j] + coriolis[N_BASE + j, i]
            for k in range(N_BASE):
                x[i, j] += (coriolis[i, k] + coriolis[k, i]) * base[k, j]
    _solve(L, x)
    for i in range(6):
        for j in range(n):
            total = rate[i, N_BASE + j]
            for k in range(N_BASE):
                total += rate[i, k] * base[k, j] - J[i, k] * x[k, j]
            out[i, j] = total


@kernel
def base_velocity(M: Floats, momentum: Floats, rates: Floats, out: Floats) -> None:
    """(6) velocity of the base in its own frame, from the momentum about its origin in its own axes and the joint rates."""
    n = rates.shape[0]
    L = np.empty((N_BASE, N_BASE))
    put_cholesky(M.T, L)
    x = np.empty((N_BASE, 1))
    for i in range(N_BASE):
        x[i, 0] = momentum[i]
        for j in range(n):
            x[i, 0] -= M[i, N_BASE + j] * rates[j]
    _solve(L, x)
    for i in range(N_BASE):
        out[i] = x[i, 0]


@kernel
def _solve(L: Floats, x: Floats) -> None:
    """L Lᵀ x = x in place."""
    n, m = x.shape
    for i in range(n):
        for k in range(i):
            for j in range(m):
                x[i, j] -= L[i, k] * x[k, j]
        for j in range(m):
            x[i, j] /= L[i, i]
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            for j in range(m):
                x[i, j] -= L[k, i] * x[k, j]
        for j in range(m):
            x[i, j] /= L[i, i]

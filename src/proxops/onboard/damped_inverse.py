"""Right inverses of a wide Jacobian J (6, n), damped near singularities, without singular values.

J⁺ = Jᵀ (J Jᵀ + Σ λ² u uᵀ)⁻¹, with u the directions of the task in which J is weak. σ_min comes from inverse power iterations that
go on from the caller's last direction, so two are enough. While it is above the threshold there is no damping: J⁺ is the
pseudo-inverse, J J⁺ = 1 to rounding and 1 − J⁺ J projects on the null space exactly. Below, λ² grows smoothly from zero along
every direction whose own σ is below it, and only there: the others stay undamped (Maciejewski and Klein's numerical
filtering). Metres and radians stand side by side in J.

Inverses are never formed: a factor L is kept, and vectors are pulled through it.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from proxops.arms.model import Floats
from proxops.maths.kernel import kernel
from proxops.maths.small_matrix import symmetric_eigen

THRESHOLD: Final = 0.05  # σ_min of the Jacobian below which the inverse is damped
PEAK: Final = 0.1  # λ at the singularity
ROUNDS: Final = 2  # inverse power iterations for each call
FIRST_ROUNDS: Final = 40  # and for the first one
PIVOT: Final = 1e-14  # of the trace: smaller ones are rounding


@kernel
def prepare(J: Floats, u: Floats, L: Floats) -> float:
    """``L`` (6, 6) := factor of J Jᵀ + Σ λ² u uᵀ; ``u`` (6) in and out, zeros at first; returns σ_min of J."""
    A = np.empty((6, 6))
    _square(J, A)
    _factor(A, L)
    sigma = _weakest(A, L, u)
    if sigma < THRESHOLD:
        _add_damping(A, A.copy(), 1.0)
        _factor(A, L)
    return sigma


@kernel
def prepare_weighted(J: Floats, M: Floats, u: Floats, L: Floats, W: Floats) -> float:
    """The same for Λ⁻¹ = J M⁻¹ Jᵀ of the inertia-weighted inverse J̄ = M⁻¹ Jᵀ Λ. ``W`` (6, n) := J M⁻¹. The threshold is one of
    J itself, geometric; damping is scaled as Λ⁻¹ is to J Jᵀ."""
    n = J.shape[1]
    A, S = np.empty((6, 6)), np.empty((n, n))
    _square(J, A)
    _factor(A, L)
    sigma = _weakest(A, L, u)
    square = A.copy()
    _factor(M, S)
    for i in range(6):
        W[i, :] = J[i, :]
        solve(S, W[i])
    for i in range(6):
        for j in range(i + 1):
            total = 0.0
            for k in range(n):
                total += W[i, k] * J[j, k]
            A[i, j] = A[j, i] = total
    if sigma < THRESHOLD:
        _add_damping(A, square, _trace(A) / _trace(square))
    _factor(A, L)
    return sigma


@kernel
def pull(J: Floats, L: Floats, task: Floats, out: Floats) -> None:
    """``out`` (n) := J⁺ task. ``task`` (6) becomes (J Jᵀ + …)⁻¹ task."""
    solve(L, task)
    for j in range(J.shape[1]):
        total = 0.0
        for i in range(6):
            total += J[i, j] * task[i]
        out[j] = total


@kernel
def project(J: Floats, L: Floats, wish: Floats, out: Floats) -> None:
    """``out`` (n) := (1 − J⁺ J) wish."""
    task = np.empty(6)
    push(J, wish, task)
    pull(J, L, task, out)
    for j in range(J.shape[1]):
        out[j] = wish[j] - out[j]


@kernel
def push(J: Floats, joints: Floats, out: Floats) -> None:
    """``out`` (6) := J joints."""
    for i in range(6):
        total = 0.0
        for j in range(J.shape[1]):
            total += J[i, j] * joints[j]
        out[i] = total


@kernel
def damping_at(sigma: float) -> float:
    """λ² for this σ: zero with zero slope at the threshold."""
    if sigma >= THRESHOLD:
        return 0.0
    share = 1.0 - (sigma / THRESHOLD) ** 2
    return (PEAK * share) ** 2


@kernel
def solve(L: Floats, x: Floats) -> None:
    """x := (L Lᵀ)⁻¹ x."""
    n = L.shape[0]
    for i in range(n):
        total = x[i]
        for k in range(i):
            total -= L[i, k] * x[k]
        x[i] = total / L[i, i]
    for i in range(n - 1, -1, -1):
        total = x[i]
        for k in range(i + 1, n):
            total -= L[k, i] * x[k]
        x[i] = total / L[i, i]


@kernel
def _weakest(A: Floats, L: Floats, u: Floats) -> float:
    """σ_min of J from A = J Jᵀ, and its direction."""
    rounds = ROUNDS
    if not np.any(u):
        rounds = FIRST_ROUNDS
        for i in range(6):
            u[i] = 1.0 + 0.1 * i  # at right angles to no direction that an arm is likely to have
    for _ in range(rounds):
        solve(L, u)
        norm = math.sqrt(np.sum(u * u))
        for i in range(6):
            u[i] /= norm
    total = 0.0
    for i in range(6):
        for j in range(6):
            total += u[i] * A[i, j] * u[j]
    return math.sqrt(max(total, 0.0)) if not math.isnan(total) else math.nan


@kernel
def _square(J: Floats, A: Floats) -> None:
    for i in range(6):
        for j in range(i + 1):
            total = 0.0
            for k in range(J.shape[1]):
                total += J[i, k] * J[j, k]
            A[i, j] = A[j, i] = total


@kernel
def _add_damping(A: Floats, square: Floats, scale: float) -> None:
    """Along every weak direction of J, whose J Jᵀ is ``square``."""
    values, directions = symmetric_eigen(square)
    for k in range(6):
        damping = scale * damping_at(math.sqrt(max(values[k], 0.0)))
        if damping > 0.0:
            for i in range(6):
                for j in range(6):
                    A[i, j] += damping * directions[i, k] * directions[j, k]


@kernel
def _factor(A: Floats, L: Floats) -> None:
    """Cholesky. A pivot that rounding has made zero or negative is lifted, so that a singular matrix has a factor too; what is
    no number stays so."""
    n = A.shape[0]
    least = PIVOT * _trace(A)
    for i in range(n):
        for j in range(i + 1):
            total = A[i, j]
            for k in range(j):
                total -= L[i, k] * L[j, k]
            if i == j:
                L[i, i] = math.sqrt(least if total < least else total)
            else:
                L[i, j] = total / L[j, j]


@kernel
def _trace(A: Floats) -> float:
    total = 0.0
    for i in range(A.shape[0]):
        total += A[i, i]
    return total

"""One step of Gauss and Newton within bounds: what would leave them is set on the bound, and the others follow."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array
from proxops.maths.small_matrix import cholesky, lower_solved

MOST_STEP: Final = 0.6  # of any parameter, in its own unit, in one step
Chosen = NDArray[np.bool_]


@kernel
def bounded_step(A: Array, g: Array, theta: Array, low: Array, high: Array, out: Array) -> bool:
    """``out``: theta after one step of the normal equations A step = g, within ``low`` and ``high``. False if A is no normal
    matrix."""
    P = theta.shape[0]
    B, h, step = A.copy(), g.copy().reshape(P, 1), np.zeros(P)
    pinned = np.zeros(P, np.bool_)
    for _ in range(P):
        L = cholesky(B)
        if not math.isfinite(L[P - 1, P - 1]):
            return False
        y = lower_solved(L, h)
        for i in range(P - 1, -1, -1):
            total = y[i, 0]
            for j in range(i + 1, P):
                total -= L[j, i] * step[j]
            step[i] = total / L[i, i]
        if not _pin(A, theta, step, low, high, pinned, B, h):
            break
    shrink = 1.0
    for i in range(P):
        shrink = min(shrink, MOST_STEP / max(abs(step[i]), 1e-12))
    for i in range(P):
        out[i] = min(max(theta[i] + shrink * step[i], low[i]), high[i])
    return True


@kernel
def _pin(A: Array, theta: Array, step: Array, low: Array, high: Array, pinned: Chosen, B: Array, h: Array) -> bool:
    """Sets the first component that leaves its bounds on the bound, in the equations of the step; False if there is none."""
    P = theta.shape[0]
    for i in range(P):
        to = min(max(theta[i] + step[i], low[i]), high[i])
        if pinned[i] or to == theta[i] + step[i]:
            continue
        for j in range(P):
            if not pinned[j]:
                h[j, 0] -= A[j, i] * (to - theta[i])
            B[i, j], B[j, i] = 0.0, 0.0
        B[i, i], h[i, 0], pinned[i] = 1.0, to - theta[i], True
        return True
    return False

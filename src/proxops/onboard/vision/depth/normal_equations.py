"""The least squares of one step of ICP: sums over all beams for the pose and the errors that they share, and for each part of
the model what its own shift needs (``part_shifts``).

Unknowns x = (δ, u); of beam i, which met part k with the normal n_i, the error is e_i = a_i x + n_i·d_k + noise. With w the
robust weight these are H = Σ w a aᵀ and g = Σ w a e, and for each part Σ w n aᵀ, Σ w n e, Σ w n nᵀ.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array
from proxops.maths.stack import vector
from proxops.onboard.vision.depth.association import CAST, CLOSEST, MISSED, MIXED
from proxops.optics.scene.tree import Ints

GRAZING: Final = (
    0.25  # cosine of beam and normal, below which a beam counts less: it may as well have met what is beside
)
KERNEL: Final = 2.0  # standard deviations at which a weight is a quarter


@kernel
def assemble(
    raw: Array, rows: Array, along: Array, noise: Array, how: NDArray[np.uint8], part: Ints, distance: Array, late_s: Array,
    motion: Array, shared: Array, shift: Array, wide_m: float, across_m: float, beside: float, error: Array, weight: Array,
    sigma: Array, sums: Array, H: Array, g: Array,
) -> None:  # fmt: skip
    """``raw``: e as associated; ``error``: without the ``shared`` errors and each part's ``shift`` (parts, 3) m as they are held.
    ``part``: of each beam's face; ``beside``: weight of what only lies near; ``sums`` (parts, 3, unknowns + 4). While the search
    is ``wide_m``, what a beam tells is no better than that."""
    n_distance, n_motion = distance.shape[1], motion.shape[0]
    n = 6 + n_distance + n_motion
    a = vector(32)
    H[:, :], g[:], sums[:, :] = 0.0, 0.0, 0.0
    for i in range(raw.shape[0]):
        weight[i], error[i] = 0.0, raw[i]
        if how[i] == MISSED or how[i] == MIXED:
            continue
        c, e = along[i], raw[i]
        for j in range(6):
            a[j] = rows[i, j]
        for j in range(n_distance):
            a[6 + j] = c * distance[i, j]
            e -= a[6 + j] * shared[j]
        for j in range(n_motion):
            a[6 + n_distance + j] = late_s[i] * motion[j] * rows[i, j]
            e -= a[6 + n_distance + j] * shared[n_distance + j]
        k = part[i]
        e -= rows[i, 0] * shift[k, 0] + rows[i, 1] * shift[k, 1] + rows[i, 2] * shift[k, 2]
        error[i] = e
        square = noise[i] * noise[i] * c * c + across_m * across_m
        sigma[i] = math.sqrt(square)
        if how[i] == CLOSEST and raw[i] == 0.0:
            continue
        square += wide_m * wide_m
        robust = KERNEL * KERNEL * square / (KERNEL * KERNEL * square + e * e)
        w = robust * robust / square
        if how[i] == CAST and abs(c) < GRAZING:
            w *= (c / GRAZING) * (c / GRAZING)
        if how[i] == CLOSEST:
            w *= beside
        weight[i] = w
        for j in range(n):
            g[j] += w * a[j] * raw[i]
            for m in range(j + 1):
                H[j, m] += w * a[j] * a[m]
        for m in range(3):
            for j in range(n):
                sums[k, m, j] += w * rows[i, m] * a[j]
            sums[k, m, n] += w * rows[i, m] * raw[i]
            for j in range(3):
                sums[k, m, n + 1 + j] += w * rows[i, m] * rows[i, j]
    for j in range(n):
        for m in range(j):
            H[m, j] = H[j, m]

"""The least squares of one step of ICP: pose and shared errors of all beams, every plane of the model off by itself.

Unknowns x = (δ, u); of beam i the error e_i = a_i x + o_k + noise, with o_k the offset of the plane that it met. With w the
robust weight and W = Σ w over the beams of plane k, its offset is eliminated:

    H = Σ w a aᵀ − Σ_k s_k s_kᵀ / (W_k + 1/σ_part²),   s_k = Σ_k w a;        g likewise from Σ w a e
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
    motion: Array, shared: Array, part_m: float, wide_m: float, across_m: float, beside: float, error: Array, weight: Array,
    sigma: Array, sums: Array, H: Array, g: Array,
) -> None:  # fmt: skip
    """``raw``: e as associated; ``error``: without the ``shared`` errors as they are held. ``part``: of each beam's face;
    ``beside``: weight of what only lies near; ``sums`` (parts, unknowns + 2): to work in. While the search is ``wide_m``, what a
    beam tells is no better than that."""
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
        k = part[i]
        for j in range(n):
            g[j] += w * a[j] * raw[i]
            for m in range(j + 1):
                H[j, m] += w * a[j] * a[m]
        if how[i] == CAST and k >= 0:
            for j in range(n):
                sums[k, j] += w * a[j]
            sums[k, n] += w * raw[i]
            sums[k, n + 1] += w
    for k in range(sums.shape[0]):
        if sums[k, n + 1] > 0.0:
            share = 1.0 / (sums[k, n + 1] + 1.0 / max(part_m * part_m, 1e-12))
            for j in range(n):
                g[j] -= share * sums[k, j] * sums[k, n]
                for m in range(j + 1):
                    H[j, m] -= share * sums[k, j] * sums[k, m]
    for j in range(n):
        for m in range(j):
            H[m, j] = H[j, m]

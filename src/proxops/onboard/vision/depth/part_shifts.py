"""Parts of the client that stand elsewhere than its model has them: the shift of each is unknown and eliminated.

With d_k the shift of part k, of deviation σ on each axis, and the sums of its beams (``normal_equations``):

    d_k = M_k (Σ w n e − S_k x),   S_k = Σ w n aᵀ,   M_k = (Σ w n nᵀ + I/σ²)⁻¹
    H := H − Σ_k S_kᵀ M_k S_k,     g := g − Σ_k S_kᵀ M_k Σ w n e

so that a part which only its own beams know tells nothing of the pose but what σ allows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from proxops.maths.rotation import Array

LEAST_M: Final = 1e-6


@dataclass(frozen=True, eq=False)
class PartShifts:
    """``S`` (parts, 3, unknowns), ``e`` (parts, 3), ``M`` (parts, 3, 3)."""

    S: Array
    e: Array
    M: Array

    def eliminated(self, H: Array, g: Array) -> tuple[Array, Array]:
        n = len(g)
        across = self.S.reshape(-1, n).T
        H = H - across @ (self.M @ self.S).reshape(-1, n)
        g = g - across @ (self.M @ self.e[:, :, None]).reshape(-1)
        return 0.5 * (H + H.T), g

    def shift(self, x: Array) -> Array:
        """(parts, 3) m, in the sensor's axes, where the unknowns are ``x``."""
        return np.asarray((self.M @ (self.e - self.S @ x)[:, :, None])[:, :, 0])


def part_shifts(sums: Array, part_m: float) -> PartShifts:
    """``sums`` (parts, 3, unknowns + 4) as ``assemble`` leaves them."""
    n = sums.shape[2] - 4
    M = np.asarray(np.linalg.inv(sums[:, :, n + 1 :] + np.eye(3) / max(part_m, LEAST_M) ** 2), np.float64)
    return PartShifts(sums[:, :, :n], sums[:, :, n], M)

"""How well beams determine a pose: the inverse of what they tell of it and of the errors that they share.

With s² ≥ 1 the residuals' own variance and Λ the shared errors' prior, P is the pose's block of (H / s² + Λ)⁻¹.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from proxops.maths.rotation import Array
from proxops.onboard.vision.depth.icp import Icp

LOOSE: Final = 10.0  # m or rad: of a direction that nothing determines


def covariance_of(found: Icp) -> Array:
    """(6, 6). Where a direction is not determined its variance is large, not none."""
    H = found.normal_matrix / residual_variance(found)
    prior = np.concatenate([np.full(6, LOOSE**-2), np.ones(len(H) - 6)])
    P = np.linalg.inv(H + np.diag(prior))[:6, :6]
    return np.asarray(0.5 * (P + P.T))


def residual_variance(found: Icp) -> float:
    """Of residuals over their noise, robustly; one at least."""
    used = found.weight > 0.0
    if not used.any():
        return 1.0
    spread = 1.4826 * float(np.median(np.abs(found.error[used] / found.sigma[used])))
    return max(spread * spread, 1.0)


def deviations(P: Array) -> tuple[float, float]:
    """Largest of place, m, and attitude, rad."""
    place, turn = (math.sqrt(max(float(np.linalg.eigvalsh(P[k : k + 3, k : k + 3])[-1]), 0.0)) for k in (0, 3))
    return place, turn

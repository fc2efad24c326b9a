"""How well beams determine a pose: their noise, and errors that they share.

With H = Σ w J Jᵀ and G_k = H⁻¹ Σ w J m_k, what an error that moves beam i's residual by m_ki does to the pose:

    P = s² H⁻¹ + σ_wave² (G_sin G_sinᵀ + G_cos G_cosᵀ) + σ_part² Σ_planes G G ᵀ + G_motion

s² ≥ 1: the residuals' own variance; the wave of modulated light with any phase; every plane of the model off by itself.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array
from proxops.onboard.vision.depth.client_model import ClientModel
from proxops.onboard.vision.depth.distance_noise import DistanceNoise
from proxops.onboard.vision.depth.icp import Icp
from proxops.optics.scene.tree import Ints

PART_M: Final = 0.0015  # of each plane of the model: ASSUMED
HARMONIC: Final = 4.0  # of the modulation, that is left
LOOSE: Final = 10.0  # m or rad: of a direction that nothing determines


def covariance_of(
    model: ClientModel, found: Icp, phase: Array, late_s: Array, noise: DistanceNoise, motion: Array
) -> Array:
    """(6, 6). ``motion`` (6): deviations of the velocity and the rate by which the beams were moved to one time."""
    inverse = _inverse(found.normal_matrix)
    P = residual_variance(found) * inverse
    for wave in (np.sin(HARMONIC * phase), np.cos(HARMONIC * phase)) if noise.wave_m else ():
        shift = inverse @ (found.rows.T @ (found.weight * found.along * wave))
        P += 0.5 * noise.wave_m**2 * np.outer(shift, shift)
    sums = np.zeros((model.parts, 6))
    _by_part(model.part, found.face, found.weight, found.rows, sums)
    shifts = sums @ inverse
    P += PART_M**2 * shifts.T @ shifts
    weight = float(found.weight.sum())
    if weight > 0.0:
        late = float(found.weight @ late_s) / weight
        P += np.diag((late * motion) ** 2)
    return np.asarray(0.5 * (P + P.T))


def residual_variance(found: Icp) -> float:
    """Of residuals over their noise, robustly; one at least."""
    used = found.weight > 0.0
    if not used.any():
        return 1.0
    spread = 1.4826 * float(np.median(np.abs(found.error[used] / found.sigma[used])))
    return max(spread * spread, 1.0)


def _inverse(H: Array) -> Array:
    """Where a direction is not determined its variance is large, not none."""
    value, vector = np.linalg.eigh(H)
    return np.asarray((vector / np.maximum(value, LOOSE**-2)) @ vector.T)


def deviations(P: Array) -> tuple[float, float]:
    """Largest of place, m, and attitude, rad."""
    place, turn = (math.sqrt(max(float(np.linalg.eigvalsh(P[k : k + 3, k : k + 3])[-1]), 0.0)) for k in (0, 3))
    return place, turn


@kernel
def _by_part(part: Ints, face: Ints, weight: Array, rows: Array, sums: Array) -> None:
    for i in range(face.shape[0]):
        if face[i] >= 0 and weight[i] > 0.0:
            for j in range(6):
                sums[part[face[i]], j] += weight[i] * rows[i, j]

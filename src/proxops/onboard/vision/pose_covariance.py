"""What a tracked pose is worth: the covariance of its error, from what is left, and from what is known to be unknown.

The fit makes of residuals r the error δ = A r, with H = Σ w J Jᵀ / σ² and A = H⁻¹ [w J / σ²]. Four things are in r:

- noise, and light that is not as expected here and there: points that are neighbours err alike, so k of them count as one; s is
  the spread of what fits over that of points that are found well (LEAST_SPREAD), one at least;
- parts of the client that are not where the model has them (τ of each part on each axis), and whose edges do not look as
  expected all along: that counts as if the part stood elsewhere by ALL_ALONG pixels. A part moves all of its points;
- the focal length, a share φ off: it moves every point away from the principal point c;
- blur and exposure, which move all edges towards their dark sides by β, and those whose bright side is white by more.

    P = k s² H⁻¹ + (τ² + (ALL_ALONG z / f)²) Σ_parts B Bᵀ + φ² b bᵀ + d dᵀ
    B = Σ_part A_i J_iᵀ[:3],     b = Σ A_i n_i·(u_i − c),     d = Σ A_i β_i

The first is white from image to image. The others are not while the view stays the same: a filter that takes many images for
independent believes too much of these.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.vision import Floats
from proxops.maths.pose import pose_from_packed
from proxops.onboard.vision.pose_fit import PoseFit, put_equations

TOGETHER: Final = 6.0  # px along an edge that err alike
FEWEST_TOGETHER: Final = 1.5  # points that count as one, however far apart they are taken
LEAST_SPREAD: Final = 0.05  # px, of residuals: as well as that every point is found
ALL_ALONG: Final = 0.025  # px
TO_DARK, FULL_TO_DARK = 0.02, 0.3  # px: β, and where the bright side is white


@dataclass(frozen=True)
class DeclaredError:
    """What a mission says of its client's model and of its lens, one standard deviation."""

    part_m: float = 1e-4  # of each part, on each axis
    focal_share: float = 1e-4


def pose_covariance(
    fit: PoseFit, place: Floats, normal: Floats, sigma: Floats, part: NDArray[np.int64], spacing: float,
    full: NDArray[np.bool_], lens: Floats, declared: DeclaredError,
) -> Floats:  # fmt: skip
    """(6, 6). ``spacing``: of the points along edges, px; of those that were fitted all else: their place (n, 3), the normal
    there (to the brighter side), what deviation they were fitted with, the client's part that they lie on, whether their bright
    side is white."""
    T = pose_from_packed(fit.T_sensor_target)
    at, slope = np.empty(len(place)), np.empty((len(place), 6))
    put_equations(place, normal, T, lens, at, slope)
    share = fit.weights / np.square(sigma)
    inverse = np.linalg.inv((slope * share[:, None]).T @ slope + 1e-9 * np.eye(6))
    influence = inverse @ (slope * share[:, None]).T
    together = max(TOGETHER / spacing, FEWEST_TOGETHER)
    worth = max(fit.spread / LEAST_SPREAD, 1.0)
    P = together * worth * worth * inverse
    moved_m = np.hypot(declared.part_m, ALL_ALONG * max(float(fit.T_sensor_target[2]), 0.02) / lens[0])
    P += moved_m**2 * _by_parts(influence, slope[:, :3], part)
    away = influence @ (at - normal @ lens[2:4])
    P += declared.focal_share**2 * np.outer(away, away)
    dark = influence @ np.where(full, FULL_TO_DARK, TO_DARK)
    P += np.outer(dark, dark)
    return np.asarray(0.5 * (P + P.T))


def _by_parts(influence: Floats, slope: Floats, part: NDArray[np.int64]) -> Floats:
    """Σ B Bᵀ."""
    rows = influence.T[:, :, None] * slope[:, None, :]
    sums = np.zeros((int(part.max(initial=0)) + 1, 6, 3))
    np.add.at(sums, part, rows)
    return np.asarray(np.einsum("pij,pkj->ik", sums, sums))

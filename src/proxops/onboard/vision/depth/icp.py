"""Iterative closest point of our own: beams against the client's surface, in robust least squares.

Each step associates (``association``), weighs and solves (Σ w J Jᵀ) δ = Σ w J e; then R := Exp(δθ) R, p := p + δp. Weights are
Geman and McClure's, w = 1/σ² · (k² / (k² + (e/σ)²))², with σ the beam's noise across the surface and a scale that begins as
wide as the prediction is and shrinks to the noise (graduated: Black and Rangarajan 1996).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.maths.kernel import kernel
from proxops.maths.pose import pose_from_packed
from proxops.maths.rotation import Array, matrix_from_rotation_vector, quat_from_matrix
from proxops.onboard.vision.depth.association import CAST, CLOSEST, MISSED, MIXED, associate, whole
from proxops.onboard.vision.depth.beams import Beams
from proxops.onboard.vision.depth.client_model import ClientModel
from proxops.onboard.vision.depth.distance_noise import DistanceNoise

KERNEL: Final = 2.0  # standard deviations at which a weight is a quarter
ACROSS_M: Final = 0.003  # of a place of the surface, beside noise: model, size of a beam's spot
SHRINK: Final = 0.5  # of the wide scale from step to step
STEPS: Final = 12  # at most, with the wide scale
LAST_STEPS: Final = 5  # at most, without it
FEW: Final = 500  # points of the wide steps
STILL: Final = (2e-4, 1e-4)  # m, rad: a step below that is the last
HARDLY: Final = 1e-9  # of the largest curvature: below that a direction is left alone


@dataclass(frozen=True, eq=False)
class Icp:
    """Where the model came to rest, and what lies there. Arrays have a row for each beam."""

    R: Array  # (3, 3) sensor from target
    p: Array  # (3) m
    normal_matrix: Array  # (6, 6) Σ w J Jᵀ
    gradient: Array  # (6) Σ w J e
    weight: Array  # (n) 1/m²
    error: Array  # (n) m, across the surface
    sigma: Array  # (n) m, likewise
    rows: Array  # (n, 6) −de/dδ
    along: Array  # (n) cosine of beam and normal
    face: NDArray[np.int32]
    how: NDArray[np.uint8]

    @property
    def T_sensor_target(self) -> Array:
        return np.concatenate([self.p, quat_from_matrix(self.R)])


def icp(
    model: ClientModel, beams: Beams, noise: DistanceNoise, T_sensor_target: Array, wide_m: float, steps: int = STEPS
) -> Icp:
    """From a first pose (7) that is off by about ``wide_m`` at the client's surface."""
    first = pose_from_packed(np.ascontiguousarray(T_sensor_target))
    R, p = np.ascontiguousarray(first[:3, :3]), np.ascontiguousarray(first[:3, 3])
    noisy = float(np.median(beams.sigma)) if len(beams) else 0.0
    few = beams.thinned(FEW)
    for _ in range(steps):
        if wide_m == 0.0:
            break
        R, p, _ = _step(_associated(model, few, noise, R, p, wide_m, noisy))
        wide_m = SHRINK * wide_m if wide_m > 0.5 * noisy else 0.0
    for _ in range(LAST_STEPS):
        R, p, small = _step(_associated(model, beams, noise, R, p, 0.0, noisy))
        if small:
            break
    return _associated(model, beams, noise, R, p, 0.0, noisy)


def _associated(
    model: ClientModel, beams: Beams, noise: DistanceNoise, R: Array, p: Array, wide_m: float, noisy: float
) -> Icp:
    n = len(beams)
    error, rows, along, weight, sigma = np.zeros(n), np.zeros((n, 6)), np.zeros(n), np.zeros(n), np.ones(n)
    face, how = np.full(n, -1, np.int32), np.zeros(n, np.uint8)
    H, g, reach = np.zeros((6, 6)), np.zeros(6), 3.0 * wide_m + 6.0 * noisy + 0.05
    args = (model.surface, R, p, beams.origin, beams.end)
    associate(*args, reach, noise.spot_rad, error, rows, along, face, how)
    if noise.spot_rad > 0.0 and wide_m == 0.0:
        good = np.empty(n, np.bool_)
        whole(*args, noise.spot_rad, face, how, good)
        how[(how == CAST) & ~good] = MIXED
    across = math.hypot(noise.angle_rad * float(np.linalg.norm(p)), ACROSS_M)
    weigh(error, rows, along, beams.sigma, how, wide_m, across, weight, sigma, H, g)
    return Icp(R, p, H, g, weight, error, sigma, rows, along, face, how)


def _step(now: Icp) -> tuple[Array, Array, bool]:
    delta = _solved(now.normal_matrix, now.gradient)
    R = matrix_from_rotation_vector(np.ascontiguousarray(delta[3:])) @ now.R
    small = float(np.linalg.norm(delta[:3])) < STILL[0] and float(np.linalg.norm(delta[3:])) < STILL[1]
    return R, now.p + delta[:3], small


def _solved(H: Array, g: Array) -> Array:
    """Step in the directions that points determine."""
    value, vector = np.linalg.eigh(H)
    held = value > HARDLY * max(float(value[-1]), 1e-12)
    share = np.where(held, (vector.T @ g) / np.where(held, value, 1.0), 0.0)
    return np.asarray(vector @ share)


@kernel
def weigh(
    error: Array, rows: Array, along: Array, noise: Array, how: NDArray[np.uint8], wide_m: float, across_m: float,
    weight: Array, sigma: Array, H: Array, g: Array,
) -> None:  # fmt: skip
    """``weight`` and ``sigma`` of each, and the normal equations. What only lies near (not cast) counts half."""
    for j in range(6):
        g[j] = 0.0
        for k in range(6):
            H[j, k] = 0.0
    for i in range(error.shape[0]):
        weight[i] = 0.0
        if how[i] == MISSED or how[i] == MIXED:
            continue
        c = along[i]
        square = noise[i] * noise[i] * c * c + across_m * across_m
        sigma[i] = math.sqrt(square)
        scale = KERNEL * KERNEL * (square + wide_m * wide_m)
        robust = scale / (scale + error[i] * error[i])
        w = robust * robust / square
        if how[i] == CLOSEST:
            w *= 0.5
        weight[i] = w
        for j in range(6):
            g[j] += w * rows[i, j] * error[i]
            for k in range(j + 1):
                H[j, k] += w * rows[i, j] * rows[i, k]
    for j in range(6):
        for k in range(j):
            H[k, j] = H[j, k]

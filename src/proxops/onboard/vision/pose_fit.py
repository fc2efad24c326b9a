"""The pose at which control points lie where they were found: robust Gauss-Newton on SE(3).

With n the normal of an edge, u its pixel at the pose and m = n·u₀ + s where it was found, the error of the pose
δ = (place, rotation on the left) takes from each point

    r = m − n·u(p + Exp(δ) …),     ∂(n·u)/∂δ = n · ∂u/∂x [ I   −[R p]ₓ ]

and Tukey's weights (1 − (r / c)²)² leave out what does not fit; c goes with the spread of what does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from proxops.core.vision import Floats
from proxops.maths.kernel import kernel
from proxops.maths.pose import pack_pose, pose_from_packed
from proxops.maths.rotation import Array, matrix_from_rotation_vector
from proxops.maths.stack import matrix
from proxops.onboard.vision.lens_kernel import pixel_of, put_slope

TUKEY: Final = 4.7  # deviations from which on a point says nothing
LEAST_PX: Final = 0.03  # a spread is not believed to be less
STEPS: Final = 12
STILL: Final = 1e-7  # m and rad


@dataclass(frozen=True, eq=False)
class PoseFit:
    """``weights`` (n): 0 for what does not fit. ``information`` (6, 6) of the weighted points, 1 / px² taken as told."""

    T_sensor_target: Floats
    residual: Floats  # (n) px
    weights: Floats
    spread: float  # px: of what fits
    information: Floats


@kernel
def put_equations(place: Array, normal: Array, T: Array, lens: Array, at: Array, slope: Array) -> None:
    """``at`` (n): n·u of each place; ``slope`` (n, 6): how it goes with the pose."""
    du = matrix(2, 3)
    for n in range(place.shape[0]):
        rx = T[0, 0] * place[n, 0] + T[0, 1] * place[n, 1] + T[0, 2] * place[n, 2]
        ry = T[1, 0] * place[n, 0] + T[1, 1] * place[n, 1] + T[1, 2] * place[n, 2]
        rz = T[2, 0] * place[n, 0] + T[2, 1] * place[n, 1] + T[2, 2] * place[n, 2]
        x, y, z = rx + T[0, 3], ry + T[1, 3], max(rz + T[2, 3], 0.02)
        u, v = pixel_of(lens, x, y, z)
        put_slope(lens, x, y, z, du)
        a, b = normal[n, 0], normal[n, 1]
        gx, gy, gz = a * du[0, 0] + b * du[1, 0], a * du[0, 1] + b * du[1, 1], a * du[0, 2] + b * du[1, 2]
        at[n] = a * u + b * v
        slope[n, 0], slope[n, 1], slope[n, 2] = gx, gy, gz
        slope[n, 3], slope[n, 4], slope[n, 5] = ry * gz - rz * gy, rz * gx - rx * gz, rx * gy - ry * gx


def fit_pose(
    T_first: Floats, place: Floats, normal: Floats, found: Floats, sigma: Floats, lens: Floats, damping: Floats
) -> PoseFit:  # fmt: skip
    """``found`` (n): where along the normal, px; ``sigma`` (n) px; ``damping`` (6): information by which the first pose holds."""
    T, start = pose_from_packed(T_first), pose_from_packed(T_first)
    at, slope = np.empty(len(place)), np.empty((len(place), 6))
    share, usual = 1.0 / np.square(sigma), float(np.median(sigma))
    for _ in range(STEPS):
        put_equations(place, normal, T, lens, at, slope)
        residual = found - at
        scaled = residual / sigma
        spread = max(1.4826 * float(np.median(np.abs(scaled))), LEAST_PX / usual)
        weights = np.square(np.clip(1.0 - np.square(scaled / (TUKEY * spread)), 0.0, None))
        weighted = slope * (weights * share)[:, None]
        information = weighted.T @ slope
        wanted = weighted.T @ residual - damping * moved(start, T)
        step = np.linalg.solve(information + np.diag(damping), wanted).astype(np.float64)
        T = turned_by(T, step)
        if np.abs(step).max() < STILL:
            break
    put_equations(place, normal, T, lens, at, slope)
    packed = np.empty(7)
    pack_pose(T, packed)
    return PoseFit(packed, found - at, weights, spread * usual, information)


def turned_by(T: Floats, step: Floats) -> Floats:
    """(4, 4) with a step of place and rotation on the left."""
    out = T.copy()
    out[:3, 3] += step[:3]
    out[:3, :3] = matrix_from_rotation_vector(np.ascontiguousarray(step[3:])) @ T[:3, :3]
    return out


def moved(start: Floats, T: Floats) -> Floats:
    """(6) from one pose (4, 4) to another near it."""
    R = T[:3, :3] @ start[:3, :3].T
    turn = 0.5 * np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    return np.concatenate([T[:3, 3] - start[:3, 3], turn])

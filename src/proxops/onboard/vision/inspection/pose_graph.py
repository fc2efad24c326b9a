"""All looks at once: poses that fit all ties best (Lu and Milios 1997), so that what drifts from look to look does not bend the
body.

With X the pose T_client_sensor of a look and Z that of a tie, the residual is r = log(Z⁻¹ X_i⁻¹ X_j), and X_k moves by
X_k Exp(δ_k): ∂r/∂δ_j ≈ 1, ∂r/∂δ_i ≈ −Ad(X_j⁻¹ X_i). Ties that do not fit count less (Geman and McClure). The first look stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from proxops.core.vision import Floats
from proxops.maths.quaternion import rotation_vector
from proxops.maths.rotation import matrix_from_rotation_vector, quat_from_matrix
from proxops.onboard.vision.inspection.closures import Tie
from proxops.onboard.vision.inspection.track import inverted

STEPS: Final = 12
STILL: Final = 1e-5  # m and rad
ROBUST: Final = 3.0  # times the median misfit: where a tie counts a quarter


def fitted_poses(T_client_sensor: Floats, ties: Sequence[Tie]) -> Floats:
    """(n, 4, 4)."""
    X, information = T_client_sensor.copy(), _levelled(ties)
    for _ in range(STEPS):
        step = _step(X, ties, information)
        for k, delta in enumerate(step.reshape(-1, 6)):
            X[k] = X[k] @ moved(delta)
        if np.abs(step).max() < STILL:
            break
    return X


def _levelled(ties: Sequence[Tie]) -> list[Floats]:
    """Information of each tie, alike in size: its points' noise is the same whatever the registration thinks."""
    return [tie.information / (np.trace(tie.information[:3, :3]) / 3.0 + 1e-12) for tie in ties]


def _step(X: Floats, ties: Sequence[Tie], information: Sequence[Floats]) -> Floats:
    n = len(X)
    H, g = np.zeros((n, 6, n, 6)), np.zeros((n, 6))
    r = [_residual(X, tie) for tie in ties]
    misfit = np.array([float(a @ W @ a) for a, W in zip(r, information, strict=True)])
    scale = ROBUST**2 * float(np.median(misfit)) + 1e-12
    for tie, a, W, e in zip(ties, r, information, misfit, strict=True):
        weight = (scale / (scale + e)) ** 2
        i, j, A = tie.first, tie.second, -_adjoint(inverted(X[tie.second]) @ X[tie.first])
        WA = weight * (W @ A)
        H[i, :, i] += A.T @ WA
        H[j, :, j] += weight * W
        H[i, :, j] += WA.T
        H[j, :, i] += WA
        g[i] -= WA.T @ a
        g[j] -= weight * (W @ a)
    flat = H.reshape(6 * n, 6 * n)
    flat[:6, :] = flat[:, :6] = 0.0
    flat[:6, :6] = np.eye(6)
    g[0] = 0.0
    flat += 1e-9 * np.eye(6 * n)
    return np.asarray(np.linalg.solve(flat, g.ravel()))


def _residual(X: Floats, tie: Tie) -> Floats:
    """(6) place, rotation."""
    T = inverted(tie.T_first_second) @ inverted(X[tie.first]) @ X[tie.second]
    turn = np.empty(3)
    rotation_vector(quat_from_matrix(np.ascontiguousarray(T[:3, :3])), turn)
    return np.concatenate([T[:3, 3], turn])


def moved(delta: Floats) -> Floats:
    """(4, 4) of a small step: place, rotation."""
    T = np.eye(4)
    T[:3, :3] = matrix_from_rotation_vector(np.ascontiguousarray(delta[3:]))
    T[:3, 3] = delta[:3]
    return T


def _adjoint(T: Floats) -> Floats:
    """Of a pose, for steps (place, rotation)."""
    R, p = T[:3, :3], T[:3, 3]
    K = np.array([[0.0, -p[2], p[1]], [p[2], 0.0, -p[0]], [-p[1], p[0], 0.0]])
    out = np.zeros((6, 6))
    out[:3, :3] = out[3:, 3:] = R
    out[:3, 3:] = K @ R
    return out

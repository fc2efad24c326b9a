"""How fast an unknown client turns: the constant inertial rate that its attitudes fit best."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np

from proxops.core.vision import Floats
from proxops.maths.rotation import matrix_from_rotation_vector
from proxops.onboard.vision.inspection.track import turn_between

STEPS: Final = 5


@dataclass(frozen=True, eq=False)
class Spin:
    """R_eci_client(t) = Exp(w (t − t0)) R0; ``left_rad``: what of the attitudes that does not tell, root mean square."""

    w_eci: Floats  # (3) rad/s
    t0: float
    R0: Floats  # (3, 3)
    left_rad: float

    def at(self, t: float) -> Floats:
        """(3, 3) R_eci_client."""
        return np.asarray(matrix_from_rotation_vector(self.w_eci * (t - self.t0)) @ self.R0)


def spin_of(times: Floats, R_eci_client: Floats) -> Spin:
    """Of attitudes in a row; between two the client must turn by less than half a turn."""
    t0 = float(times.mean())
    if len(times) < 2:
        return Spin(np.zeros(3), t0, R_eci_client[0], 0.0)
    turns = [turn_between(a, b) for a, b in pairwise(R_eci_client)]
    w = np.median(np.array(turns) / np.diff(times)[:, None], axis=0)
    middle = int(np.argmin(np.abs(times - t0)))
    R0 = matrix_from_rotation_vector(w * (t0 - times[middle])) @ R_eci_client[middle]
    found = Spin(w, t0, R0, 0.0)
    for _ in range(STEPS):
        found = _closer(found, times, R_eci_client)
    return found


def _closer(spin: Spin, times: Floats, R_eci_client: Floats) -> Spin:
    """Attitudes' errors are straight lines in time: offset and slope, in inertial axes."""
    off = np.array([turn_between(spin.at(t), R) for t, R in zip(times, R_eci_client, strict=True)])
    # An offset a of the middle and b of the rate turn the attitude at t by Exp(w t) a and, for a slow change, by b t.
    carried = np.array([matrix_from_rotation_vector(spin.w_eci * (t - spin.t0)) for t in times])
    A = np.zeros((len(times), 3, 6))
    A[:, :, :3] = carried
    for k, t in enumerate(times):
        A[k, :, 3:] = (t - spin.t0) * _left_jacobian(spin.w_eci * (t - spin.t0))
    step, *_ = np.linalg.lstsq(A.reshape(-1, 6), off.ravel(), rcond=None)
    left = off.ravel() - A.reshape(-1, 6) @ step
    R0 = np.asarray(matrix_from_rotation_vector(np.ascontiguousarray(step[:3])) @ spin.R0)
    return Spin(spin.w_eci + step[3:], spin.t0, R0, float(np.sqrt(np.mean(left**2) * 3.0)))


def _left_jacobian(v: Floats) -> Floats:
    """(3, 3): Exp(v + d) = Exp(J d) Exp(v) for small d."""
    angle = float(np.linalg.norm(v))
    K = np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])
    if angle < 1e-6:
        return np.asarray(np.eye(3) + 0.5 * K)
    return np.asarray(np.eye(3) + (1.0 - np.cos(angle)) / angle**2 * K + (angle - np.sin(angle)) / angle**3 * K @ K)


def local_rates(times: Floats, R_eci_client: Floats, looks: int = 12) -> Floats:
    """(n, 3) rad/s in inertial axes at each time, by so many looks about it: of a client that tumbles."""
    half, found = looks // 2, []
    for k in range(len(times)):
        first = min(max(k - half, 0), max(len(times) - looks, 0))
        found.append(spin_of(times[first : first + looks], R_eci_client[first : first + looks]).w_eci)
    return np.array(found).reshape(-1, 3)

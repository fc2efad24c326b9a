"""How the flange of a seven-axis arm moves: pose, velocity and acceleration from joints, rates and accelerations."""

from __future__ import annotations

import numpy as np

from proxops.lab.redundant_arm import flange_pose
from proxops.maths.kernel import kernel
from proxops.maths.quaternion import turned, way_between
from proxops.maths.rotation import Array, quat_from_matrix

ASIDE_S = 1e-3  # before and after: second differences of 1e-16 m and of motions that change within 0.1 s err by some 1e-4 of them


@kernel
def put_flange_motion(
    lengths: Array, signs: Array, q: Array, dq: Array, ddq: Array, quat: Array, w: Array, alpha: Array, a: Array, p: Array
) -> None:  # fmt: skip
    """q_base_flange, rate, angular and linear acceleration in the flange's axes, place in the base's."""
    poses = np.empty((3, 3))
    quats = np.empty((3, 4))
    for k in range(3):
        s = (k - 1) * ASIDE_S
        T = flange_pose(lengths, signs, q + s * dq + 0.5 * s * s * ddq)
        for i in range(3):
            poses[k, i] = T[i, 3]
        quats[k] = quat_from_matrix(T[0:3, 0:3].copy())
    before, after = np.empty(3), np.empty(3)
    way_between(quats[0], quats[1], before)
    way_between(quats[1], quats[2], after)
    inverse = quats[1].copy()
    for i in range(1, 4):
        inverse[i] = -inverse[i]
    quat[:], p[:] = quats[1], poses[1]
    w[:] = turned(inverse, (before + after) / (2.0 * ASIDE_S))
    alpha[:] = turned(inverse, (after - before) / (ASIDE_S * ASIDE_S))
    a[:] = turned(inverse, (poses[2] - 2.0 * poses[1] + poses[0]) / (ASIDE_S * ASIDE_S))

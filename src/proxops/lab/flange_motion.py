"""How the flange of a seven-axis arm moves: pose, velocity and acceleration from joints, rates and accelerations."""

from __future__ import annotations

from proxops.lab.redundant_arm import put_flange_pose
from proxops.maths.kernel import kernel
from proxops.maths.quaternion import way_between
from proxops.maths.rotation import Array, copy_to, put_quat
from proxops.maths.stack import matrix, vector
from proxops.maths.triple import inverse, quad, rotated, triple

ASIDE_S = 1e-3  # before and after: second differences of 1e-16 m and of motions that change within 0.1 s err by some 1e-4 of them


@kernel
def put_flange_motion(
    lengths: Array, signs: Array, q: Array, dq: Array, ddq: Array, quat: Array, w: Array, alpha: Array, a: Array, p: Array
) -> None:  # fmt: skip
    """q_base_flange, rate, angular and linear acceleration in the flange's axes, place in the base's."""
    poses, quats, T, aside = matrix(3, 3), matrix(3, 4), matrix(4, 4), vector(7)
    for k in range(3):
        s = (k - 1) * ASIDE_S
        for i in range(7):
            aside[i] = q[i] + s * dq[i] + 0.5 * s * s * ddq[i]
        put_flange_pose(lengths, signs, aside, T)
        for i in range(3):
            poses[k, i] = T[i, 3]
        put_quat(T, quats[k])
    before, after, slope = vector(3), vector(3), matrix(3, 3)
    way_between(quats[0], quats[1], before)
    way_between(quats[1], quats[2], after)
    for i in range(3):
        slope[0, i] = (before[i] + after[i]) / (2.0 * ASIDE_S)
        slope[1, i] = (after[i] - before[i]) / (ASIDE_S * ASIDE_S)
        slope[2, i] = (poses[2, i] - 2.0 * poses[1, i] + poses[0, i]) / (ASIDE_S * ASIDE_S)
        p[i] = poses[1, i]
    copy_to(quats[1], quat)
    back = inverse(quad(quats[1], 0))
    w[0], w[1], w[2] = rotated(back, triple(slope[0], 0))
    alpha[0], alpha[1], alpha[2] = rotated(back, triple(slope[1], 0))
    a[0], a[1], a[2] = rotated(back, triple(slope[2], 0))

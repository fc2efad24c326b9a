"""Pose and velocity of one body seen from another that moves as well, and wrenches between their frames."""

from __future__ import annotations

import numpy as np

from proxops.maths.kernel import kernel
from proxops.maths.quaternion import cross, quat_inverse, quat_product, turned
from proxops.maths.rotation import Array


@kernel
def seen_from(
    pose_b: Array, twist_b: Array, pose_a: Array, twist_a: Array, point_b: Array, pose: Array, twist: Array
) -> None:
    """``pose`` (7): the point ``point_b`` of b and b's attitude in a's frame; ``twist`` (6): velocity of that point and rate
    of b as somebody who moves with a sees them, a's axes. Inputs packed in a common frame."""
    q_a = quat_inverse(pose_a[3:7])
    arm = turned(pose_b[3:7], point_b)
    gap = pose_b[0:3] + arm - pose_a[0:3]
    speed = twist_b[0:3] + cross(twist_b[3:6], arm) - twist_a[0:3] - cross(twist_a[3:6], gap)
    pose[0:3], pose[3:7] = turned(q_a, gap), quat_product(q_a, pose_b[3:7])
    twist[0:3], twist[3:6] = turned(q_a, speed), turned(q_a, twist_b[3:6] - twist_a[3:6])


@kernel
def wrench_at(wrench: Array, q_new_old: Array, p_old: Array) -> Array:
    """The same wrench about the point ``p_old`` (old axes, from the old origin), in new axes."""
    out = np.empty(6)
    out[0:3] = turned(q_new_old, wrench[0:3])
    out[3:6] = turned(q_new_old, wrench[3:6] - cross(p_old, wrench[0:3]))
    return out

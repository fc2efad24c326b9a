"""What takes one pose to another, as six numbers: place, then a small rotation on the left, R = Exp(δ) R̂."""

from __future__ import annotations

import numpy as np

from proxops.maths.quaternion import quat_inverse, quat_product, rotation_vector
from proxops.maths.rotation import Array


def pose_change(T_from: Array, T_to: Array) -> Array:
    """(6) m and rad, in the axes of the frame in which both poses (7) are given."""
    turn = np.empty(3)
    q_from = quat_inverse(np.ascontiguousarray(T_from[3:]))
    rotation_vector(quat_product(np.ascontiguousarray(T_to[3:]), q_from), turn)
    return np.concatenate([T_to[:3] - T_from[:3], turn])

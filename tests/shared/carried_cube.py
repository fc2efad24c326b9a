"""An LWR 4+ that carries a cube, and courses for it: straight flight, turning, bounces."""

import numpy as np

from proxops.arms.model import load_model
from proxops.maths.pose import pack_pose
from proxops.maths.rotation import Array, matrix_from_rotation_vector
from proxops.touch.srs_model import srs_arm

DT = 0.004
ARM = srs_arm(load_model("lwr_4plus", "flange"), np.full(7, 10.0), np.full(7, 300.0))
T_FLANGE_OBJECT = np.eye(4)
T_FLANGE_OBJECT[2, 3] = 0.2
HOME = np.radians([0.0, 60.0, 30.0, -90.0, 0.0, 60.0, 0.0])


def object_pose(joints: Array) -> Array:
    """T_base_object of the arm at ``joints``."""
    out: Array = ARM.flange(joints) @ T_FLANGE_OBJECT
    return out


def flight(n: int, v: Array, w: Array, start: Array | None = None, half: float = np.inf, at: int = 0) -> Array:
    """Poses (n, 7) of the cube in base axes, cycle by cycle: at rest for ``at`` cycles, then at velocity ``v`` and
    angular velocity ``w``; it bounces, with its turning reversed, ``half`` metres from where it started."""
    T, out = object_pose(HOME if start is None else start), np.zeros((n, 7))
    first, v, w = T[:3, 3].copy(), np.array(v, float), np.array(w, float)
    for k in range(n):
        pack_pose(T, out[k])
        if k < at:
            continue
        T[:3, 3] += v * DT
        T[:3, :3] = matrix_from_rotation_vector(w * DT) @ T[:3, :3]
        for i in range(3):
            away = T[i, 3] - first[i]
            if abs(away) > half and away * v[i] > 0.0:
                v[i], w = -v[i], -w
    return out


def place_error(joints: Array, pose: Array) -> float:
    """Distance of the cube from where it should be, m."""
    return float(np.linalg.norm(object_pose(joints)[:3, 3] - pose[:3]))

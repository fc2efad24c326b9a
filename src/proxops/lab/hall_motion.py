"""How the ports move: poses and velocities of both in the lab, from the axes and their rates."""

from __future__ import annotations

import numpy as np

from proxops.lab.coordinates import HallRecord, port_poses
from proxops.maths.kernel import kernel
from proxops.maths.pose import pack_pose
from proxops.maths.quaternion import way_between
from proxops.maths.rotation import Array

ASIDE_S = 1e-4  # before and after: at the hall's rates and accelerations the difference quotient errs by 1e-9 m/s


@kernel
def port_motion(hall: HallRecord, q: Array, rate: Array, poses: Array, twists: Array) -> None:
    """``poses`` (2, 7): T_lab_port packed; ``twists`` (2, 6): velocity of the port's origin and rate, lab axes."""
    before1, before2 = port_poses(hall, q - ASIDE_S * rate)
    after1, after2 = port_poses(hall, q + ASIDE_S * rate)
    now1, now2 = port_poses(hall, q)
    pack_pose(now1, poses[0])
    pack_pose(now2, poses[1])
    _difference(before1, after1, twists[0])
    _difference(before2, after2, twists[1])


@kernel
def _difference(before: Array, after: Array, twist: Array) -> None:
    a, b = np.empty(7), np.empty(7)
    pack_pose(before, a)
    pack_pose(after, b)
    for i in range(3):
        twist[i] = (b[i] - a[i]) / (2.0 * ASIDE_S)
    way_between(a[3:7], b[3:7], twist[3:6])
    for i in range(3, 6):
        twist[i] /= 2.0 * ASIDE_S

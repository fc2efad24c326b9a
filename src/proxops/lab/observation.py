"""What is seen of a hall in a cycle: poses of the ports, commanded and actual, and the actual values in the command's system."""

from __future__ import annotations

import numpy as np

from proxops.lab.coordinates import HallRecord, port_poses, values_from_axes
from proxops.maths.kernel import kernel
from proxops.maths.pose import compose, inverse_pose, pack_pose
from proxops.maths.rotation import Array


@kernel
def observe(
    hall: HallRecord,
    setpoint: Array,
    actual: Array,
    error: Array,
    system: int,
    pov: Array,
    ports: Array,
    answer: Array,
    truth: Array,
) -> None:
    """Fill ``ports`` (28: commanded 1, 2, actual 1, 2 packed), ``answer`` (22, wire units) and ``truth`` (7: T_port2_port1 as
    the hall truly shows it, its robots being off by ``error``)."""
    T1, T2 = port_poses(hall, setpoint)
    pack_pose(T1, ports[0:7])
    pack_pose(T2, ports[7:14])
    T1, T2 = port_poses(hall, actual)
    pack_pose(T1, ports[14:21])
    pack_pose(T2, ports[21:28])
    values_from_axes(hall, system, actual, pov, answer)
    q = np.empty(actual.size)
    for i in range(actual.size):
        q[i] = actual[i] + error[i]
    T1, T2 = port_poses(hall, q)
    pack_pose(compose(inverse_pose(T2), T1), truth)

"""What is seen of a hall in a cycle: poses of the ports, commanded and actual, and the actual values in the command's system."""

from __future__ import annotations

from proxops.core.messages import N_AXES
from proxops.lab.coordinates import HallRecord, put_port_poses, values_from_axes
from proxops.maths.kernel import kernel
from proxops.maths.pose import pack_pose, put_composed, put_inverse
from proxops.maths.rotation import Array
from proxops.maths.stack import matrix, vector


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
    T1, T2 = matrix(4, 4), matrix(4, 4)
    put_port_poses(hall, setpoint, T1, T2)
    pack_pose(T1, ports[0:7])
    pack_pose(T2, ports[7:14])
    put_port_poses(hall, actual, T1, T2)
    pack_pose(T1, ports[14:21])
    pack_pose(T2, ports[21:28])
    values_from_axes(hall, system, actual, pov, answer)
    q = vector(N_AXES)
    for i in range(N_AXES):
        q[i] = actual[i] + error[i]
    put_port_poses(hall, q, T1, T2)
    T_port2_lab, T_port2_port1 = matrix(4, 4), matrix(4, 4)
    put_inverse(T2, T_port2_lab)
    put_composed(T_port2_lab, T1, T_port2_port1)
    pack_pose(T_port2_port1, truth)

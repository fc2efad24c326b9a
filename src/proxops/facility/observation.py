"""What is told of a cycle: poses of the ports, commanded and actual, and the actual values in the command's system."""

from __future__ import annotations

from proxops.lab.coordinates import Hall, port_poses, values_from_axes
from proxops.maths.kernel import kernel
from proxops.maths.pose import pack_pose
from proxops.maths.rotation import Array


@kernel
def observe(hall: Hall, setpoint: Array, actual: Array, system: int, pov: Array, ports: Array, answer: Array) -> None:
    """Fill ``ports`` (28: commanded 1, 2, actual 1, 2 packed) and ``answer`` (22, wire units)."""
    T1, T2 = port_poses(hall, setpoint)
    pack_pose(T1, ports[0:7])
    pack_pose(T2, ports[7:14])
    T1, T2 = port_poses(hall, actual)
    pack_pose(T1, ports[14:21])
    pack_pose(T2, ports[21:28])
    values_from_axes(hall, system, actual, pov, answer)

"""Which robot shows which spacecraft: the chaser on robot 1 and the target on robot 2, or the other way round.

The mapping knows ports only: port 1 rides on the rail, on +x of port 2, and looks along its −x axis. Exchanged, port 1 is the
target and port 2 the chaser, each turned by half a turn about z, so that docking faces still look at each other:

    T_client_port1 = T_client_target Rz(π),   T_client_port2 = T_client_chaser Rz(π),

    T_port2_port1 = Rz(π)⁻¹ T_target_chaser⁻¹ Rz(π).

Applied twice this is nothing: the same functions lead in and out.
"""

from __future__ import annotations

import numpy as np

from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array, matrix_from_quat


@kernel
def exchange_values(values: Array, out: Array) -> None:
    """The 29 doubles of a command as they would be with the roles exchanged; the sun stays."""
    for body in range(2):
        a, b = 7 * body, 7 * (1 - body)
        out[a : a + 3] = values[b : b + 3]
        turn_half(values[b + 3 : b + 7], out[a + 3 : a + 7])
        v, w = 14 + 6 * body, 14 + 6 * (1 - body)
        out[v : v + 6] = values[w : w + 6]
    out[26:29] = values[26:29]


@kernel
def turn_half(q: Array, out: Array) -> None:
    """q Rz(π) in wire order (x y z w)."""
    x, y, z, w = q[0], q[1], q[2], q[3]
    out[0], out[1], out[2], out[3] = y, -x, w, -z


@kernel
def exchange_pose(pose: Array, out: Array) -> None:
    """T_port2_port1 of T_target_chaser, or T_target_chaser of T_port2_port1; packed (x y z, qw qx qy qz)."""
    R = matrix_from_quat(pose[3:7])
    p = np.empty(3)
    for i in range(3):
        p[i] = -(R[0, i] * pose[0] + R[1, i] * pose[1] + R[2, i] * pose[2])
    out[0], out[1], out[2] = -p[0], -p[1], p[2]
    w, x, y, z = pose[3], pose[4], pose[5], pose[6]
    out[3], out[4], out[5], out[6] = w, x, y, -z

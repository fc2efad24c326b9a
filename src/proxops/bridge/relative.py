"""From two poses in any frame to one relative pose: T_target_chaser and its rates, in the target's frame.

Positions are subtracted first, so that 7,000 km of ECI cost no more than their own last bit (1e-9 m).
"""

from __future__ import annotations

import numpy as np

from proxops.core.bridge_datagram import POSITION_MAX_M, RATE_MAX_RAD_S, SPEED_MAX_M_S, UNIT_TOLERANCE
from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array, matrix_from_quat
from proxops.maths.triple import composed, inverse, quad


@kernel
def unit_quat(q: Array, start: int, out: Array) -> None:
    """Quaternion from wire order (x y z w) to ours (w x y z), made exactly unit."""
    norm = np.sqrt(q[start] ** 2 + q[start + 1] ** 2 + q[start + 2] ** 2 + q[start + 3] ** 2)
    out[0] = q[start + 3] / norm
    for i in range(3):
        out[1 + i] = q[start + i] / norm


@kernel
def relative_pose(chaser: Array, target: Array, scale: float, pose: Array, anchor: Array) -> None:
    """T_target_chaser packed into ``pose`` and T_client_target into ``anchor``, from poses as on the wire. Distances are
    shortened by ``scale`` (a scaled mock-up stands for a craft further away)."""
    qc = np.empty(4)
    unit_quat(chaser, 3, qc)
    anchor[0:3] = target[0:3]
    unit_quat(target, 3, anchor[3:7])
    qt = anchor[3:7]
    R = matrix_from_quat(qt)
    d0, d1, d2 = chaser[0] - target[0], chaser[1] - target[1], chaser[2] - target[2]
    for i in range(3):
        pose[i] = scale * (R[0, i] * d0 + R[1, i] * d1 + R[2, i] * d2)
    pose[3], pose[4], pose[5], pose[6] = composed(inverse(quad(qt, 0)), quad(qc, 0))  # with w >= 0
    if pose[3] < 0.0:
        for i in range(3, 7):
            pose[i] = -pose[i]


@kernel
def relative_velocity(
    chaser: Array, target: Array, chaser_velocity: Array, target_velocity: Array, scale: float, out: Array
) -> None:
    """Rate of the relative position and angular rate of the chaser against the target, in the target's frame."""
    qt = np.empty(4)
    unit_quat(target, 3, qt)
    R = matrix_from_quat(qt)
    d0, d1, d2 = chaser[0] - target[0], chaser[1] - target[1], chaser[2] - target[2]
    w0, w1, w2 = target_velocity[3], target_velocity[4], target_velocity[5]
    v0 = chaser_velocity[0] - target_velocity[0] - (w1 * d2 - w2 * d1)
    v1 = chaser_velocity[1] - target_velocity[1] - (w2 * d0 - w0 * d2)
    v2 = chaser_velocity[2] - target_velocity[2] - (w0 * d1 - w1 * d0)
    r0, r1, r2 = chaser_velocity[3] - w0, chaser_velocity[4] - w1, chaser_velocity[5] - w2
    for i in range(3):
        out[i] = scale * (R[0, i] * v0 + R[1, i] * v1 + R[2, i] * v2)
        out[3 + i] = R[0, i] * r0 + R[1, i] * r1 + R[2, i] * r2


@kernel
def in_client_frame(anchor: Array, pose: Array, scale: float, chaser: Array, target: Array) -> None:
    """Both poses back in the client's frame and on the wire's order: the target where the client has it, the chaser where
    relative pose ``pose`` puts it."""
    R = matrix_from_quat(anchor[3:7])
    a = anchor[3:7]
    for i in range(3):
        target[i] = anchor[i]
        target[3 + i] = a[1 + i]
        chaser[i] = anchor[i] + (R[i, 0] * pose[0] + R[i, 1] * pose[1] + R[i, 2] * pose[2]) / scale
    target[6] = a[0]
    chaser[6], chaser[3], chaser[4], chaser[5] = composed(quad(a, 0), quad(pose, 3))


@kernel
def relative_of_ports(port1: Array, port2: Array, out: Array) -> None:
    """T_port2_port1 packed, from T_lab_port1 and T_lab_port2 packed: what the robots really show."""
    R = matrix_from_quat(port2[3:7])
    d0, d1, d2 = port1[0] - port2[0], port1[1] - port2[1], port1[2] - port2[2]
    for i in range(3):
        out[i] = R[0, i] * d0 + R[1, i] * d1 + R[2, i] * d2
    out[3], out[4], out[5], out[6] = composed(inverse(quad(port2, 3)), quad(port1, 3))


@kernel
def relative_sample(values: Array, velocities: bool, sun: bool, scale: float, out: Array) -> bool:
    """Relative pose (0-6), T_client_target (7-13) and relative velocity (14-19) of a command's 29 doubles as they lie on the
    wire. False, and nothing worth keeping, when a number is out of its bounds or a quaternion or the sun not of length one."""
    if sun and not abs(np.sqrt(values[26] ** 2 + values[27] ** 2 + values[28] ** 2) - 1.0) <= UNIT_TOLERANCE:
        return False
    for i in range(3):
        if not (abs(values[i]) <= POSITION_MAX_M and abs(values[7 + i]) <= POSITION_MAX_M):
            return False
        if velocities and not (
            abs(values[14 + i]) <= SPEED_MAX_M_S and abs(values[20 + i]) <= SPEED_MAX_M_S
            and abs(values[17 + i]) <= RATE_MAX_RAD_S and abs(values[23 + i]) <= RATE_MAX_RAD_S
        ):  # fmt: skip
            return False
    for start in (3, 10):
        norm = np.sqrt(values[start] ** 2 + values[start + 1] ** 2 + values[start + 2] ** 2 + values[start + 3] ** 2)
        if not abs(norm - 1.0) <= UNIT_TOLERANCE:
            return False
    relative_pose(values[0:7], values[7:14], scale, out[0:7], out[7:14])
    if velocities:
        relative_velocity(values[0:7], values[7:14], values[14:20], values[20:26], scale, out[14:20])
    return True

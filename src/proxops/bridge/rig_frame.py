"""The rig frame: a relative pose told as what the hall does to show it.

The line from wrist centre 2 to wrist centre 1 is the x axis of the frame *rig*; its y axis is the reference that is carried
along on the chaser without turning about the line (``mapping.carry``). In this frame a relative pose is

    L              m between the wrist centres: the rail's work,
    R_rig_chaser   the attitude that robot 1 gives its port, but for where the line lies in the lab and phi,
    R_rig_target   the same of robot 2.

With the free parameters at rest, R_lab_port1 = R_lab_rig R_rig_chaser and R_lab_port2 = R_lab_rig R_rig_target with a constant
R_lab_rig: rates in this frame *are* the ports' rates in the lab. The relative pose has no such measure: a chaser 20 m beside the
axis of a target that spins has a large speed in the target's frame, and robot 2 turns one axis.
"""

from __future__ import annotations

from proxops.bridge.mapping import Rig, carry, line_in_chaser
from proxops.maths.kernel import kernel
from proxops.maths.quaternion import put_unit
from proxops.maths.rotation import Array, copy_to, put_quat
from proxops.maths.stack import matrix, vector
from proxops.maths.triple import composed, inverse, quad, rotated, triple

NO_LINE = 1e-6  # m between the wrist centres, below which the line is the last one that there was


@kernel
def rig_coordinates(
    rig: Rig, pose: Array, line: Array, reference: Array, q_rig_chaser: Array, q_rig_target: Array
) -> float:
    """L (m), R_rig_chaser and R_rig_target of ``pose`` (T_target_chaser). ``line`` and ``reference`` (unit vectors in the
    chaser's frame) are carried from the pose before to this one."""
    new = vector(3)
    L = line_in_chaser(rig, pose, new)
    if L > NO_LINE:
        carry(new, line, reference)
        copy_to(new, line)
    R = matrix(3, 3)
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        R[0, i], R[1, i], R[2, i] = line[i], reference[i], line[j] * reference[k] - line[k] * reference[j]
    put_quat(R, q_rig_chaser)
    put_unit(q_rig_chaser, q_rig_chaser)
    put_unit(composed(quad(q_rig_chaser, 0), inverse(quad(pose, 3))), q_rig_target)
    return L


@kernel
def pose_in_rig(rig: Rig, L: float, q_rig_chaser: Array, q_rig_target: Array, pose: Array) -> None:
    """T_target_chaser into ``pose``: the inverse of ``rig_coordinates``."""
    r = rig[0]
    q_target_rig = inverse(quad(q_rig_target, 0))
    put_unit(composed(q_target_rig, quad(q_rig_chaser, 0)), pose[3:7])
    d_target, c1_target = rotated(q_target_rig, (L, 0.0, 0.0)), rotated(quad(pose, 3), triple(r.c1, 0))
    for i in range(3):
        pose[i] = r.c2[i] + d_target[i] - c1_target[i]


@kernel
def line_and_reference(q_rig_chaser: Array, line: Array, reference: Array) -> None:
    """The rig's x and y axes in the chaser's frame: rows of R_rig_chaser."""
    w, x, y, z = q_rig_chaser[0], q_rig_chaser[1], q_rig_chaser[2], q_rig_chaser[3]
    s = 2.0 / (w * w + x * x + y * y + z * z)
    line[0], line[1], line[2] = 1.0 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)
    reference[0], reference[1], reference[2] = s * (x * y + w * z), 1.0 - s * (x * x + z * z), s * (y * z - w * x)

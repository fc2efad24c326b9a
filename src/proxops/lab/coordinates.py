"""The four coordinate systems of the paper's Appendix A, both ways. Wire units live here and nowhere further in.

A command is 22 doubles: seven for robot 1, seven for robot 2, seven for the point of view, and ``data lin``:

====  ==========================  =======================  ====================================================
      robots                      point of view            data lin
====  ==========================  =======================  ====================================================
IJT   A1..A6 in deg               -                        rail position, mm
IDC   T_base_flange, mm, ABC deg  -                        rail position, mm
GLC   T_lab_port, m, ABC deg      -                        x of flange 1 in base 1, m
CLW   T_pov_port, m, quat x y z w T_lab_pov, m, quat xyzw  x of flange 1 in base 1, m
====  ==========================  =======================  ====================================================
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from proxops.lab.kinematics import REACH_ROUNDING, inverse_near, put_forward
from proxops.maths.kernel import kernel
from proxops.maths.pose import compose, inverse_pose, pose_from_abc, put_composed, put_inverse, put_last_row
from proxops.maths.rotation import Array, abc_angles, put_matrix, put_quat
from proxops.maths.stack import matrix, vector

HallRecord = NDArray[np.void]

CLW, GLC, IJT, IDC = 1, 2, 3, 4  # core.vocabulary.System, as plain numbers for the kernels
ROB1, ROB2, POV, LIN = 0, 7, 14, 21  # where each part starts in the 22 doubles
DEG, MM = math.pi / 180.0, 1e-3
QUAT_TOLERANCE = 1e-6  # |norm - 1| that rounding to six decimals can cause

OK, UNREACHABLE1, UNREACHABLE2, UNKNOWN_SYSTEM, NOT_FINITE, NOT_UNIT = range(6)


def robot_of(code: int) -> str:
    """Which robot a code of ``axes_from_values`` speaks of."""
    return "robot 1" if code == UNREACHABLE1 else "robot 2"


POV_AT_LAB = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0])
"""Point of view in the lab's origin, as on the wire."""


@kernel
def flange_poses(hall: HallRecord, q: Array) -> tuple[Array, Array]:
    """T_lab_flange1 and T_lab_flange2."""
    T1, T2 = np.empty((4, 4)), np.empty((4, 4))
    put_flange_poses(hall, q, T1, T2)
    put_last_row(T1)
    put_last_row(T2)
    return T1, T2


@kernel
def put_flange_poses(hall: HallRecord, q: Array, T_lab_flange1: Array, T_lab_flange2: Array) -> None:
    """The upper rows of both."""
    h, T_base_flange = hall[0], matrix(4, 4)
    put_forward(h.lengths1, q[1:7], T_base_flange)
    put_composed(h.base1, T_base_flange, T_lab_flange1)
    T_lab_flange1[0, 3] += q[0]
    put_forward(h.lengths2, q[7:13], T_base_flange)
    put_composed(h.base2, T_base_flange, T_lab_flange2)


@kernel
def port_poses(hall: HallRecord, q: Array) -> tuple[Array, Array]:
    """T_lab_port1 and T_lab_port2."""
    T1, T2 = np.empty((4, 4)), np.empty((4, 4))
    put_port_poses(hall, q, T1, T2)
    put_last_row(T1)
    put_last_row(T2)
    return T1, T2


@kernel
def put_port_poses(hall: HallRecord, q: Array, T_lab_port1: Array, T_lab_port2: Array) -> None:
    """The upper rows of both."""
    h, T_lab_flange1, T_lab_flange2 = hall[0], matrix(4, 4), matrix(4, 4)
    put_flange_poses(hall, q, T_lab_flange1, T_lab_flange2)
    put_composed(T_lab_flange1, h.port1, T_lab_port1)
    put_composed(T_lab_flange2, h.port2, T_lab_port2)


@kernel
def check_values(system: int, v: Array) -> tuple[int, int, float]:
    """What is wrong with the 22 doubles as such: (code, column counted from 0, value)."""
    if system < 1 or system > 4:
        return UNKNOWN_SYSTEM, -1, float(system)
    for i in range(22):
        if not math.isfinite(v[i]):
            return NOT_FINITE, i, v[i]
    if system == CLW:
        for start in (ROB1, ROB2, POV):
            x, y, z, w = v[start + 3], v[start + 4], v[start + 5], v[start + 6]
            norm = math.sqrt(x * x + y * y + z * z + w * w)
            if abs(norm - 1.0) > QUAT_TOLERANCE:
                return NOT_UNIT, start + 3, norm
    return OK, -1, 0.0


@kernel
def wire_pose(v: Array, start: int) -> Array:
    """Pose from x y z and a quaternion with the scalar last."""
    T = np.empty((4, 4))
    _put_wire_pose(v, start, T)
    put_last_row(T)
    return T


@kernel
def _put_wire_pose(v: Array, start: int, T: Array) -> None:
    """The upper rows of it."""
    q = vector(4)
    q[0] = v[start + 6]
    for i in range(3):
        T[i, 3], q[1 + i] = v[start + i], v[start + 3 + i]
    put_matrix(q, T)


@kernel
def _lab_ports(system: int, v: Array) -> tuple[Array, Array]:
    """T_lab_port1 and T_lab_port2 of a GLC or CLW command."""
    if system == GLC:
        return (
            pose_from_abc(v[0], v[1], v[2], v[3] * DEG, v[4] * DEG, v[5] * DEG),
            pose_from_abc(v[7], v[8], v[9], v[10] * DEG, v[11] * DEG, v[12] * DEG),
        )
    T_lab_pov = wire_pose(v, POV)
    return compose(T_lab_pov, wire_pose(v, ROB1)), compose(T_lab_pov, wire_pose(v, ROB2))


@kernel
def axes_from_values(
    hall: HallRecord, system: int, v: Array, reference: Array, start: bool, q: Array
) -> tuple[int, float]:
    """The thirteen axes (m, rad) of a command into ``q``, nearest to ``reference``; (code, metres beyond reach)."""
    h = hall[0]
    if system == IJT:
        q[0] = v[LIN] * MM
        for i in range(6):
            q[1 + i] = v[ROB1 + i] * DEG
            q[7 + i] = v[ROB2 + i] * DEG
        return OK, 0.0
    if system == IDC:
        q[0] = v[LIN] * MM
        T_base1_flange1 = pose_from_abc(v[0] * MM, v[1] * MM, v[2] * MM, v[3] * DEG, v[4] * DEG, v[5] * DEG)
        T_base2_flange2 = pose_from_abc(v[7] * MM, v[8] * MM, v[9] * MM, v[10] * DEG, v[11] * DEG, v[12] * DEG)
    else:
        T_lab_port1, T_lab_port2 = _lab_ports(system, v)
        T_lab_flange1 = compose(T_lab_port1, h.port1_inv)
        T_base1_flange1 = compose(inverse_pose(h.base1), T_lab_flange1)  # with the rail at zero
        # The rail takes whatever x is left when flange 1 stands data lin ahead of its base; base x is lab -x or +x.
        direction = h.base1[0, 0]
        q[0] = (T_base1_flange1[0, 3] - v[LIN]) * direction
        T_base1_flange1[0, 3] = v[LIN]
        T_base2_flange2 = compose(inverse_pose(h.base2), compose(T_lab_port2, h.port2_inv))
    beyond = inverse_near(h.lengths1, T_base1_flange1, reference[1:7], h.lower[1:7], h.upper[1:7], start, q[1:7])
    if not beyond <= REACH_ROUNDING:
        return UNREACHABLE1, beyond
    beyond = inverse_near(h.lengths2, T_base2_flange2, reference[7:13], h.lower[7:13], h.upper[7:13], start, q[7:13])
    if not beyond <= REACH_ROUNDING:
        return UNREACHABLE2, beyond
    return OK, beyond


@kernel
def _put_abc(T: Array, length: float, v: Array, start: int) -> None:
    abc = abc_angles(T)
    for i in range(3):
        v[start + i] = T[i, 3] / length
        v[start + 3 + i] = abc[i] / DEG
    v[start + 6] = 0.0


@kernel
def _put_quat(T: Array, v: Array, start: int) -> None:
    q = vector(4)
    put_quat(T, q)
    for i in range(3):
        v[start + i] = T[i, 3]
        v[start + 3 + i] = q[1 + i]
    v[start + 6] = q[0]


@kernel
def values_from_axes(hall: HallRecord, system: int, q: Array, pov: Array, v: Array) -> None:
    """The 22 doubles of axes ``q`` in ``system``; ``pov`` (7, as on the wire) is used and repeated for CLW only."""
    h = hall[0]
    v[:] = 0.0
    if system == IJT:
        v[LIN] = q[0] / MM
        for i in range(6):
            v[ROB1 + i] = q[1 + i] / DEG
            v[ROB2 + i] = q[7 + i] / DEG
        return
    T_base1_flange1, T_base2_flange2 = matrix(4, 4), matrix(4, 4)
    put_forward(h.lengths1, q[1:7], T_base1_flange1)
    put_forward(h.lengths2, q[7:13], T_base2_flange2)
    if system == IDC:
        v[LIN] = q[0] / MM
        _put_abc(T_base1_flange1, MM, v, ROB1)
        _put_abc(T_base2_flange2, MM, v, ROB2)
        return
    v[LIN] = T_base1_flange1[0, 3]
    T_lab_flange, T_lab_port1, T_lab_port2 = matrix(4, 4), matrix(4, 4), matrix(4, 4)
    put_composed(h.base1, T_base1_flange1, T_lab_flange)
    put_composed(T_lab_flange, h.port1, T_lab_port1)
    T_lab_port1[0, 3] += q[0]
    put_composed(h.base2, T_base2_flange2, T_lab_flange)
    put_composed(T_lab_flange, h.port2, T_lab_port2)
    if system == GLC:
        _put_abc(T_lab_port1, 1.0, v, ROB1)
        _put_abc(T_lab_port2, 1.0, v, ROB2)
        return
    for i in range(7):
        v[POV + i] = pov[i]
    T_lab_pov, T_pov_lab, T_pov_port = matrix(4, 4), matrix(4, 4), matrix(4, 4)
    _put_wire_pose(v, POV, T_lab_pov)
    put_inverse(T_lab_pov, T_pov_lab)
    put_composed(T_pov_lab, T_lab_port1, T_pov_port)
    _put_quat(T_pov_port, v, ROB1)
    put_composed(T_pov_lab, T_lab_port2, T_pov_port)
    _put_quat(T_pov_port, v, ROB2)


@kernel
def axes_from_lines(
    hall: HallRecord, systems: NDArray[np.int16], values: Array, posture: Array, q: Array
) -> tuple[int, int, float]:
    """Axes of a whole trajectory into ``q`` (n, 13), the first nearest to ``posture``, each next to the one before.
    Returns (lines done, code, metres beyond reach) and ends at the first line that cannot be reached."""
    reference = posture
    for k in range(values.shape[0]):
        code, beyond = axes_from_values(hall, systems[k], values[k], reference, k == 0, q[k])
        if code != OK:
            return k, code, beyond
        reference = q[k]
    return values.shape[0], OK, 0.0


@kernel
def lines_from_axes(hall: HallRecord, system: int, q: Array, pov: Array, values: Array) -> None:
    """Lines of a whole trajectory in ``system``; ``pov`` is (n, 7)."""
    for k in range(q.shape[0]):
        values_from_axes(hall, system, q[k], pov[k], values[k])

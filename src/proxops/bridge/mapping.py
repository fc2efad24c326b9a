"""Relative pose mapping: one relative pose and seven free parameters become thirteen axes, in closed form.

The hall has 13 degrees of freedom, a relative pose has 6. Free are axes 1 to 3 of both arms and phi, the roll of the whole
rig about the line that joins the two wrist centres. Given those, everything else follows (docs/bridge.md draws it):

1. Wrist centres are fixed points of the spacecraft: ``c1`` in port 1, ``c2`` in port 2. The relative pose fixes the vector
   ``d`` from wrist centre 2 to wrist centre 1 in the target's frame, and its length L.
2. Axes 1 to 3 put wrist centre 2 into the lab and wrist centre 1 up to the rail. With dy, dz between them the rail follows
   from dx² = L² − dy² − dz², on the root with the chaser on +x of the target, never on the other.
3. The line u = (dx, dy, dz) / L and phi give the chaser's attitude: R_lab_chaser = B_lab Rx(phi) B_chaserᵀ, where B_lab has
   u, a horizontal and an upward column, and B_chaser has the same line as the chaser sees it and a reference that is carried
   along without turning (parallel transport), so that a spinning target does not drag the chaser round.
4. What is left of each attitude after the forearm goes to axes 4 to 6, with the sign of A5 fixed and turns counted.

The relative pose is reproduced exactly whatever the free parameters do; a pose that has no root is refused, never clamped.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.messages import N_AXES
from proxops.lab.cell import Cell
from proxops.lab.coordinates import HallRecord
from proxops.lab.kinematics import wrist
from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array, nearest_turn, put_matrix
from proxops.maths.stack import matrix, vector

N_FREE: Final = 7
PHI: Final = 6  # its place among the free parameters, after A1..A3 of robot 1 and of robot 2
LATERAL_MAX: Final = 0.8  # of the wrist centres' distance, across the rail: beyond it the root is refused
SHORTEST: Final = 0.3  # m between the wrist centres, below which no line joins them
OK, NO_ROOT, TOO_NEAR = 0, 1, 2

RIG_DTYPE = np.dtype(
    [
        ("c1", "f8", (3,)), ("c2", "f8", (3,)),  # wrist centres in port 1 and port 2
        ("F1", "f8", (3, 3)), ("F2", "f8", (3, 3)),  # R_port_flange
        ("sign1", "f8"), ("sign2", "f8"),  # of A5, for a run
    ]
)  # fmt: skip
"""What the mapping needs beside the hall's record."""

PLACE_DTYPE = np.dtype(
    [
        ("q", "f8", (N_AXES,)),  # the thirteen axes
        ("L", "f8"), ("d", "f8", (3,)),  # distance of the wrist centres, and W1 - W2 in the lab
        ("W1", "f8", (3,)), ("W2", "f8", (3,)),  # wrist centres in the lab
        ("R1", "f8", (3, 3)), ("R2", "f8", (3, 3)),  # R_lab_port
        ("P1", "f8", (3,)), ("P2", "f8", (3,)),  # ports in the lab
    ]
)  # fmt: skip
"""Where everything is: what ``place`` finds, and the cost and its gradient are computed from."""

Rig = NDArray[np.void]
Place = NDArray[np.void]


def rig_of(cell: Cell, signs: tuple[float, float] = (1.0, 1.0)) -> Rig:
    """Constants of the mapping for a cell."""
    rig = np.zeros(1, RIG_DTYPE)
    r, h = rig[0], cell.hall[0]
    for c, F, inverse, lengths in (("c1", "F1", "port1_inv", "lengths1"), ("c2", "F2", "port2_inv", "lengths2")):
        T_port_flange = h[inverse]
        r[F] = T_port_flange[:3, :3]
        r[c] = T_port_flange[:3, 3] - h[lengths][5] * T_port_flange[:3, 2]
    r["sign1"], r["sign2"] = signs
    return rig


@kernel
def wrist_centre(lengths: Array, a1: float, a2: float, a3: float) -> tuple[float, float, float]:
    """Wrist centre in the base frame."""
    c3, s3 = math.cos(a2 + a3), math.sin(a2 + a3)
    r = lengths[0] + lengths[2] * math.cos(a2) + c3 * lengths[4] + s3 * lengths[3]
    z = lengths[1] - lengths[2] * math.sin(a2) - s3 * lengths[4] + c3 * lengths[3]
    return math.cos(a1) * r, -math.sin(a1) * r, z


@kernel
def line_in_chaser(rig: Rig, pose: Array, line: Array) -> float:
    """Direction from wrist centre 2 to wrist centre 1 in the chaser's frame, and their distance. ``pose`` is T_target_chaser."""
    r = rig[0]
    R = matrix(3, 3)
    put_matrix(pose[3:7], R)
    x, y, z = pose[0] - r.c2[0], pose[1] - r.c2[1], pose[2] - r.c2[2]
    L = 0.0
    for i in range(3):
        line[i] = R[0, i] * x + R[1, i] * y + R[2, i] * z + r.c1[i]
        L += line[i] * line[i]
    L = math.sqrt(L)
    if L > 0.0:
        for i in range(3):
            line[i] /= L
    return L


@kernel
def carry(line: Array, line_before: Array, reference: Array) -> None:
    """Parallel transport: turn ``reference`` as the line turned, the short way, and keep it a unit vector across the line."""
    # For unit vectors a -> b the minimal rotation takes r (across a) to r - (r.b) / (1 + a.b) (a + b).
    dot, along = 0.0, 0.0
    for i in range(3):
        dot += line_before[i] * line[i]
        along += reference[i] * line[i]
    if dot > -0.999:
        for i in range(3):
            reference[i] -= along / (1.0 + dot) * (line_before[i] + line[i])
    square_across(line, reference)


@kernel
def square_across(line: Array, reference: Array) -> None:
    """Make ``reference`` a unit vector across the line; any, when it lies along it."""
    for _ in range(2):
        along, norm = 0.0, 0.0
        for i in range(3):
            along += reference[i] * line[i]
        for i in range(3):
            reference[i] -= along * line[i]
            norm += reference[i] * reference[i]
        norm = math.sqrt(norm)
        if norm > 1e-6:
            for i in range(3):
                reference[i] /= norm
        else:
            k = 0
            for i in range(1, 3):
                k = i if abs(line[i]) < abs(line[k]) else k
            for i in range(3):
                reference[i] = 1.0 if i == k else 0.0


@kernel
def rig_axes(d: Array, L: float, B: Array) -> None:
    """B_lab of the line ``d``, which is ``L`` long: along it, a horizontal axis across it, and the one that points up."""
    u = d[0] / L, d[1] / L, d[2] / L
    n = math.hypot(u[0], u[1])
    B[0, 0], B[1, 0], B[2, 0] = u[0], u[1], u[2]
    B[0, 1], B[1, 1], B[2, 1] = -u[1] / n, u[0] / n, 0.0
    B[0, 2], B[1, 2], B[2, 2] = -u[2] * u[0] / n, -u[2] * u[1] / n, n


@kernel
def place(hall: HallRecord, rig: Rig, pose: Array, free: Array, reference: Array, near: Array, out: Place) -> int:
    """The thirteen axes (and all that ``PLACE_DTYPE`` names) that show ``pose`` with parameters ``free``.

    ``pose`` is T_target_chaser packed, ``reference`` the carried unit vector in the chaser's frame; turns of axes are
    those nearest to ``near``. Returns OK, NO_ROOT or TOO_NEAR; ``out`` is good only with OK."""
    h, r, o = hall[0], rig[0], out[0]
    line = vector(3)
    L = line_in_chaser(rig, pose, line)
    if not L >= SHORTEST:
        return TOO_NEAR
    x1, y1, z1 = wrist_centre(h.lengths1, free[0], free[1], free[2])
    x2, y2, z2 = wrist_centre(h.lengths2, free[3], free[4], free[5])
    b1, b2 = h.base1, h.base2
    for i in range(3):
        o.W1[i] = b1[i, 0] * x1 + b1[i, 1] * y1 + b1[i, 2] * z1 + b1[i, 3]  # with the rail at zero
        o.W2[i] = b2[i, 0] * x2 + b2[i, 1] * y2 + b2[i, 2] * z2 + b2[i, 3]
    dy, dz = o.W1[1] - o.W2[1], o.W1[2] - o.W2[2]
    lateral = math.hypot(dy, dz)
    if not lateral <= LATERAL_MAX * L:
        return NO_ROOT
    dx = math.sqrt((L - lateral) * (L + lateral))
    rail = dx + o.W2[0] - o.W1[0]
    o.W1[0] = o.W2[0] + dx
    o.L, o.d[0], o.d[1], o.d[2] = L, dx, dy, dz
    _attitudes(rig, pose, free[PHI], line, reference, out)
    for i in range(3):
        o.P1[i] = o.W1[i] - (o.R1[i, 0] * r.c1[0] + o.R1[i, 1] * r.c1[1] + o.R1[i, 2] * r.c1[2])
        o.P2[i] = o.W2[i] - (o.R2[i, 0] * r.c2[0] + o.R2[i, 1] * r.c2[1] + o.R2[i, 2] * r.c2[2])
    o.q[0] = rail
    for i in range(3):
        o.q[1 + i], o.q[7 + i] = free[i], free[3 + i]
    _wrist_axes(h.base1, r.F1, o.R1, r.sign1, near[1:7], o.q[1:7])
    _wrist_axes(h.base2, r.F2, o.R2, r.sign2, near[7:13], o.q[7:13])
    return OK


@kernel
def _attitudes(rig: Rig, pose: Array, phi: float, line: Array, reference: Array, out: Place) -> None:
    """R_lab_port1 from the line, phi and the carried reference; R_lab_port2 from the relative attitude."""
    o = out[0]
    B_lab, M = matrix(3, 3), matrix(3, 3)
    rig_axes(o.d, o.L, B_lab)
    c, s = math.cos(phi), math.sin(phi)
    for i in range(3):  # M = B_lab Rx(phi)
        M[i, 0] = B_lab[i, 0]
        M[i, 1] = c * B_lab[i, 1] + s * B_lab[i, 2]
        M[i, 2] = -s * B_lab[i, 1] + c * B_lab[i, 2]
    third = vector(3)
    third[0] = line[1] * reference[2] - line[2] * reference[1]
    third[1] = line[2] * reference[0] - line[0] * reference[2]
    third[2] = line[0] * reference[1] - line[1] * reference[0]
    R = matrix(3, 3)
    put_matrix(pose[3:7], R)
    for i in range(3):
        for j in range(3):
            o.R1[i, j] = M[i, 0] * line[j] + M[i, 1] * reference[j] + M[i, 2] * third[j]
    for i in range(3):
        for j in range(3):
            o.R2[i, j] = o.R1[i, 0] * R[j, 0] + o.R1[i, 1] * R[j, 1] + o.R1[i, 2] * R[j, 2]


@kernel
def _wrist_axes(base: Array, R_port_flange: Array, R_lab_port: Array, sign: float, near: Array, q: Array) -> None:
    """A4..A6 of one arm into ``q`` (6), whose first three are given."""
    F, T = matrix(3, 3), matrix(3, 3)
    for i in range(3):
        for j in range(3):
            F[i, j] = (
                R_lab_port[i, 0] * R_port_flange[0, j]
                + R_lab_port[i, 1] * R_port_flange[1, j]
                + R_lab_port[i, 2] * R_port_flange[2, j]
            )
    for i in range(3):
        for j in range(3):
            T[i, j] = base[0, i] * F[0, j] + base[1, i] * F[1, j] + base[2, i] * F[2, j]
    both = matrix(2, 6)
    wrist(T, -q[0], q[1] + q[2], near[3], both)
    row = 0 if sign > 0.0 else 1
    for i in range(3, 6):
        q[i] = nearest_turn(both[row, i], near[i])


@kernel
def phi_of(rig: Rig, pose: Array, reference: Array, place_: Place) -> float:
    """The phi that goes with attitudes and line in ``place_`` (R1, d, L): the inverse of ``_attitudes``."""
    o = place_[0]
    line, B_lab = vector(3), matrix(3, 3)
    line_in_chaser(rig, pose, line)
    rig_axes(o.d, o.L, B_lab)
    across, up = 0.0, 0.0
    for i in range(3):
        b = o.R1[i, 0] * reference[0] + o.R1[i, 1] * reference[1] + o.R1[i, 2] * reference[2]
        across += b * B_lab[i, 1]
        up += b * B_lab[i, 2]
    return math.atan2(up, across)

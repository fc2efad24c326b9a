"""Closed-form kinematics of a six-axis arm with a spherical wrist, in KUKA's conventions.

``lengths`` = (a1, d1, a2, a3, d4, d6) in metres, ``q`` = A1..A6 in radians as KUKA counts them. The chain is
T_base_flange = Rz(-A1) T(a1,0,d1) Ry(A2) T(a2,0,0) Ry(A3) T(0,0,a3) Rx(-A4) T(d4,0,0) Ry(A5) Rx(-A6) T(d6,0,0) Ry(90 deg):
all axes zero stretches the arm along +x, the flange's z points out of the plate. An inverse has up to eight branches,
numbered 4*shoulder + 2*elbow + wrist: shoulder 1 reaches backwards over axis 1, elbow 1 bends the other way, wrist 1
has A5 < 0.
"""

from __future__ import annotations

import math

import numpy as np

from proxops.maths.kernel import kernel
from proxops.maths.pose import put_last_row
from proxops.maths.rotation import Array, nearest_turn
from proxops.maths.stack import matrix, vector

BRANCHES = 8
WRIST_HOLD = 5e-10  # |sin A5| below which A4 is held and only A4+A6 is solved; bounds the attitude error it costs
REACH_ROUNDING = 1e-12  # metres by which arithmetic alone may put a wrist centre beyond reach


@kernel
def forward(lengths: Array, q: Array) -> Array:
    """T_base_flange."""
    T = np.empty((4, 4))
    put_forward(lengths, q, T)
    put_last_row(T)
    return T


@kernel
def put_forward(lengths: Array, q: Array, T: Array) -> None:
    """The upper rows of T_base_flange, into ``T``."""
    a1, d1, a2, a3, d4, d6 = lengths[0], lengths[1], lengths[2], lengths[3], lengths[4], lengths[5]
    c1, s1 = math.cos(q[0]), -math.sin(q[0])
    c2, s2 = math.cos(q[1]), math.sin(q[1])
    c3, s3 = math.cos(q[1] + q[2]), math.sin(q[1] + q[2])
    c4, s4 = math.cos(q[3]), -math.sin(q[3])
    c5, s5 = math.cos(q[4]), math.sin(q[4])
    c6, s6 = math.cos(q[5]), -math.sin(q[5])
    # R_3_6 = Rx Ry Rx in the forearm's frame.
    m00, m01, m02 = c5, s5 * s6, s5 * c6
    m10, m11, m12 = s4 * s5, c4 * c6 - s4 * c5 * s6, -c4 * s6 - s4 * c5 * c6
    m20, m21, m22 = -c4 * s5, s4 * c6 + c4 * c5 * s6, -s4 * s6 + c4 * c5 * c6
    # R_0_3 = Rz(-A1) Ry(A2+A3); flange columns are (-z6, y6, x6): the turn of 90 deg about y.
    for j in range(3):
        if j == 0:
            u, v, w = -m02, -m12, -m22
        elif j == 1:
            u, v, w = m01, m11, m21
        else:
            u, v, w = m00, m10, m20
        r = c3 * u + s3 * w
        T[0, j] = c1 * r - s1 * v
        T[1, j] = s1 * r + c1 * v
        T[2, j] = -s3 * u + c3 * w
    r = a1 + a2 * c2 + c3 * d4 + s3 * a3
    T[0, 3] = c1 * r + d6 * T[0, 2]
    T[1, 3] = s1 * r + d6 * T[1, 2]
    T[2, 3] = d1 - a2 * s2 - s3 * d4 + c3 * a3 + d6 * T[2, 2]


@kernel
def inverse(lengths: Array, T_base_flange: Array, a4_hold: float, out: Array) -> float:
    """Fill ``out`` (8, 6) with every branch; a branch out of reach is NaN.

    Returns how far the wrist centre lies beyond reach in metres (<= 0: reachable). ``a4_hold`` is used where A5 = 0.
    """
    a1, d1, a2, a3, d4, d6 = lengths[0], lengths[1], lengths[2], lengths[3], lengths[4], lengths[5]
    T = T_base_flange
    x, y, z = T[0, 3] - d6 * T[0, 2], T[1, 3] - d6 * T[1, 2], T[2, 3] - d6 * T[2, 2]
    forearm, bend0 = math.hypot(d4, a3), math.atan2(-a3, d4)
    beyond = np.inf
    for shoulder in range(2):
        sign = 1.0 - 2.0 * shoulder
        azimuth = math.atan2(sign * y, sign * x)
        # In the arm's plane, with the second coordinate pointing down, axes 2 and 3 turn the usual way.
        u, v = sign * math.hypot(x, y) - a1, d1 - z
        distance = math.hypot(u, v)
        excess = max(distance - (a2 + forearm), abs(a2 - forearm) - distance)
        beyond = min(beyond, excess)
        if not excess <= REACH_ROUNDING:  # also when NaN came in
            out[4 * shoulder : 4 * shoulder + 4, :] = np.nan
            continue
        cosine = (distance * distance - a2 * a2 - forearm * forearm) / (2.0 * a2 * forearm)
        cosine = min(1.0, max(-1.0, cosine))
        for elbow in range(2):
            bend = (1.0 - 2.0 * elbow) * math.atan2(math.sqrt((1.0 - cosine) * (1.0 + cosine)), cosine)
            q2 = math.atan2(v, u) - math.atan2(forearm * math.sin(bend), a2 + forearm * math.cos(bend))
            q3 = bend - bend0
            row = 4 * shoulder + 2 * elbow
            wrist(T, azimuth, q2 + q3, a4_hold, out[row : row + 2, :])
            for k in range(2):
                out[row + k, 0], out[row + k, 1], out[row + k, 2] = -azimuth, q2, q3
    return beyond


@kernel
def wrist(T: Array, azimuth: float, pitch: float, a4_hold: float, out: Array) -> None:
    """A4..A6 of both wrist branches from the attitude left over after the forearm. A5 and A6 follow from the chosen
    A4, so that the three together stay exact however small A5 is."""
    c1, s1, c3, s3 = math.cos(azimuth), math.sin(azimuth), math.cos(pitch), math.sin(pitch)
    m = matrix(3, 3)  # R_3_6 = R_0_3^T R_0_6, with x6 = flange z, z6 = -flange x
    for j in range(3):
        if j == 0:
            gx, gy, gz = T[0, 2], T[1, 2], T[2, 2]
        elif j == 1:
            gx, gy, gz = T[0, 1], T[1, 1], T[2, 1]
        else:
            gx, gy, gz = -T[0, 0], -T[1, 0], -T[2, 0]
        r = c1 * gx + s1 * gy
        m[0, j] = c3 * r - s3 * gz
        m[1, j] = -s1 * gx + c1 * gy
        m[2, j] = s3 * r + c3 * gz
    singular = math.hypot(m[1, 0], m[2, 0]) < WRIST_HOLD
    for k in range(2):
        sign = 1.0 - 2.0 * k
        roll = -a4_hold if singular else math.atan2(sign * m[1, 0], -sign * m[2, 0])
        ca, sa = math.cos(roll), math.sin(roll)
        out[k, 3] = -roll
        out[k, 4] = math.atan2(sa * m[1, 0] - ca * m[2, 0], m[0, 0])
        out[k, 5] = -math.atan2(-(ca * m[1, 2] + sa * m[2, 2]), ca * m[1, 1] + sa * m[2, 1])


@kernel
def inverse_near(
    lengths: Array, T_base_flange: Array, reference: Array, lower: Array, upper: Array, start: bool, q: Array
) -> float:
    """The branch and turns nearest to ``reference`` into ``q``; returns the distance beyond reach (<= 0: found).

    In motion (``start`` False) nearness alone decides: at a limit the answer runs over it and the guard names it,
    rather than jumping to another branch or turn. At a start, postures inside the limits come first.
    """
    branches = matrix(BRANCHES, 6)
    beyond = inverse(lengths, T_base_flange, reference[3], branches)
    if not beyond <= REACH_ROUNDING:  # also when NaN came in
        return beyond
    best = np.inf
    candidate = vector(6)
    for row in range(BRANCHES):
        if math.isnan(branches[row, 0]):
            continue
        cost = 0.0
        for i in range(6):
            angle = nearest_turn(branches[row, i], reference[i])
            if start and not lower[i] <= angle <= upper[i]:
                other = angle - 2.0 * math.pi if angle > upper[i] else angle + 2.0 * math.pi
                if lower[i] <= other <= upper[i]:
                    angle = other
                else:
                    cost += 1e6
            candidate[i] = angle
            cost += (angle - reference[i]) ** 2
        if cost < best:
            best = cost
            for i in range(6):
                q[i] = candidate[i]
    return beyond if best < np.inf else np.inf  # an attitude that is not a number has no branch


@kernel
def singularity_margins(lengths: Array, q: Array) -> tuple[float, float, float]:
    """Distance to the three singularities: wrist |sin A5|-like angle (rad), elbow angle (rad), wrist centre from axis 1 (m)."""
    a1, a2, a3, d4 = lengths[0], lengths[2], lengths[3], lengths[4]
    wrist = abs(math.asin(math.sin(q[4])))
    elbow = abs(math.asin(math.sin(q[2] + math.atan2(-a3, d4))))
    c3, s3 = math.cos(q[1] + q[2]), math.sin(q[1] + q[2])
    shoulder = abs(a1 + a2 * math.cos(q[1]) + c3 * d4 + s3 * a3)
    return wrist, elbow, shoulder

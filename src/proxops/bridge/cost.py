"""What a good posture is: a cost over axes, ports and attitudes, and its exact gradient in the seven free parameters.

Every term is a fence: nothing inside, a parabola from a soft edge on, so that the sum is smooth and its gradient bounded by
how far one has gone. Fences stand at axis ranges, at A5 = 0, at the stretched elbow, at axis 1, at Table 3's positions and
attitudes, at the walls of the spacecraft's room and at the lateral offset for which the rail has no root; weak parabolas pull
arms to their middle posture and the chaser to the middle of the hall; the sun's direction is a cosine. The gradient is that of
rigid bodies: a change of one free parameter moves the wrist centres (v), turns forearms (w_forearm) and the whole rig (w_rig),
and the terms' derivatives are collected as forces on ports, torques on attitudes and torques of wrists, so that each parameter
needs a few dot products.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.bridge.mapping import LATERAL_MAX, N_FREE, PHI, Place
from proxops.bridge.penalty import fence
from proxops.bridge.reach import plate_angles
from proxops.bridge.walls import WALL_FIELDS, put_walls, wall_terms
from proxops.core.messages import N_AXES
from proxops.lab.cell import Cell
from proxops.lab.coordinates import HallRecord
from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array, nearest_turn
from proxops.maths.stack import matrix, vector

DEG: Final = math.pi / 180.0

COST_DTYPE = np.dtype(
    [
        ("rest", "f8", (6,)), ("pull", "f8", (6,)),  # middle posture of A1..A3 of both arms, weights
        ("axis_weight", "f8", (N_AXES,)), ("axis_soft", "f8", (N_AXES,)),  # fences at axis ranges
        ("wrist_soft", "f8"), ("wrist_weight", "f8"),  # |A5| from zero
        ("wrist_max", "f8"), ("wrist_max_soft", "f8"),  # |A5| at which the plate comes near its own forearm
        ("elbow_soft", "f8"), ("elbow_weight", "f8"),
        ("shoulder_soft", "f8"), ("shoulder_weight", "f8"),
        ("range_weight", "f8", (2, 6)), ("range_soft", "f8", (2, 6)),  # Table 3
        ("roll", "f8", (2,)),  # plates' roll counted through full turns, carried along
        *WALL_FIELDS,
        ("lateral_soft", "f8"), ("lateral_max", "f8"), ("lateral_weight", "f8"),
        ("centre", "f8", (3,)), ("centre_weight", "f8", (3,)),  # of the chaser's port
        ("phi_fixed", "f8"),  # 1: phi stays where it is
        ("sun", "f8", (3,)), ("lamp", "f8", (3,)), ("sun_weight", "f8"),  # sun in the chaser's frame; towards the lamp, lab
    ]
)  # fmt: skip
Cost = NDArray[np.void]


def cost_of(cell: Cell) -> Cost:
    """Weights and soft edges for a cell. Angles weigh per rad², lengths per m²; a fence's full height is its weight."""
    cost = np.zeros(1, COST_DTYPE)
    c, h = cost[0], cell.hall[0]
    c["rest"] = np.array([0.0, -95.0, 105.0, 0.0, -95.0, 105.0]) * DEG
    c["pull"] = [0.25, 0.25, 0.25, 0.25, 0.25, 0.25]
    bounded = np.isfinite(h["lower"])
    c["axis_weight"] = np.where(bounded, 4.0, 0.0)
    c["axis_soft"] = np.where(bounded, [1.0, *[40.0 * DEG] * 12], 1.0)
    for i in (2, 8):  # A2 may stand near its ends: the arm stretched out or folded back
        c["axis_soft"][i] = 20.0 * DEG
    for i in (5, 11):  # bounded more tightly below: the plate comes near the forearm from about 90 deg on
        c["axis_weight"][i] = 0.0
    c["wrist_soft"], c["wrist_weight"], c["wrist_max"], c["wrist_max_soft"] = 35.0 * DEG, 6.0, 85.0 * DEG, 15.0 * DEG
    c["elbow_soft"], c["elbow_weight"] = 35.0 * DEG, 2.0
    c["shoulder_soft"], c["shoulder_weight"] = 0.5, 2.0
    finite = np.isfinite(h["range_lower"])
    c["range_weight"] = np.where(finite, 4.0, 0.0)
    c["range_soft"] = [0.4, 0.4, 0.35, 40.0 * DEG, 25.0 * DEG, 25.0 * DEG]
    put_walls(cell, c, soft_m=0.35, weight=4.0)
    c["lateral_soft"], c["lateral_max"], c["lateral_weight"] = 0.3, LATERAL_MAX, 6.0
    c["centre"], c["centre_weight"] = (0.0, 0.0, 0.4), (0.0, 4.0, 5.0)
    lamp = np.array(cell.file.lamp.towards_lab)
    c["sun"], c["lamp"], c["sun_weight"] = (0.0, 0.0, 0.0), lamp / np.linalg.norm(lamp), 0.0
    return cost


@kernel
def _axis_terms(hall: HallRecord, cost: Cost, q: Array, slope: Array) -> float:
    """Terms of single axes (with elbow and shoulder); their slopes into ``slope`` (13)."""
    h, c = hall[0], cost[0]
    total = 0.0
    for i in range(N_AXES):
        slope[i] = 0.0
        if c.axis_weight[i] > 0.0:
            value, slope[i] = fence(q[i], h.lower[i], h.upper[i], c.axis_soft[i], c.axis_weight[i])
            total += value
    for robot in range(2):
        first = 1 + 6 * robot
        lengths = h.lengths1 if robot == 0 else h.lengths2
        for k in range(3):
            away = q[first + k] - c.rest[3 * robot + k]
            total += c.pull[3 * robot + k] * away * away
            slope[first + k] += 2.0 * c.pull[3 * robot + k] * away
        a5 = q[first + 4]
        value, s = fence(abs(a5), 0.0, np.inf, c.wrist_soft, c.wrist_weight)
        total += value
        slope[first + 4] += s if a5 > 0.0 else -s
        value, s = fence(abs(a5), -np.inf, c.wrist_max, c.wrist_max_soft, c.wrist_weight)
        total += value
        slope[first + 4] += s if a5 > 0.0 else -s
        value, s = fence(q[first + 2] - math.atan2(lengths[3], lengths[4]), 0.0, np.inf, c.elbow_soft, c.elbow_weight)
        total += value
        slope[first + 2] += s
        a2, a23 = q[first + 1], q[first + 1] + q[first + 2]
        r3 = lengths[4] * math.cos(a23) + lengths[3] * math.sin(a23)
        r = lengths[0] + lengths[2] * math.cos(a2) + r3
        value, s = fence(r, 0.0, np.inf, c.shoulder_soft, c.shoulder_weight)
        total += value
        dr3 = -lengths[4] * math.sin(a23) + lengths[3] * math.cos(a23)
        slope[first + 1] += s * (dr3 - lengths[2] * math.sin(a2))
        slope[first + 2] += s * dr3
    return total


@kernel
def _port_terms(hall: HallRecord, cost: Cost, place: Place, force: Array, torque: Array) -> float:
    """Table 3, the walls, the pull to the middle and the sun: forces on the ports and torques on the spacecraft, (2, 3) each."""
    h, c, o = hall[0], cost[0], place[0]
    total = 0.0
    for robot in range(2):
        for k in range(3):
            force[robot, k] = torque[robot, k] = 0.0
    for robot in range(2):
        P = o.P1 if robot == 0 else o.P2
        for k in range(3):
            value, s = fence(
                P[k], h.range_lower[robot, k], h.range_upper[robot, k], c.range_soft[robot, k], c.range_weight[robot, k]
            )
            total += value
            force[robot, k] += s
        total += _attitude_terms(hall, cost, place, robot, torque[robot])
        total += wall_terms(cost, robot, o.R1 if robot == 0 else o.R2, P, force[robot], torque[robot])
    for k in range(3):
        away = o.P1[k] - c.centre[k]
        total += c.centre_weight[k] * away * away
        force[0, k] += 2.0 * c.centre_weight[k] * away
    if c.sun_weight > 0.0:
        s0, s1, s2 = _turned(o.R1, c.sun)
        total += c.sun_weight * (1.0 - (s0 * c.lamp[0] + s1 * c.lamp[1] + s2 * c.lamp[2]))
        # d(s . lamp) = (w x s) . lamp = w . (s x lamp)
        torque[0, 0] -= c.sun_weight * (s1 * c.lamp[2] - s2 * c.lamp[1])
        torque[0, 1] -= c.sun_weight * (s2 * c.lamp[0] - s0 * c.lamp[2])
        torque[0, 2] -= c.sun_weight * (s0 * c.lamp[1] - s1 * c.lamp[0])
    return total


@kernel
def _turned(R: Array, v: Array) -> tuple[float, float, float]:
    return (
        R[0, 0] * v[0] + R[0, 1] * v[1] + R[0, 2] * v[2],
        R[1, 0] * v[0] + R[1, 1] * v[1] + R[1, 2] * v[2],
        R[2, 0] * v[0] + R[2, 1] * v[1] + R[2, 2] * v[2],
    )


@kernel
def _attitude_terms(hall: HallRecord, cost: Cost, place: Place, robot: int, torque: Array) -> float:
    """Roll, pitch and yaw of a plate against Table 3; adds the torque d(cost)/d(rotation) in the lab."""
    h, c, o = hall[0], cost[0], place[0]
    abc = plate_angles(hall, robot, o.R1 if robot == 0 else o.R2)
    ca, sa, cb, sb = math.cos(abc[0]), math.sin(abc[0]), math.cos(abc[1]), math.sin(abc[1])
    cb = max(cb, 0.05)
    total = 0.0
    if c.range_weight[robot, 3] > 0.0:
        c.roll[robot] = nearest_turn(abc[2], c.roll[robot])
        value, s = fence(
            c.roll[robot],
            h.range_lower[robot, 3],
            h.range_upper[robot, 3],
            c.range_soft[robot, 3],
            c.range_weight[robot, 3],
        )
        total += value
        torque[0] += s * ca / cb
        torque[1] += s * sa / cb
    value, s = fence(
        abc[1], h.range_lower[robot, 4], h.range_upper[robot, 4], c.range_soft[robot, 4], c.range_weight[robot, 4]
    )
    total += value
    torque[0] -= s * sa
    torque[1] += s * ca
    value, s = fence(
        abc[0], h.range_lower[robot, 5], h.range_upper[robot, 5], c.range_soft[robot, 5], c.range_weight[robot, 5]
    )
    total += value
    torque[0] += s * ca * sb / cb
    torque[1] += s * sa * sb / cb
    torque[2] += s
    return total


@kernel
def _wrist_torque(base: Array, q: Array, slope: Array, torque: Array) -> None:
    """d(cost)/d(rotation of the flange against the forearm), in the lab, from the slopes of A4..A6."""
    a23 = q[1] + q[2]
    c1, s1 = math.cos(q[0]), -math.sin(q[0])
    c3, s3 = math.cos(a23), math.sin(a23)
    c4, s4 = math.cos(q[3]), -math.sin(q[3])
    c5, s5 = math.cos(q[4]), math.sin(q[4])
    if abs(s5) < 1e-3:
        s5 = math.copysign(1e-3, s5)
    # In the forearm's frame: dA5 = w.y', dA6 = w.z'/s5, dA4 = -w.x - c5 dA6 with y' = (0, c4, s4), z' = (0, -s4, c4).
    along = -slope[3]
    side = slope[4]
    up = (slope[5] - c5 * slope[3]) / s5
    x, y, z = along, side * c4 - up * s4, side * s4 + up * c4
    # Forearm to base: Rz(-A1) Ry(A2 + A3).
    r, w = c3 * x + s3 * z, -s3 * x + c3 * z
    bx, by = c1 * r - s1 * y, s1 * r + c1 * y
    for i in range(3):
        torque[i] = base[i, 0] * bx + base[i, 1] * by + base[i, 2] * w


@kernel
def _arm_column(base: Array, lengths: Array, q: Array, k: int, v: Array, w: Array) -> None:
    """Velocity of the wrist centre and turning of the forearm, in the lab, for unit speed of axis k+1 (k = 0, 1, 2)."""
    a23 = q[1] + q[2]
    c1, s1 = math.cos(q[0]), -math.sin(q[0])
    c3, s3 = math.cos(a23), math.sin(a23)
    r3, z3 = c3 * lengths[4] + s3 * lengths[3], -s3 * lengths[4] + c3 * lengths[3]
    if k == 0:
        r = lengths[0] + lengths[2] * math.cos(q[1]) + r3
        vx, vy, vz = s1 * r, -c1 * r, 0.0
        wx, wy, wz = 0.0, 0.0, -1.0
    else:
        dr, dz = z3, -r3
        if k == 1:
            dr -= lengths[2] * math.sin(q[1])
            dz -= lengths[2] * math.cos(q[1])
        vx, vy, vz = c1 * dr, s1 * dr, dz
        wx, wy, wz = -s1, c1, 0.0
    for i in range(3):
        v[i] = base[i, 0] * vx + base[i, 1] * vy + base[i, 2] * vz
        w[i] = base[i, 0] * wx + base[i, 1] * wy + base[i, 2] * wz


@kernel
def cost_gradient(hall: HallRecord, cost: Cost, place: Place, gradient: Array) -> float:
    """Cost of a place and its gradient in the seven free parameters, at constant relative pose."""
    h, c, o = hall[0], cost[0], place[0]
    slope, force, torque = vector(N_AXES), matrix(2, 3), matrix(2, 3)
    total = _axis_terms(hall, cost, o.q, slope) + _port_terms(hall, cost, place, force, torque)
    dx, dy, dz, L = o.d[0], o.d[1], o.d[2], o.L
    lateral = math.hypot(dy, dz) / L
    value, lateral_slope = fence(lateral, -np.inf, c.lateral_max, c.lateral_soft, c.lateral_weight)
    total += value
    g1, g2, turn = vector(3), vector(3), vector(3)
    _wrist_torque(h.base1, o.q[1:7], slope[1:7], g1)
    _wrist_torque(h.base2, o.q[7:13], slope[7:13], g2)
    # Torque on the whole rig: wrists, attitudes, and the ports' forces about their wrist centres.
    a0, a1, a2 = o.P1[0] - o.W1[0], o.P1[1] - o.W1[1], o.P1[2] - o.W1[2]
    b0, b1, b2 = o.P2[0] - o.W2[0], o.P2[1] - o.W2[1], o.P2[2] - o.W2[2]
    f, g = force[0], force[1]
    turn[0] = a1 * f[2] - a2 * f[1] + b1 * g[2] - b2 * g[1]
    turn[1] = a2 * f[0] - a0 * f[2] + b2 * g[0] - b0 * g[2]
    turn[2] = a0 * f[1] - a1 * f[0] + b0 * g[1] - b1 * g[0]
    for i in range(3):
        turn[i] += g1[i] + g2[i] + torque[0, i] + torque[1, i]
    ux, uy, uz = dx / L, dy / L, dz / L
    v, w = vector(3), vector(3)
    for j in range(6):
        robot = 0 if j < 3 else 1
        if robot == 0:
            _arm_column(h.base1, h.lengths1, o.q[1:7], j, v, w)
        else:
            _arm_column(h.base2, h.lengths2, o.q[7:13], j - 3, v, w)
        sign = 1.0 if robot == 0 else -1.0
        ey, ez = sign * v[1], sign * v[2]  # of d = W1 - W2
        ex = -(dy * ey + dz * ez) / dx
        rail = ex - sign * v[0]
        # The line turns by u x du/dt and rolls so that its horizontal axis stays horizontal.
        tx, ty, tz = ex / L, ey / L, ez / L
        heading = (ux * ty - uy * tx) / (ux * ux + uy * uy)
        rx = uy * tz - uz * ty + heading * uz * ux
        ry = uz * tx - ux * tz + heading * uz * uy
        rz = ux * ty - uy * tx + heading * uz * uz
        total_j = slope[1 + j if robot == 0 else 4 + j] + slope[0] * rail
        total_j += turn[0] * rx + turn[1] * ry + turn[2] * rz
        if robot == 0:
            total_j -= g1[0] * w[0] + g1[1] * w[1] + g1[2] * w[2]
            total_j += f[0] * ex + f[1] * ey + f[2] * ez  # W1 moves by d, W2 stands
        else:
            total_j -= g2[0] * w[0] + g2[1] * w[1] + g2[2] * w[2]
            total_j += f[0] * (v[0] + ex) + g[0] * v[0]  # W2 moves by v, W1 only along: by v + d
            total_j += g[1] * v[1] + g[2] * v[2]
        if lateral > 0.0:
            total_j += lateral_slope * (dy * ey + dz * ez) / (lateral * L * L)
        gradient[j] = total_j
    gradient[PHI] = (1.0 - c.phi_fixed) * (turn[0] * ux + turn[1] * uy + turn[2] * uz)
    return total


@kernel
def value_of(hall: HallRecord, cost: Cost, place: Place) -> float:
    """Cost of a place."""
    return cost_gradient(hall, cost, place, vector(N_FREE))

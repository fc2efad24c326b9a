"""How much room a place leaves: to axis ranges, to Table 3, to the singular wrist, to the end of the rail's root."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from proxops.bridge.mapping import LATERAL_MAX, Place
from proxops.core.messages import N_AXES
from proxops.lab.coordinates import HallRecord
from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array, abc_angles, nearest_turn
from proxops.maths.stack import matrix

WRIST_MIN: Final = math.radians(10.0)  # |A5| below which the hall does not begin a motion
FIRST_COMPONENT: Final = 14  # number of robot 1's x, as safety.rules.AXIS_TEXT counts
WRIST, LATERAL = 26, 27  # what else can be nearest


@kernel
def plate_angles(hall: HallRecord, robot: int, R_lab_port: Array) -> tuple[float, float, float]:
    """Yaw, pitch and roll of a plate (KUKA's ABC) from the attitude of its port."""
    h = hall[0]
    R_port_flange = h.port1_inv if robot == 0 else h.port2_inv
    plate = h.plate1 if robot == 0 else h.plate2
    A, R = matrix(3, 3), matrix(3, 3)
    for i in range(3):
        for j in range(3):
            A[i, j] = (
                R_port_flange[i, 0] * plate[0, j]
                + R_port_flange[i, 1] * plate[1, j]
                + R_port_flange[i, 2] * plate[2, j]
            )
    for i in range(3):
        for j in range(3):
            R[i, j] = R_lab_port[i, 0] * A[0, j] + R_lab_port[i, 1] * A[1, j] + R_lab_port[i, 2] * A[2, j]
    return abc_angles(R)


@kernel
def rooms(hall: HallRecord, place: Place, roll: Array, out: Array) -> None:
    """Room of every kind into ``out`` (27): 13 axes (m, rad), 12 components of Table 3, the wrists, the lateral offset (m).
    ``roll`` holds the plates' rolls counted through full turns and is carried on."""
    h, o = hall[0], place[0]
    for i in range(N_AXES):
        out[i] = min(o.q[i] - h.lower[i], h.upper[i] - o.q[i])
    for robot in range(2):
        P = o.P1 if robot == 0 else o.P2
        abc = plate_angles(hall, robot, o.R1 if robot == 0 else o.R2)
        roll[robot] = nearest_turn(abc[2], roll[robot])
        first = N_AXES + 6 * robot
        for k in range(6):
            value = P[k] if k < 3 else (roll[robot] if k == 3 else abc[5 - k])
            out[first + k] = min(value - h.range_lower[robot, k], h.range_upper[robot, k] - value)
    out[25] = min(abs(o.q[5]), abs(o.q[11])) - WRIST_MIN
    out[26] = LATERAL_MAX * o.L - math.hypot(o.d[1], o.d[2])


@kernel
def smallest_room(hall: HallRecord, place: Place, roll: Array) -> tuple[float, int]:
    """The smallest room of a place at rest and what it is of (1-13 axes, 14-25 components, 26 wrist, 27 lateral). The plates'
    rolls are counted from ``roll``."""
    out, counted = np.empty(27), roll.copy()
    rooms(hall, place, counted, out)
    k = int(np.argmin(out))
    return out[k], k + 1

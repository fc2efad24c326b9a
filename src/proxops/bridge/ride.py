"""One tick of the bridge in motion: the clutch advances, the free parameters slide, the mapping gives the thirteen axes.

What comes out shows the clutch's pose exactly. The axes that follow from it (rail and wrists) are checked against their
speeds and accelerations: as they come near, the clutch's speed is lowered (``pace``), so that the whole motion slows down
and no axis is clipped; a tick that would break a limit all the same is tried again with gentler accelerations, and refused
if that does not help. At rest the parameters are read back from wherever the robots stand.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.bridge.clutch import Clutch, advance
from proxops.bridge.cost import Cost, cost_gradient
from proxops.bridge.descent import FREE_DTYPE, Free, begin, follow_line, slide
from proxops.bridge.estimate import Estimate
from proxops.bridge.mapping import (
    N_FREE,
    OK,
    PHI,
    Place,
    Rig,
    phi_of,
    place,
    wrist_centre,
)
from proxops.bridge.reach import WRIST_MIN
from proxops.bridge.relative import relative_of_ports
from proxops.core.messages import N_AXES, PERIOD_S
from proxops.lab.coordinates import HallRecord, port_poses
from proxops.maths.kernel import kernel
from proxops.maths.pose import pack_pose
from proxops.maths.rotation import Array

TOO_FAST: Final = 3  # beside mapping's OK, NO_ROOT, TOO_NEAR
WRIST_STRAIGHT, WRONG_SIDE = 4, 5  # why a posture cannot be ridden from
COMFORT: Final = 0.75  # share of an axis' limit from which on the motion slows down
ROUNDING: Final = 1e-9
SLOWEST: Final = 0.02
RECOVERY_S: Final = 2.0  # from slowest to full pace
GENTLER: Final = (1.0, 0.4, 0.1)  # shares of the clutch's accelerations that are tried

RIDE_DTYPE = np.dtype(
    [
        ("gradient", "f8", (N_FREE,)), ("cost", "f8"), ("pace", "f8"),
        ("speed_share", "f8"), ("acceleration_share", "f8"), ("axis", "i8"),  # most used of an axis' limits, and its number
        ("pose", "f8", (7,)),  # T_target_chaser that the axes show
        ("rate", "f8", (N_AXES,)),  # of the axes in this tick
    ]
)  # fmt: skip
Ride = NDArray[np.void]


@kernel
def seat_ride(hall: HallRecord, rig: Rig, q: Array, free: Free, ride: Ride, out: Place) -> int:
    """Read pose and parameters back from axes at rest; OK, or why no ride can begin here. Sets the wrists' signs."""
    h, r, f, o, s = hall[0], rig[0], free[0], out[0], ride[0]
    if abs(q[5]) < WRIST_MIN or abs(q[11]) < WRIST_MIN:
        return WRIST_STRAIGHT
    r.sign1, r.sign2 = math.copysign(1.0, q[5]), math.copysign(1.0, q[11])
    T1, T2 = port_poses(hall, q)
    packed = np.empty((2, 7))
    pack_pose(T1, packed[0])
    pack_pose(T2, packed[1])
    relative_of_ports(packed[0], packed[1], s.pose)
    x1, y1, z1 = wrist_centre(h.lengths1, q[1], q[2], q[3])
    x2, y2, z2 = wrist_centre(h.lengths2, q[7], q[8], q[9])
    square = 0.0
    for i in range(3):
        W1 = h.base1[i, 0] * x1 + h.base1[i, 1] * y1 + h.base1[i, 2] * z1 + h.base1[i, 3]
        W2 = h.base2[i, 0] * x2 + h.base2[i, 1] * y2 + h.base2[i, 2] * z2 + h.base2[i, 3]
        o.d[i] = W1 - W2 + (q[0] if i == 0 else 0.0)
        square += o.d[i] * o.d[i]
        for j in range(3):
            o.R1[i, j] = T1[i, j]
    o.L = math.sqrt(square)
    if not o.d[0] > 0.0:
        return WRONG_SIDE
    x = np.empty(N_FREE)
    for i in range(3):
        x[i], x[3 + i] = q[1 + i], q[7 + i]
    x[PHI] = 0.0
    begin(rig, s.pose, x, free)
    f.x[PHI] = phi_of(rig, s.pose, f.reference, out)
    s.gradient[:] = 0.0
    s.pace = 0.3
    return place(hall, rig, s.pose, f.x, f.reference, q, out)


@kernel
def _shares(hall: HallRecord, ride: Ride, new: Array, q: Array, v: Array) -> None:
    """How much of the axes' speeds and accelerations a step from ``q`` (at rate ``v``) to ``new`` uses."""
    h, s = hall[0], ride[0]
    s.speed_share, s.acceleration_share, s.axis = 0.0, 0.0, 0
    most = 0.0
    for i in range(N_AXES):
        rate = (new[i] - q[i]) / PERIOD_S
        s.rate[i] = rate
        speed = abs(rate) / h.speed[i]
        acceleration = abs(rate - v[i]) / (h.acceleration[i] * PERIOD_S)
        s.speed_share = max(s.speed_share, speed)
        s.acceleration_share = max(s.acceleration_share, acceleration)
        if max(speed, acceleration) > most:
            most, s.axis = max(speed, acceleration), i + 1


@kernel
def _tick(
    hall: HallRecord, rig: Rig, est: Estimate, clutch: Clutch, limits: Array, free: Free, ride: Ride,
    q: Array, v: Array, out: Place,
) -> int:  # fmt: skip
    f, c, s = free[0], clutch[0], ride[0]
    advance(clutch, est, limits)
    s.pose[0:3] = c.p
    s.pose[3:7] = c.q
    slide(s.gradient, s.pace, f.x, f.v)
    follow_line(rig, s.pose, free)
    code = place(hall, rig, s.pose, f.x, f.reference, q, out)
    if code != OK:
        return code
    _shares(hall, ride, out[0].q, q, v)
    if s.speed_share > 1.0 + ROUNDING or s.acceleration_share > 1.0 + ROUNDING:
        return TOO_FAST
    return OK


@kernel
def ride_tick(
    hall: HallRecord, rig: Rig, cost: Cost, est: Estimate, clutch: Clutch, limits: Array, free: Free, ride: Ride,
    q: Array, v: Array, out: Place,
) -> int:  # fmt: skip
    """Axes of the next tick into ``out``, from set-point ``q`` and its rate ``v``. ``limits``: m/s, m/s², rad/s, rad/s²."""
    s = ride[0]
    clutch_before, free_before = clutch.copy(), free.copy()
    paced = np.empty(4)
    code = TOO_FAST
    for share in GENTLER:
        paced[0], paced[2] = limits[0] * s.pace, limits[2] * s.pace
        paced[1], paced[3] = limits[1] * share, limits[3] * share
        code = _tick(hall, rig, est, clutch, paced, free, ride, q, v, out)
        if code != TOO_FAST:
            break
        s.pace = max(SLOWEST, 0.9 * s.pace)
        clutch[0], free[0] = clutch_before[0], free_before[0]
    if code != OK:
        return code
    s.cost = cost_gradient(hall, cost, out, s.gradient)
    used = max(s.speed_share, s.acceleration_share) / COMFORT
    if used > 1.0:
        s.pace = max(SLOWEST, s.pace * (1.0 - 0.1 * min(used - 1.0, 1.0)))
    else:
        s.pace = min(1.0, s.pace + PERIOD_S / RECOVERY_S)
    return OK


@kernel
def command_place(hall: HallRecord, rig: Rig, pose: Array, free: Free, near: Array, out: Place) -> int:
    """Where the commanded ``pose`` would be with parameters ``free``, whose reference is carried to its line."""
    follow_line(rig, pose, free)
    f = free[0]
    return place(hall, rig, pose, f.x, f.reference, near, out)


def new_free() -> Free:
    """An empty record of the free parameters."""
    return np.zeros(1, FREE_DTYPE)

"""One tick of the bridge in motion: the clutch advances, the free parameters slide, the mapping gives the thirteen axes.

What comes out shows the clutch's pose exactly. Axes are checked against their speeds and accelerations, ports against the
speed and rate that the operator allows them in the lab. As one of them comes near (``COMFORT``), closing in and the free
parameters slow down (``pace``); the command's own motion goes on until there is nothing left (``FULL``): then all of it is slowed
down (``throttle``), and the command is followed behind. No axis is clipped; a tick that would break a limit all the same is
tried again with gentler accelerations, and refused if that does not help. At rest the parameters are read back from wherever
the robots stand.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.bridge.clutch import Clutch, advance
from proxops.bridge.cost import Cost, cost_gradient
from proxops.bridge.descent import FREE_DTYPE, RATE, Free, begin, follow_line, slide
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
from proxops.bridge.rig_frame import line_and_reference
from proxops.core.messages import N_AXES, PERIOD_S
from proxops.lab.coordinates import HallRecord, port_poses
from proxops.maths.kernel import kernel
from proxops.maths.pose import pack_pose
from proxops.maths.rotation import Array, copy_to
from proxops.maths.stack import record_like, vector

TOO_FAST: Final = 3  # beside mapping's OK, NO_ROOT, TOO_NEAR
WRIST_STRAIGHT, WRONG_SIDE = 4, 5  # why a posture cannot be ridden from
COMFORT: Final = 0.75  # share of a limit from which on the robots close in more slowly
FULL: Final = 0.97  # share of a speed from which on the command is not followed any faster
ROUNDING: Final = 1e-9
SLOWEST: Final = 0.02  # throttle
LEAST_PACE: Final = 0.25  # a command by itself may take more than COMFORT for ever: closing in and sliding never stop
RECOVERY_S: Final = 2.0  # from slowest to full pace
GENTLER: Final = (1.0, 0.4, 0.1)  # shares of the clutch's accelerations that are tried
SLIDE_SHARE: Final = 0.5  # of the ports' speed and rate is for the free parameters, at most
REACH_M: Final = 3.0  # of an arm: what a rate of its first axes moves the port by
RISE_S: Final = 0.3  # at least, from rest to a limit of speed: a low one is not overrun within a few ticks

RIDE_DTYPE = np.dtype(
    [
        ("gradient", "f8", (N_FREE,)), ("cost", "f8"), ("pace", "f8"), ("throttle", "f8"),
        ("speed_share", "f8"), ("acceleration_share", "f8"),  # most used of the axes' and ports' limits
        ("P1", "f8", (3,)), ("P2", "f8", (3,)), ("R1", "f8", (3, 3)), ("R2", "f8", (3, 3)),  # ports in the lab, last tick
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
    s.pace, s.throttle = 0.3, 1.0
    code = place(hall, rig, s.pose, f.x, f.reference, q, out)
    _keep_ports(ride, out)
    return code


@kernel
def _keep_ports(ride: Ride, out: Place) -> None:
    """Where the ports are now, for their speeds in the next tick."""
    s, o = ride[0], out[0]
    for i in range(3):
        s.P1[i], s.P2[i] = o.P1[i], o.P2[i]
        for j in range(3):
            s.R1[i, j], s.R2[i, j] = o.R1[i, j], o.R2[i, j]


@kernel
def _axis_shares(hall: HallRecord, ride: Ride, new: Array, q: Array, v: Array) -> None:
    """How much of the axes' speeds and accelerations a step from ``q`` (at rate ``v``) to ``new`` uses."""
    h, s = hall[0], ride[0]
    for i in range(N_AXES):
        rate = (new[i] - q[i]) / PERIOD_S
        s.rate[i] = rate
        s.speed_share = max(s.speed_share, abs(rate) / h.speed[i])
        s.acceleration_share = max(s.acceleration_share, abs(rate - v[i]) / (h.acceleration[i] * PERIOD_S))


@kernel
def _port_share(P: Array, R: Array, P_before: Array, R_before: Array, limits: Array) -> float:
    """How much of the operator's speed and rate one port uses, in the lab."""
    moved, turned = 0.0, 0.0
    for i in range(3):
        moved += (P[i] - P_before[i]) ** 2
        for j in range(3):
            turned += (R[i, j] - R_before[i, j]) ** 2
    # |R - R'|² = 8 sin²(angle / 2)
    angle = 2.0 * math.asin(min(1.0, math.sqrt(turned / 8.0)))
    share: float = max(math.sqrt(moved) / (limits[0] * PERIOD_S), angle / (limits[2] * PERIOD_S))
    return share


@kernel
def slide_share(limits: Array) -> float:
    """Share of the free parameters' usual rate that leaves the ports their speed and rate."""
    share: float = min(1.0, SLIDE_SHARE * limits[0] / (RATE * REACH_M), SLIDE_SHARE * limits[2] / RATE)
    return share


@kernel
def _tick(
    hall: HallRecord, rig: Rig, est: Estimate, clutch: Clutch, limits: Array, gentle: float, free: Free, ride: Ride,
    q: Array, v: Array, out: Place,
) -> int:  # fmt: skip
    """``gentle``: share of the accelerations."""
    f, c, s, o = free[0], clutch[0], ride[0], out[0]
    allowed = vector(4)
    copy_to(limits, allowed)
    for i in (0, 2):
        allowed[i + 1] = gentle * min(limits[i + 1], limits[i] / RISE_S)
    advance(rig, clutch, est, allowed, s.pace, s.throttle)
    copy_to(c.pose, s.pose)
    slide(s.gradient, s.pace * slide_share(limits), f.x, f.v)
    line_and_reference(c.q_rig_chaser, f.line, f.reference)
    code = place(hall, rig, s.pose, f.x, f.reference, q, out)
    if code != OK:
        return code
    s.speed_share = max(_port_share(o.P1, o.R1, s.P1, s.R1, limits), _port_share(o.P2, o.R2, s.P2, s.R2, limits))
    s.acceleration_share = 0.0
    _axis_shares(hall, ride, o.q, q, v)
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
    clutch_before, free_before = record_like(clutch), record_like(free)
    clutch_before[0], free_before[0] = clutch[0], free[0]
    code = TOO_FAST
    for gentle in GENTLER:
        code = _tick(hall, rig, est, clutch, limits, gentle, free, ride, q, v, out)
        if code != TOO_FAST:
            break
        s.pace, s.throttle = max(LEAST_PACE, 0.9 * s.pace), max(SLOWEST, 0.9 * s.throttle)
        clutch[0], free[0] = clutch_before[0], free_before[0]
    if code != OK:
        return code
    _keep_ports(ride, out)
    s.cost = cost_gradient(hall, cost, out, s.gradient)
    s.pace = _slower(s.pace, max(s.speed_share, s.acceleration_share) / COMFORT, LEAST_PACE)
    s.throttle = _slower(s.throttle, s.speed_share / FULL, SLOWEST)
    return OK


@kernel
def _slower(share: float, used: float, least: float) -> float:
    """Less by up to a tenth where more is ``used`` than there should be, else slowly back to all of it."""
    if used > 1.0:
        return max(least, share * (1.0 - 0.1 * min(used - 1.0, 1.0)))
    return min(1.0, share + PERIOD_S / RECOVERY_S)


@kernel
def command_place(hall: HallRecord, rig: Rig, pose: Array, free: Free, near: Array, out: Place) -> int:
    """Where the commanded ``pose`` would be with parameters ``free``, whose reference is carried to its line."""
    follow_line(rig, pose, free)
    f = free[0]
    return place(hall, rig, pose, f.x, f.reference, near, out)


def new_free() -> Free:
    """An empty record of the free parameters."""
    return np.zeros(1, FREE_DTYPE)

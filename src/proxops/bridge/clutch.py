"""The clutch: the pose that the hall shows follows the command from wherever it is, within limits, at every tick.

It is never out of the path, so what leaves it keeps the limits whatever the command does.

**What is limited is what moves in the hall** (the paper's section 3.4), not the relative motion: the clutch works on the pose
as it stands in the frame *rig* (``rig_frame.py``), the distance of the wrist centres and the attitudes of both spacecraft about
the line between them. Each is a pursuit of its own (``pursuit.py``): speed and acceleration of the distance, rate and angular
acceleration of each attitude. So a chaser far off the axis of a spinning target is shown as soon as robot 2 can turn as fast as
the target, whatever its speed in the target's frame; and the way to a command on the other side of the target leads round it.

**Two shares** of the limits are handed in. ``pace`` is what is left for closing in: a command's own motion comes on top, up to
the limit. ``throttle`` is the share of all of it; below 1 the command is followed behind.

**Converged** means: for 25 ticks in a row nearer than 0.1 mm (beyond 10 m: 0.01 mm for each metre of distance) and 0.005° of the
relative pose, and at a relative velocity that would take at least 1/ωₑ to leave these bounds; it ends beyond 1 mm (0.1 mm per
metre) or 0.05°. A noisy command is never that still, so the bounds grow with the usual innovation, at most to 1 mm and 0.05° at
any distance; where three times these is more, it ends beyond that.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from proxops.bridge.estimate import OMEGA as OMEGA_COMMAND
from proxops.bridge.estimate import Estimate
from proxops.bridge.mapping import Rig
from proxops.bridge.pursuit import DT, pursue, pursue_attitude, time_left
from proxops.bridge.rig_frame import pose_in_rig, rig_coordinates
from proxops.maths.kernel import kernel
from proxops.maths.quaternion import length, put_unit, turn, way_between
from proxops.maths.rotation import Array, copy_to
from proxops.maths.stack import matrix, vector

HOLD = 25  # ticks
ENTER_M, LEAVE_M = 1e-4, 1e-3
ENTER_PER_M, LEAVE_PER_M = 1e-5, 1e-4  # beyond 10 m, of the distance: 0.0006° and 0.006° across the line
ENTER_RAD, LEAVE_RAD = math.radians(0.005), math.radians(0.05)

CLUTCH_DTYPE = np.dtype(
    [
        ("L", "f8", (3,)), ("L_rate", "f8", (3,)),  # m, m/s between the wrist centres: the first of a vector, for the pursuit
        ("q_rig_chaser", "f8", (4,)), ("w_rig_chaser", "f8", (3,)),  # (w, x, y, z), rad/s in rig; rates of the last tick
        ("q_rig_target", "f8", (4,)), ("w_rig_target", "f8", (3,)),
        ("way_chaser", "f8", (3,)), ("way_target", "f8", (3,)),  # rotation vectors that were left in the tick before
        ("line", "f8", (3,)), ("reference", "f8", (3,)),  # of the command, carried on the chaser
        ("pose", "f8", (7,)),  # T_target_chaser that is shown
        ("left_m", "f8"), ("left_rad", "f8"), ("left_s", "f8"),  # to the estimate; until it has converged
        ("held", "i8"),  # ticks in a row within the bounds of converged
        ("converged", "u1"),
    ]
)  # fmt: skip
Clutch = NDArray[np.void]


@kernel
def seat(rig: Rig, clutch: Clutch, pose: Array, line: Array, reference: Array) -> None:
    """Stand still at ``pose`` (x, y, z, qw, qx, qy, qz); ``line``, ``reference``: the rig's x and y axes on the chaser."""
    c = clutch[0]
    c.line[:], c.reference[:] = line, reference
    c.pose[:] = pose
    put_unit(pose[3:7], c.pose[3:7])
    c.L[:] = 0.0
    c.L[0] = rig_coordinates(rig, c.pose, c.line, c.reference, c.q_rig_chaser, c.q_rig_target)
    c.L_rate[:] = 0.0
    c.w_rig_chaser[:], c.w_rig_target[:] = c.L_rate, c.L_rate
    c.way_chaser[:], c.way_target[:] = c.L_rate, c.L_rate
    c.left_m = c.left_rad = c.left_s = 0.0
    c.held = c.converged = 0


@kernel
def _bound_m(rms_m: float, L: float) -> float:
    """Distance that counts as none: a noisy command moves by about its usual innovation."""
    return min(max(ENTER_M, ENTER_PER_M * L, rms_m), LEAVE_M)


@kernel
def _bound_rad(rms_rad: float) -> float:
    return min(max(ENTER_RAD, rms_rad), LEAVE_RAD)


@kernel
def _command_course(est: Estimate, poses: Array) -> None:
    """The command now, a tick ago and two ticks ago (3, 7), by its own velocity and acceleration."""
    s = est[0]
    back = vector(3)
    copy_to(s.p, poses[0])
    copy_to(s.q, poses[0, 3:])
    for k in range(1, 3):
        for i in range(3):
            poses[k, i] = poses[k - 1, i] - (s.v[i] - (k - 0.5) * DT * s.a[i]) * DT
            back[i] = -(s.w[i] - (k - 0.5) * DT * s.alpha[i]) * DT
        copy_to(poses[k - 1, 3:], poses[k, 3:])
        turn(poses[k, 3:], back)


@kernel
def _differences(attitudes: Array, u: Array, A: Array) -> None:
    """Mean rate of this tick and change of it from the last (rad/s, rad/s²), of an attitude now, a tick and two ticks ago."""
    before = vector(3)
    way_between(attitudes[1], attitudes[0], u)
    way_between(attitudes[2], attitudes[1], before)
    for i in range(3):
        A[i] = (u[i] - before[i]) / (DT * DT)
        u[i] /= DT


@kernel
def _radius(limit: float, own: float, pace: float, throttle: float) -> float:
    """Speed allowed where the command moves with ``own`` by itself."""
    return throttle * min(limit, own + pace * limit)


@kernel
def _advance_distance(clutch: Clutch, L: Array, limits: Array, pace: float, throttle: float, rms_m: float) -> float:
    """Towards the command's distances ``L`` (now, a tick ago, two ticks ago); returns the time left."""
    c = clutch[0]
    e, u, A = vector(3), vector(3), vector(3)
    for i in range(3):
        e[i] = u[i] = A[i] = 0.0
    u[0] = (L[0] - L[1]) / DT
    A[0] = (L[0] - 2.0 * L[1] + L[2]) / (DT * DT)
    e[0] = L[1] - c.L[0]
    speed = _radius(limits[0], abs(u[0]), pace, throttle)
    landed = pursue(e, u, A, c.L_rate, speed, limits[1], rms_m)
    c.L[0] = L[0] if landed else c.L[0] + c.L_rate[0] * DT
    e[0] = L[0] - c.L[0]
    return time_left(e, c.L_rate, u, A, speed, limits[1], _bound_m(rms_m, L[0]))


@kernel
def _advance_attitude(
    q: Array, w: Array, way: Array, command: Array, limits: Array, pace: float, throttle: float, rms_rad: float
) -> float:
    """One attitude towards the command's (now, a tick ago, two ticks ago); returns the time left."""
    u, A = vector(3), vector(3)
    _differences(command, u, A)
    rate = _radius(limits[2], length(u), pace, throttle)
    return pursue_attitude(q, w, way, command[0], command[1], u, A, rate, limits[3], rms_rad, _bound_rad(rms_rad))


@kernel
def _within(shown_before: Array, clutch: Clutch, poses: Array, bound_m: float, bound_rad: float) -> bool:
    """Is the command reached, and at such a relative velocity that this will still be so after 1/ω of the command?"""
    c = clutch[0]
    if c.left_m >= bound_m or c.left_rad >= bound_rad:
        return False
    dv, dw, turned = vector(3), vector(3), vector(3)
    way_between(shown_before[3:], c.pose[3:], dw)
    way_between(poses[1, 3:], poses[0, 3:], turned)
    for i in range(3):
        dv[i] = (c.pose[i] - shown_before[i] - poses[0, i] + poses[1, i]) / DT
        dw[i] = (dw[i] - turned[i]) / DT
    return length(dv) < OMEGA_COMMAND * bound_m and length(dw) < OMEGA_COMMAND * bound_rad


@kernel
def advance(rig: Rig, clutch: Clutch, est: Estimate, limits: Array, pace: float, throttle: float) -> None:
    """One tick towards the estimate. ``limits``: m/s, m/s², rad/s, rad/s²; ``pace`` for closing in, ``throttle`` for all."""
    c, s = clutch[0], est[0]
    poses, L = matrix(3, 7), vector(3)
    chaser, target = matrix(3, 4), matrix(3, 4)
    _command_course(est, poses)
    L[0] = rig_coordinates(rig, poses[0], c.line, c.reference, chaser[0], target[0])
    line, reference, shown_before = vector(3), vector(3), vector(7)
    copy_to(c.line, line)
    copy_to(c.reference, reference)
    copy_to(c.pose, shown_before)
    for k in range(1, 3):
        L[k] = rig_coordinates(rig, poses[k], line, reference, chaser[k], target[k])
    rms_rad = math.hypot(s.rms_rad, s.rms_m / max(L[0], 0.1))  # the line turns with both
    time = _advance_distance(clutch, L, limits, pace, throttle, s.rms_m)
    time = max(
        time, _advance_attitude(c.q_rig_chaser, c.w_rig_chaser, c.way_chaser, chaser, limits, pace, throttle, rms_rad)
    )
    time = max(
        time, _advance_attitude(c.q_rig_target, c.w_rig_target, c.way_target, target, limits, pace, throttle, rms_rad)
    )
    pose_in_rig(rig, c.L[0], c.q_rig_chaser, c.q_rig_target, c.pose)
    _judge(clutch, est, poses, shown_before, time)


@kernel
def _judge(clutch: Clutch, est: Estimate, poses: Array, shown_before: Array, time: float) -> None:
    """What is left, and whether that counts as converged; with noise the bounds of leaving stay apart from those of reaching."""
    c, s = clutch[0], est[0]
    e = vector(3)
    c.left_rad = way_between(c.pose[3:], s.q, e)
    for i in range(3):
        e[i] = s.p[i] - c.pose[i]
    c.left_m = length(e)
    bound_m, bound_rad = _bound_m(s.rms_m, c.L[0]), _bound_rad(s.rms_rad)
    c.held = min(c.held + 1, HOLD) if _within(shown_before, clutch, poses, bound_m, bound_rad) else 0
    if c.held >= HOLD:
        c.converged = 1
    elif c.left_m > max(LEAVE_M, LEAVE_PER_M * c.L[0], 3.0 * bound_m) or c.left_rad > max(LEAVE_RAD, 3.0 * bound_rad):
        c.converged = 0
    c.left_s = 0.0 if c.converged else time + (HOLD - c.held) * DT

"""What is told of the truth in each cycle: orbit, relative motion, attitudes, docking interfaces."""

from __future__ import annotations

import math

import numpy as np

from proxops.core.earth import MU_M3_S2
from proxops.core.flight import N_ERRORS
from proxops.core.messages import POOL
from proxops.maths.kernel import kernel
from proxops.maths.quaternion import rotation_vector
from proxops.maths.rotation import Array, copy_to
from proxops.maths.stack import matrix, vector
from proxops.maths.triple import composed, crossed, inverse, quad, rotated, triple
from proxops.space.docking import interfaces
from proxops.space.gravity import zonal
from proxops.space.lvlh import lvlh_axes, relative_in_lvlh

FIRST = "t"
COUNT = sum(len([v for v in g.variables if v.type == "f8"]) for g in POOL if g.name in (
    "mission", "orbit", "relative", "target_attitude", "chaser_attitude"
))  # fmt: skip


@kernel
def tell_truth(
    t: float,
    y: Array,
    degree: int,
    sunlight: float,
    density: float,
    propellant: float,
    interface_t: Array,
    interface_c: Array,
    out: Array,
) -> None:
    """Into the doubles of the groups mission (from ``t``), orbit, relative, target_attitude and chaser_attitude."""
    out[0], out[1] = t, propellant
    interfaces(y[6:9], y[9:12], y[12:16], y[16:19], y[19:23], y[23:26], interface_t, interface_c, out[4:11])
    copy_to(y[0:6], out[11:17])
    out[17], out[18] = sunlight, density
    p, v, a = y[0:3], y[3:6], vector(3)
    zonal(p, degree, a)
    pull = MU_M3_S2 / (p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) ** 1.5
    for i in range(3):
        a[i] -= pull * p[i]
    relative_in_lvlh(p, v, a, y[6:9], y[9:12], out[19:22], out[22:25])
    copy_to(y[12:26], out[25:39])


@kernel
def both_in_inertial_axes(y: Array, origin_c: Array, origin_t: Array, moving: bool, out: Array) -> None:
    """Body frames of chaser (0-6) and target (7-13) as on the bridge's wire, about the target's centre of mass, and their
    velocities (14-19, 20-25), zero unless ``moving``. ``origin_*``: body origin from the centre of mass, body axes."""
    for body in range(2):
        at = 19 if body == 0 else 12
        q = quad(y, at)
        arm, rate = rotated(q, triple(origin_c if body == 0 else origin_t, 0)), rotated(q, triple(y, at + 4))
        swept = crossed(rate, arm)
        pose, velocity = out[7 * body : 7 * body + 7], out[14 + 6 * body : 20 + 6 * body]
        for i in range(3):
            pose[i] = arm[i] + (y[6 + i] if body == 0 else 0.0)
            pose[3 + i] = q[1 + i]
            velocity[i] = swept[i] + (y[9 + i] if body == 0 else 0.0) if moving else 0.0
            velocity[3 + i] = rate[i] if moving else 0.0
        pose[6] = q[0]


@kernel
def tell_estimate(
    y: Array, position: Array, velocity: Array, q: Array, rate: Array, covariance: Array, error: Array, sigma: Array
) -> float:
    """Estimate minus truth and the claimed deviations (12 each), translation in LVLH axes; returns the normalised squared
    error, NaN if the covariance is not positive."""
    R, e = matrix(3, 3), vector(N_ERRORS)
    lvlh_axes(y[0:3], y[3:6], R)
    rotation_vector(composed(inverse(quad(y, 12)), quad(q, 0)), e[6:9])
    for i in range(3):
        e[i], e[3 + i], e[9 + i] = position[i] - y[6 + i], velocity[i] - y[9 + i], rate[i] - y[16 + i]
    for block in range(2):
        for i in range(3):
            k, total, spread = 3 * block, 0.0, 0.0
            for a in range(3):
                total += R[a, i] * e[k + a]
                for b in range(3):
                    spread += R[a, i] * covariance[k + a, k + b] * R[b, i]
            error[k + i], sigma[k + i] = total, math.sqrt(max(spread, 0.0))
    for i in range(6, 12):
        error[i], sigma[i] = e[i], math.sqrt(max(covariance[i, i], 0.0))
    return normalised(covariance, e)


@kernel
def tell_goal(y: Array, goal: Array, out: Array) -> None:
    """``out`` := a place from the target's centre of mass (eci axes) in LVLH."""
    R = matrix(3, 3)
    lvlh_axes(y[0:3], y[3:6], R)
    for i in range(3):
        out[i] = R[0, i] * goal[0] + R[1, i] * goal[1] + R[2, i] * goal[2]


@kernel
def normalised(P: Array, e: Array) -> float:
    """e' P^-1 e by Cholesky; NaN if P is not positive definite."""
    L, x, total = matrix(N_ERRORS, N_ERRORS), vector(N_ERRORS), 0.0
    for i in range(N_ERRORS):
        for j in range(i + 1):
            s = P[i, j]
            for k in range(j):
                s -= L[i, k] * L[j, k]
            if i == j:
                if not s > 0.0:
                    return math.nan
                L[i, i] = math.sqrt(s)
            else:
                L[i, j] = s / L[j, j]
        s = e[i]
        for k in range(i):
            s -= L[i, k] * x[k]
        x[i] = s / L[i, i]
        total += x[i] * x[i]
    return total


@kernel
def relative_pose(y: Array, origin_c: Array, origin_t: Array) -> Array:
    """T_target_chaser, packed, from the state of both craft. ``origin_*``: as above."""
    pose = np.empty(7)
    q_target_eci = inverse(quad(y, 12))
    q = composed(q_target_eci, quad(y, 19))
    way, arm = rotated(q_target_eci, triple(y, 6)), rotated(q, triple(origin_c, 0))
    for i in range(3):
        pose[i] = way[i] + arm[i] - origin_t[i]
    pose[3], pose[4], pose[5], pose[6] = q
    return pose

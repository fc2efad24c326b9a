"""The local frame of the target: ``lvlh``, origin at its centre of mass, x along the flight (it completes the triad, so on an
ellipse it is not quite along the velocity), y against the orbit's normal, z to the Earth.

Relative positions and velocities go in and out as differences: subtracting two positions of 7,000 km would cost 1 nm each
time. Reference: Fehse, Automated Rendezvous and Docking of Spacecraft, section 3.1.
"""

from __future__ import annotations

import math

import numpy as np

from proxops.core.earth import MU_M3_S2
from proxops.maths.kernel import kernel
from proxops.maths.quaternion import cross, length
from proxops.maths.rotation import Array, put_quat
from proxops.maths.stack import matrix, vector
from proxops.maths.triple import composed, crossed, inverse, quad, rotated, triple
from proxops.space.gravity import zonal


@kernel
def lvlh_axes(p: Array, v: Array, R: Array) -> None:
    """``R`` := R_eci_lvlh of a target at ``p`` with velocity ``v`` (ECI): its columns are the axes."""
    r, h = length(p), crossed(triple(p, 0), triple(v, 0))
    momentum = math.sqrt(h[0] * h[0] + h[1] * h[1] + h[2] * h[2])
    z = (-p[0] / r, -p[1] / r, -p[2] / r)
    y = (-h[0] / momentum, -h[1] / momentum, -h[2] / momentum)
    x = crossed(y, z)
    for k in range(3):
        R[k, 0], R[k, 1], R[k, 2] = x[k], y[k], z[k]


@kernel
def lvlh_rate(p: Array, v: Array, a: Array, w: Array) -> None:
    """``w`` := inertial angular rate of the frame (rad/s, in lvlh) of a target with acceleration ``a`` (m/s^2, ECI).

    Exact on any path: about the normal it is h / r^2, and the plane itself turns about the radius at r a_n / h, where a_n
    is the acceleration across the plane. About x the frame never turns.
    """
    r, h = length(p), crossed(triple(p, 0), triple(v, 0))
    momentum = math.sqrt(h[0] * h[0] + h[1] * h[1] + h[2] * h[2])
    across = (a[0] * h[0] + a[1] * h[1] + a[2] * h[2]) / momentum
    w[0] = 0.0
    w[1] = -momentum / (r * r)
    w[2] = -r * across / momentum


@kernel
def relative_in_lvlh(p: Array, v: Array, a: Array, d: Array, d_dot: Array, x: Array, x_dot: Array) -> None:
    """``x``, ``x_dot`` := place and velocity of the chaser in lvlh, as seen in the turning frame, from its place ``d`` and
    velocity ``d_dot`` relative to the target in ECI axes; ``p``, ``v``, ``a``: the target in ECI."""
    R, w = matrix(3, 3), vector(3)
    lvlh_axes(p, v, R)
    lvlh_rate(p, v, a, w)
    for k in range(3):
        x[k] = R[0, k] * d[0] + R[1, k] * d[1] + R[2, k] * d[2]
        x_dot[k] = R[0, k] * d_dot[0] + R[1, k] * d_dot[1] + R[2, k] * d_dot[2]
    swept = crossed(triple(w, 0), triple(x, 0))
    for k in range(3):
        x_dot[k] -= swept[k]


@kernel
def relative_in_eci(p: Array, v: Array, a: Array, x: Array, x_dot: Array, d: Array, d_dot: Array) -> None:
    """``d``, ``d_dot`` := the way back from ``x`` and ``x_dot``."""
    R, w = np.empty((3, 3)), np.empty(3)
    lvlh_axes(p, v, R)
    lvlh_rate(p, v, a, w)
    moved = x_dot + cross(w, x)
    for k in range(3):
        d[k] = R[k, 0] * x[0] + R[k, 1] * x[1] + R[k, 2] * x[2]
        d_dot[k] = R[k, 0] * moved[0] + R[k, 1] * moved[1] + R[k, 2] * moved[2]


@kernel
def pull(p: Array, degree: int) -> Array:
    """Acceleration by gravity at ``p`` (ECI)."""
    a = np.empty(3)
    put_pull(p, degree, a)
    return a


@kernel
def put_pull(p: Array, degree: int, a: Array) -> None:
    """Likewise, into ``a``."""
    zonal(p, degree, a)
    cubed = length(p) ** 3.0  # pow, as NumPy has it: recorded runs stay the same to the bit
    for k in range(3):
        a[k] -= MU_M3_S2 * p[k] / cubed


@kernel
def lvlh_frame(y: Array, degree: int) -> tuple[Array, Array]:
    """R_eci_lvlh of the target and its inertial rate, in lvlh components."""
    R, rate = np.empty((3, 3)), np.empty(3)
    put_lvlh_frame(y, degree, R, rate)
    return R, rate


@kernel
def put_lvlh_frame(y: Array, degree: int, R: Array, rate: Array) -> None:
    """Likewise, into ``R`` and ``rate``."""
    p, v, a = y[0:3], y[3:6], vector(3)
    put_pull(p, degree, a)
    lvlh_axes(p, v, R)
    lvlh_rate(p, v, a, rate)


@kernel
def turn_with_lvlh(y: Array, degree: int, q_lvlh_body: Array) -> None:
    """The target's attitude and rate in ``y`` := those of a body that stands in lvlh."""
    R, rate, q_eci_lvlh, q = matrix(3, 3), vector(3), vector(4), quad(q_lvlh_body, 0)
    put_lvlh_frame(y, degree, R, rate)
    put_quat(R, q_eci_lvlh)
    y[12], y[13], y[14], y[15] = composed(quad(q_eci_lvlh, 0), q)
    y[16], y[17], y[18] = rotated(inverse(q), triple(rate, 0))

"""The local frame of the target: ``lvlh``, origin at its centre of mass, x along the flight (it completes the triad, so on an
ellipse it is not quite along the velocity), y against the orbit's normal, z to the Earth.

Relative positions and velocities go in and out as differences: subtracting two positions of 7,000 km would cost 1 nm each
time. Reference: Fehse, Automated Rendezvous and Docking of Spacecraft, section 3.1.
"""

from __future__ import annotations

import numpy as np

from proxops.core.earth import MU_M3_S2
from proxops.maths.kernel import kernel
from proxops.maths.quaternion import cross, length, quat_inverse, quat_product, turned
from proxops.maths.rotation import Array, quat_from_matrix
from proxops.space.gravity import zonal


@kernel
def lvlh_axes(p: Array, v: Array, R: Array) -> None:
    """``R`` := R_eci_lvlh of a target at ``p`` with velocity ``v`` (ECI): its columns are the axes."""
    z = -p / length(p)
    h = cross(p, v)
    y = -h / length(h)
    x = cross(y, z)
    for k in range(3):
        R[k, 0], R[k, 1], R[k, 2] = x[k], y[k], z[k]


@kernel
def lvlh_rate(p: Array, v: Array, a: Array, w: Array) -> None:
    """``w`` := inertial angular rate of the frame (rad/s, in lvlh) of a target with acceleration ``a`` (m/s^2, ECI).

    Exact on any path: about the normal it is h / r^2, and the plane itself turns about the radius at r a_n / h, where a_n
    is the acceleration across the plane. About x the frame never turns.
    """
    r = length(p)
    h = cross(p, v)
    momentum = length(h)
    across = (a[0] * h[0] + a[1] * h[1] + a[2] * h[2]) / momentum
    w[0] = 0.0
    w[1] = -momentum / (r * r)
    w[2] = -r * across / momentum


@kernel
def relative_in_lvlh(p: Array, v: Array, a: Array, d: Array, d_dot: Array, x: Array, x_dot: Array) -> None:
    """``x``, ``x_dot`` := place and velocity of the chaser in lvlh, as seen in the turning frame, from its place ``d`` and
    velocity ``d_dot`` relative to the target in ECI axes; ``p``, ``v``, ``a``: the target in ECI."""
    R, w = np.empty((3, 3)), np.empty(3)
    lvlh_axes(p, v, R)
    lvlh_rate(p, v, a, w)
    for k in range(3):
        x[k] = R[0, k] * d[0] + R[1, k] * d[1] + R[2, k] * d[2]
        x_dot[k] = R[0, k] * d_dot[0] + R[1, k] * d_dot[1] + R[2, k] * d_dot[2]
    x_dot[:] -= cross(w, x)


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
    zonal(p, degree, a)
    a -= MU_M3_S2 * p / length(p) ** 3.0  # pow, as NumPy has it: recorded runs stay the same to the bit
    return a


@kernel
def lvlh_frame(y: Array, degree: int) -> tuple[Array, Array]:
    """R_eci_lvlh of the target and its inertial rate, in lvlh components."""
    p, v, R, rate = y[0:3], y[3:6], np.empty((3, 3)), np.empty(3)
    lvlh_axes(p, v, R)
    lvlh_rate(p, v, pull(p, degree), rate)
    return R, rate


@kernel
def turn_with_lvlh(y: Array, degree: int, q_lvlh_body: Array) -> None:
    """The target's attitude and rate in ``y`` := those of a body that stands in lvlh."""
    R, rate = lvlh_frame(y, degree)
    y[12:16] = quat_product(quat_from_matrix(R), q_lvlh_body)
    y[16:19] = turned(quat_inverse(q_lvlh_body), rate)

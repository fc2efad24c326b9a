"""The target's local orbital frame as the flight software computes it: LVLH axes, their turning, and gravity's gradient.

LVLH: origin in the target's centre of mass, z to the Earth's centre, y against the orbit's normal, x completes (along the
flight). Reference: Fehse, Automated Rendezvous and Docking of Spacecraft, section 3.1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from proxops.core.earth import MU_M3_S2
from proxops.core.flight import Floats
from proxops.maths.kernel import kernel
from proxops.maths.quaternion import length
from proxops.maths.triple import crossed, mapped, triple


@dataclass(frozen=True)
class LocalOrbit:
    """LVLH at one moment; vectors in eci axes."""

    p_eci_target: Floats  # (3) m
    v_eci_target: Floats  # (3) m/s
    R_eci_lvlh: Floats  # (3, 3)
    w: Floats  # (3) rad/s of LVLH against the stars
    w_dot: Floats  # (3) rad/s^2
    gradient: Floats  # (3, 3) 1/s^2: times a small displacement, the difference of gravity there


def local_orbit(p_eci_target: Floats, v_eci_target: Floats) -> LocalOrbit:
    """LVLH of a craft from where it is and how it moves."""
    orbit = LocalOrbit(
        p_eci_target, v_eci_target, np.empty((3, 3)), np.empty(3), np.empty(3), np.empty((3, 3))
    )  # fmt: skip
    put_orbit(p_eci_target, v_eci_target, orbit.R_eci_lvlh, orbit.w, orbit.w_dot, orbit.gradient)
    return orbit


@kernel
def put_orbit(p: Floats, v: Floats, R: Floats, w: Floats, w_dot: Floats, gradient: Floats) -> None:
    """Axes, rate h / r^2 and its change -2 (r' / r) w: exact for any orbit round a point mass; gravity's gradient."""
    r = length(p)
    normal = crossed(triple(p, 0), triple(v, 0))
    h = math.sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2])
    for i in range(3):
        R[i, 2] = -p[i] / r
        R[i, 1] = -normal[i] / h
    along = crossed((R[0, 1], R[1, 1], R[2, 1]), (R[0, 2], R[1, 2], R[2, 2]))
    climb = (p[0] * v[0] + p[1] * v[1] + p[2] * v[2]) / r
    for i in range(3):
        R[i, 0] = along[i]
        w[i] = normal[i] / (r * r)
        w_dot[i] = -2.0 * climb / r * w[i]
    gravity_gradient(p, gradient)


@kernel
def gravity_gradient(p: Floats, out: Floats) -> None:
    """``out`` (3, 3) := mu / r^3 (3 e e^T - 1) at the place p from the Earth's centre."""
    r = math.sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2])
    k = MU_M3_S2 / (r * r * r)
    for i in range(3):
        for j in range(3):
            out[i, j] = k * (3.0 * p[i] * p[j] / (r * r) - (1.0 if i == j else 0.0))


@kernel
def seen_inertially(
    R: Floats, w: Floats, w_dot: Floats, place: Floats, rate: Floats, acceleration: Floats, out: Floats
) -> None:
    """``out`` (3, 3): rows position, velocity, acceleration in eci axes of a point that moves in a turning frame.

    R turns the frame's components into eci; w and w_dot are the frame's in eci axes; place, rate and acceleration are as
    seen in the frame.
    """
    p, v, a = mapped(R, triple(place, 0)), mapped(R, triple(rate, 0)), mapped(R, triple(acceleration, 0))
    turning = triple(w, 0)
    carried, coriolis = crossed(turning, p), crossed(turning, v)
    centripetal, euler = crossed(turning, carried), crossed(triple(w_dot, 0), p)
    for i in range(3):
        out[0, i] = p[i]
        out[1, i] = v[i] + carried[i]
        out[2, i] = a[i] + 2.0 * coriolis[i] + centripetal[i] + euler[i]

"""Attraction of the Earth: zonal terms, what is left of the central term between neighbours, and its torque on a body.

Positions are in ECI from the Earth's centre, z along the pole, metres; accelerations m/s^2 in the same axes. Kernels write into
``out`` (3).
"""

from __future__ import annotations

import math
from typing import Final

from proxops.core.earth import J2, J3, J4, J5, J6, MU_M3_S2, RADIUS_M
from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array
from proxops.maths.triple import Vector

ZONAL: Final = (0.0, 0.0, J2, J3, J4, J5, J6)  # J_n at place n
HIGHEST_DEGREE: Final = len(ZONAL) - 1
# n P'_(n+1) = (2 n + 1) s P'_n - (n + 1) P'_(n-1): its factors, so that no division is left.
UP: Final = (0.0, *((2 * n + 1) / n for n in range(1, HIGHEST_DEGREE + 1)))
BACK: Final = (0.0, *((n + 1) / n for n in range(1, HIGHEST_DEGREE + 1)))


@kernel
def zonal(p: Vector, degree: int, out: Array) -> None:
    """``out`` := acceleration by J2 … J_degree (1: none), without the central term.

    The gradient of one term of the potential needs derivatives P'_n of Legendre's polynomials only, since
    (n + 1) P_n + s P'_n = P'_(n+1) with s = z / r:  a_n = -mu / r^2 J_n (R / r)^n (P'_n z^ - P'_(n+1) p^).
    """
    r = math.sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2])
    s, near = p[2] / r, RADIUS_M / r
    along_pole, along_p = 0.0, 0.0
    slope, next_slope, scale = 1.0, 3.0 * s, near  # P'_1, P'_2, (R / r)^1
    for n in range(2, degree + 1):
        slope, next_slope = next_slope, UP[n] * s * next_slope - BACK[n] * slope
        scale *= near
        along_pole += ZONAL[n] * scale * slope
        along_p += ZONAL[n] * scale * next_slope
    k = MU_M3_S2 / (r * r)
    along_p *= k / r
    for i in range(3):
        out[i] = along_p * p[i]
    out[2] -= k * along_pole


@kernel
def zonal_potential(p: Array, degree: int) -> float:
    """Potential (J/kg) of J2 … J_degree, zero at infinity; ``zonal`` is its gradient, kinetic energy less it is kept."""
    r = math.sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2])
    s, near = p[2] / r, RADIUS_M / r
    total = 0.0
    before, legendre, scale = 1.0, s, near  # P_0, P_1, (R / r)^1
    for n in range(2, degree + 1):
        before, legendre = legendre, ((2 * n - 1) * s * legendre - (n - 1) * before) / n
        scale *= near
        total -= ZONAL[n] * scale * legendre
    return MU_M3_S2 / r * total


@kernel
def battin(q: float) -> tuple[float, float]:
    """(1 + q)^(3/2) - 1 without cancellation at small q, and (1 + q)^(-3/2) (Battin, An Introduction to the Mathematics
    and Methods of Astrodynamics, section 8.4; Encke's f(q))."""
    root = (1.0 + q) * math.sqrt(1.0 + q)
    return q * (3.0 + q * (3.0 + q)) / (1.0 + root), 1.0 / root


@kernel
def central_difference(p: Vector, d: Vector, out: Array) -> None:
    """``out`` := acceleration of a point at p + d less that of one at p, under mu / r^2 alone. Exact, and good to rounding
    from a millimetre on: nowhere are two near numbers subtracted."""
    r2 = p[0] * p[0] + p[1] * p[1] + p[2] * p[2]
    q = (d[0] * (d[0] + 2.0 * p[0]) + d[1] * (d[1] + 2.0 * p[1]) + d[2] * (d[2] + 2.0 * p[2])) / r2
    f, shrink = battin(q)
    k = -MU_M3_S2 / (r2 * math.sqrt(r2)) * shrink
    for i in range(3):
        out[i] = k * (d[i] - f * p[i])


@kernel
def gravity_gradient_torque(p_body: Vector, inertia: Array, out: Array) -> None:
    """``out`` := torque (N m, body axes) 3 mu / r^5 p x (I p) about the centre of mass. ``p_body``: from the Earth's centre to
    the body, in body axes; its sign does not matter. First order in size / r; of the Earth as a point mass."""
    x, y, z = p_body[0], p_body[1], p_body[2]
    r2 = x * x + y * y + z * z
    hx = inertia[0, 0] * x + inertia[0, 1] * y + inertia[0, 2] * z
    hy = inertia[1, 0] * x + inertia[1, 1] * y + inertia[1, 2] * z
    hz = inertia[2, 0] * x + inertia[2, 1] * y + inertia[2, 2] * z
    k = 3.0 * MU_M3_S2 / (r2 * r2 * math.sqrt(r2))
    out[0] = k * (y * hz - z * hy)
    out[1] = k * (z * hx - x * hz)
    out[2] = k * (x * hy - y * hx)

"""Free motion of target and chaser under point mass and J2, by Runge-Kutta's classical method: the exact differential motion
that ``proxops orbit`` compares the linear ones with.

The chaser's motion is that of its difference to the target in inertial axes, so that centimetres do not drown in the
rounding of 7,000 km. Error with steps of 1 s: below 1e-6 m of a low orbit and 1e-8 m of a drift of 100 m, in a revolution.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from proxops.maths.kernel import kernel
from proxops.maths.quaternion import length
from proxops.maths.rotation import Array
from proxops.space.earth import J2, MU_M3_S2, RADIUS_M
from proxops.space.ephemeris import ephemeris_acceleration, ephemeris_at
from proxops.space.lvlh import relative_in_eci, relative_in_lvlh

STEP_S: Final = 1.0


@kernel
def _flattening(p: Array, out: Array) -> None:
    """``out`` += what J2 adds to the acceleration (m/s^2, ECI)."""
    r = length(p)
    k = 1.5 * J2 * MU_M3_S2 * RADIUS_M**2 / r**5
    height = 5.0 * (p[2] / r) ** 2
    out[0] += k * p[0] * (height - 1.0)
    out[1] += k * p[1] * (height - 1.0)
    out[2] += k * p[2] * (height - 3.0)


@kernel
def acceleration(p: Array, j2: bool, out: Array) -> None:
    """``out`` := gravity at ``p`` (m/s^2, ECI)."""
    out[:] = -MU_M3_S2 / length(p) ** 3 * p
    if j2:
        _flattening(p, out)


@kernel
def acceleration_difference(p: Array, d: Array, j2: bool, out: Array) -> None:
    """``out`` := gravity at p + d less that at p, without cancellation in the great term (Battin's function)."""
    r = length(p)
    q = (d[0] * (2.0 * p[0] + d[0]) + d[1] * (2.0 * p[1] + d[1]) + d[2] * (2.0 * p[2] + d[2])) / (r * r)
    root = math.sqrt(1.0 + q) ** 3
    share = q * (3.0 + q * (3.0 + q)) / (root * (root + 1.0))  # 1 - (1 + q)^(-3/2)
    there = p + d
    out[:] = -MU_M3_S2 / r**3 * (d - share * there)
    if j2:
        here = np.zeros(3)
        _flattening(p, here)
        _flattening(there, out)
        out[:] -= here


@kernel
def integrate_orbit(p: Array, v: Array, j2: bool, table: Array) -> None:
    """Fill the rows of ``table`` (times in its first column, the first one being that of ``p``, ``v``) with p, v, a."""
    p, v, now = p.copy(), v.copy(), table[0, 0]
    k1, k2, k3, k4 = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    for row in range(table.shape[0]):
        steps = math.ceil((table[row, 0] - now) / STEP_S)
        h = (table[row, 0] - now) / max(steps, 1)
        for _ in range(steps):
            acceleration(p, j2, k1)
            acceleration(p + 0.5 * h * v, j2, k2)
            acceleration(p + 0.5 * h * v + 0.25 * h * h * k1, j2, k3)
            acceleration(p + h * v + 0.5 * h * h * k2, j2, k4)
            p += h * v + h * h / 6.0 * (k1 + k2 + k3)
            v += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
        now = table[row, 0]
        table[row, 1:4] = p
        table[row, 4:7] = v
        acceleration(p, j2, table[row, 7:10])


@kernel
def integrate_drift(table: Array, j2: bool, x0: Array, x0_dot: Array, t: Array, out: Array) -> None:
    """``out`` (n, 6) := place and velocity of a drifting chaser in lvlh at the times ``t``, the first of which is when it is
    at ``x0`` with ``x0_dot`` there; the target follows ``table``."""
    d, u, a = np.empty(3), np.empty(3), np.empty(3)
    p0, p1, p2, v = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    k1, k2, k3, k4 = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    now = t[0]
    ephemeris_at(table, now, p2, v)
    ephemeris_acceleration(table, now, a)
    relative_in_eci(p2, v, a, x0, x0_dot, d, u)
    for row in range(t.size):
        steps = math.ceil((t[row] - now) / STEP_S)
        h = (t[row] - now) / max(steps, 1)
        for step in range(steps):
            p0[:] = p2
            ephemeris_at(table, now + (step + 0.5) * h, p1, v)
            ephemeris_at(table, now + (step + 1.0) * h, p2, v)
            acceleration_difference(p0, d, j2, k1)
            acceleration_difference(p1, d + 0.5 * h * u, j2, k2)
            acceleration_difference(p1, d + 0.5 * h * u + 0.25 * h * h * k1, j2, k3)
            acceleration_difference(p2, d + h * u + 0.5 * h * h * k2, j2, k4)
            d += h * u + h * h / 6.0 * (k1 + k2 + k3)
            u += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
        now = t[row]
        ephemeris_acceleration(table, now, a)
        relative_in_lvlh(p2, v, a, d, u, out[row, 0:3], out[row, 3:6])

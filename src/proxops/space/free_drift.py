"""Free motion of target and chaser under the Earth's gravity alone, by Runge-Kutta's classical method: the exact differential
motion that ``proxops orbit`` compares the linear ones with.

The chaser's motion is that of its difference to the target in inertial axes, so that centimetres do not drown in the
rounding of 7,000 km. Error with steps of 1 s: 2e-6 m of a low orbit and 1e-9 m of a drift of 100 m, in a revolution.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from proxops.core.earth import MU_M3_S2
from proxops.maths.kernel import kernel
from proxops.maths.quaternion import length
from proxops.maths.rotation import Array
from proxops.space.ephemeris import ephemeris_acceleration, ephemeris_at
from proxops.space.gravity import central_difference, zonal
from proxops.space.lvlh import relative_in_eci, relative_in_lvlh

STEP_S: Final = 1.0


@kernel
def acceleration(p: Array, degree: int, out: Array) -> None:
    """``out`` := gravity at ``p`` (m/s^2, ECI), zonal terms up to ``degree``."""
    zonal(p, degree, out)
    out[:] -= MU_M3_S2 / length(p) ** 3 * p


@kernel
def acceleration_difference(p: Array, d: Array, degree: int, out: Array) -> None:
    """``out`` := gravity at p + d less that at p, without cancellation in the great term."""
    here, there = np.empty(3), np.empty(3)
    central_difference(p, d, out)
    zonal(p, degree, here)
    zonal(p + d, degree, there)
    out[:] += there - here


@kernel
def integrate_orbit(p: Array, v: Array, degree: int, table: Array) -> None:
    """Fill the rows of ``table`` (times in its first column, the first one being that of ``p``, ``v``) with p, v, a."""
    p, v, now = p.copy(), v.copy(), table[0, 0]
    k1, k2, k3, k4 = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    for row in range(table.shape[0]):
        steps = math.ceil((table[row, 0] - now) / STEP_S)
        h = (table[row, 0] - now) / max(steps, 1)
        for _ in range(steps):
            acceleration(p, degree, k1)
            acceleration(p + 0.5 * h * v, degree, k2)
            acceleration(p + 0.5 * h * v + 0.25 * h * h * k1, degree, k3)
            acceleration(p + h * v + 0.5 * h * h * k2, degree, k4)
            p += h * v + h * h / 6.0 * (k1 + k2 + k3)
            v += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
        now = table[row, 0]
        table[row, 1:4] = p
        table[row, 4:7] = v
        acceleration(p, degree, table[row, 7:10])


@kernel
def integrate_drift(table: Array, degree: int, x0: Array, x0_dot: Array, t: Array, out: Array) -> None:
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
            acceleration_difference(p0, d, degree, k1)
            acceleration_difference(p1, d + 0.5 * h * u, degree, k2)
            acceleration_difference(p1, d + 0.5 * h * u + 0.25 * h * h * k1, degree, k3)
            acceleration_difference(p2, d + h * u + 0.5 * h * h * k2, degree, k4)
            d += h * u + h * h / 6.0 * (k1 + k2 + k3)
            u += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
        now = t[row]
        ephemeris_acceleration(table, now, a)
        relative_in_lvlh(p2, v, a, d, u, out[row, 0:3], out[row, 3:6])

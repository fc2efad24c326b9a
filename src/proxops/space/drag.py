"""Drag of the air on a craft. The air turns with the Earth."""

from __future__ import annotations

import math

from proxops.core.earth import TURN_RATE
from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array
from proxops.maths.triple import Vector


@kernel
def drag(p: Vector, v: Vector, density: float, area_times_cd_over_mass: float, out: Array) -> None:
    """``out`` := acceleration (m/s^2, ECI) -1/2 rho (A Cd / m) |u| u against the wind u = v - w x p of a craft at p (m) with v
    (m/s), both ECI; ``density`` kg/m^3, ``area_times_cd_over_mass`` m^2/kg. No lift, no winds of the air's own."""
    ux, uy, uz = v[0] + TURN_RATE * p[1], v[1] - TURN_RATE * p[0], v[2]
    k = -0.5 * density * area_times_cd_over_mass * math.sqrt(ux * ux + uy * uy + uz * uz)
    out[0] = k * ux
    out[1] = k * uy
    out[2] = k * uz

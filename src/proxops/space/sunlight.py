"""Sunlight on a craft: how much of the Sun's disc the Earth leaves in view, and the pressure of that light.

Both discs are taken as plane, the Earth as a sphere without air (Montenbruck & Gill, Satellite Orbits, section 3.4).
"""

from __future__ import annotations

import math

from proxops.core.earth import AU_M, EQUATOR_M, SUN_RADIUS_M, SUNLIGHT_N_M2
from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array
from proxops.maths.triple import Vector


@kernel
def sunlight(p: Array, p_sun: Array) -> float:
    """Share of the Sun's disc in view from p: 1 in the light, 0 in the umbra, between in penumbra and annular shadow.
    Positions from the Earth's centre, any common axes, metres."""
    dot = p[0] * p_sun[0] + p[1] * p_sun[1] + p[2] * p_sun[2]
    if dot >= 0.0:
        return 1.0  # on the day side: spares most calls the angles
    dx, dy, dz = p_sun[0] - p[0], p_sun[1] - p[1], p_sun[2] - p[2]
    r = math.sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2])
    d = math.sqrt(dx * dx + dy * dy + dz * dz)
    cx, cy, cz = p[1] * dz - p[2] * dy, p[2] * dx - p[0] * dz, p[0] * dy - p[1] * dx
    towards_earth = -(p[0] * dx + p[1] * dy + p[2] * dz)
    apart = math.atan2(math.sqrt(cx * cx + cy * cy + cz * cz), towards_earth)
    earth = 0.5 * math.pi if r < EQUATOR_M else math.asin(EQUATOR_M / r)
    return visible_share(math.asin(SUN_RADIUS_M / d), earth, apart)


@kernel
def visible_share(sun: float, earth: float, apart: float) -> float:
    """Share of the Sun's disc that the Earth's does not cover; angular radii of both and the angle between their centres."""
    if apart >= sun + earth:
        return 1.0
    if apart <= earth - sun:
        return 0.0
    if apart <= sun - earth:
        return 1.0 - (earth / sun) ** 2  # annular: the Earth stands within the Sun's disc
    # The chord through both points where the discs cross lies at x from the Sun's centre; two segments overlap.
    x = (apart * apart + sun * sun - earth * earth) / (2.0 * apart)
    y = math.sqrt(abs(sun * sun - x * x))  # abs: rounding at first and last touch
    covered = sun * sun * math.atan2(y, x) + earth * earth * math.atan2(y, apart - x) - apart * y
    return 1.0 - covered / (math.pi * sun * sun)


@kernel
def pressure(p: Vector, p_sun: Vector, share: float, area_times_reflectivity_over_mass: float, out: Array) -> None:
    """``out`` := acceleration (m/s^2) away from the Sun of a sphere at p: P (AU / d)^2 share A Cr / m. Reflectivity Cr: 1 for
    what absorbs all light; ``area_times_reflectivity_over_mass`` m^2/kg."""
    dx, dy, dz = p[0] - p_sun[0], p[1] - p_sun[1], p[2] - p_sun[2]
    d2 = dx * dx + dy * dy + dz * dz
    k = SUNLIGHT_N_M2 * share * area_times_reflectivity_over_mass * AU_M * AU_M / (d2 * math.sqrt(d2))
    out[0] = k * dx
    out[1] = k * dy
    out[2] = k * dz

"""The light of an orbit: the Sun as far as it is in view, and what the sunlit Earth gives back.

Earthshine: the Earth as a sphere that scatters a share of 0.3 of sunlight alike in all directions (Lambert), without air;
Bond albedo 0.29 to 0.30 (Stephens et al., Rev. Geophys. 53, 2015, as recalled). Its irradiance on a surface that looks at the
Earth's centre is integrated over the part of the globe that is seen; it is nothing in the umbra, because nothing that is lit
is seen from there. That the light comes from a half space (``SurroundingLight``) is coarse: in low orbit the Earth fills 140
deg.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from proxops.optics.scene.light import SUN_BAND_W_M2, DistantLight, Light, SurroundingLight

EARTH_ALBEDO: Final = 0.3
NODES: Final = (48, 96)  # of the angle at which light leaves the globe, and round the disc
Triple = tuple[float, float, float]


def orbit_lights(to_sun: Triple, sunlit: float, to_earth: Triple, earth_radius_rad: float) -> tuple[Light, ...]:
    """Directions in the scene; ``sunlit``: share of the Sun's disc in view (``space.sunlight.visible_share``); the angular
    radius of the Earth. Always two lights, so that pictures with and without the Sun are made alike."""
    cosine = float(np.dot(to_sun, to_earth) / (np.linalg.norm(to_sun) * np.linalg.norm(to_earth)))
    earthshine = 0.0 if sunlit <= 0.0 else SUN_BAND_W_M2 * EARTH_ALBEDO * earth_share(earth_radius_rad, -cosine)
    return DistantLight(to_sun, SUN_BAND_W_M2 * sunlit), SurroundingLight(to_earth, earthshine)


def earth_share(earth_radius_rad: float, cos_zenith: float) -> float:
    """Irradiance on a surface that looks at the Earth's centre, over that of sunlight times albedo. ``cos_zenith``: of the
    Sun's distance from the zenith at the point below.

    Light that leaves the globe at the angle e from its zenith comes in at the angle a from its centre: sin a = R sin e, with
    R = sin(radius), from a point e - a away from the one below. The share is the integral of max(0, n·sun) / pi · cos a over
    the solid angle of the disc; cos a sin a da = R² cos e sin e de.
    """
    R = math.sin(earth_radius_rad)
    x, weight = np.polynomial.legendre.leggauss(NODES[0])
    e = 0.25 * math.pi * (x + 1.0)
    away = e - np.arcsin(R * np.sin(e))
    phi = 2.0 * math.pi * (np.arange(NODES[1]) + 0.5) / NODES[1]
    across = np.sin(away)[:, None] * math.sqrt(max(0.0, 1.0 - cos_zenith**2)) * np.cos(phi)
    lit = np.maximum(0.0, np.cos(away)[:, None] * cos_zenith + across).mean(axis=1)
    return float(2.0 * R * R * 0.25 * math.pi * (weight @ (lit * np.sin(e) * np.cos(e))))

"""What shines on the client, as far as it is known on board: the Sun by ephemeris and star tracker, the Earth by GNSS."""

from __future__ import annotations

import math

import numpy as np

from proxops.core.earth import EQUATOR_M
from proxops.core.flight import Floats
from proxops.onboard.surface_force import in_shadow
from proxops.onboard.vision.sight import EarthInView
from proxops.optics.scene.light import Light
from proxops.optics.scene.orbit_lights import orbit_lights


def light_in_orbit(to_sun: Floats, p_eci: Floats, R_sensor_eci: Floats) -> tuple[tuple[Light, ...], EarthInView]:
    """In the sensor's frame; ``to_sun`` and ``p_eci`` (m) in eci axes. The Earth's shadow is a cylinder."""
    r = float(np.linalg.norm(p_eci))
    sun, down = R_sensor_eci @ to_sun, -(R_sensor_eci @ p_eci) / r
    radius_rad = math.asin(min(1.0, EQUATOR_M / r))
    sunlit = 0.0 if in_shadow(p_eci, to_sun) else 1.0
    lights = orbit_lights((sun[0], sun[1], sun[2]), sunlit, (down[0], down[1], down[2]), radius_rad)
    return lights, EarthInView(down, radius_rad)

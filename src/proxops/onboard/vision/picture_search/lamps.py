"""The known lights as a sketch takes them: each from one direction, the same for all of the client."""

from __future__ import annotations

import numpy as np

from proxops.core.vision import Floats
from proxops.optics.scene.light import DistantLight, Light, NearLight


def lamps(lights: tuple[Light, ...], R_sensor_line: Floats, place: Floats) -> Floats:
    """(m, 5) for ``view_sketch.put_bright``, in the axes of the line of sight; ``place`` (3) m: of the client in the sensor's."""
    rows = []
    for light in lights:
        direction, irradiance, around = np.array(light.direction), 0.0, 0.0
        if isinstance(light, NearLight):
            direction = np.array(light.place) - place
            irradiance = light.intensity / float(direction @ direction)
        else:
            irradiance, around = light.irradiance, 0.0 if isinstance(light, DistantLight) else 1.0
        rows.append([*(R_sensor_line.T @ direction / np.linalg.norm(direction)), irradiance, around])
    return np.array(rows).reshape(-1, 5)

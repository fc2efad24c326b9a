"""Axes of the line of sight to the client: z along it, turned from the sensor's as little as that needs."""

from __future__ import annotations

import math

import numpy as np

from proxops.core.lens import Lens
from proxops.core.vision import Floats
from proxops.onboard.vision.lens_kernel import lens_numbers, pixel_of
from proxops.optics.render.distortion import lines_of_sight


class LinesOfSight:
    """Of the pixels of a lens."""

    def __init__(self, lens: Lens) -> None:
        self._lens, self._numbers = lens, lens_numbers(lens)
        self.x, self.y = lines_of_sight(lens)  # on the plane z = 1

    def pixel(self, place: Floats) -> tuple[float, float]:
        """u, v of a place (3) m before the lens."""
        return pixel_of(self._numbers, place[0], place[1], max(place[2], 0.02))

    def through(self, u: float, v: float) -> Floats:
        """(3) of length one; beside the picture as at its rim."""
        i, j = min(max(round(u), 0), self._lens.width - 1), min(max(round(v), 0), self._lens.height - 1)
        d = np.array(
            [self.x[j, i] + (u - i) / self._lens.fx, self.y[j, i] + (v - j) / self._lens.fy, 1.0]
        )  # fmt: skip
        return np.asarray(d / np.linalg.norm(d))


def R_sensor_line(line: Floats) -> Floats:
    """(3, 3)."""
    x, y, z = line
    a = 1.0 / (1.0 + z)
    return np.array([[1.0 - a * x * x, -a * x * y, x], [-a * x * y, 1.0 - a * y * y, y], [-x, -y, z]])


def about_line(angle: float) -> Floats:
    """(3, 3)."""
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])

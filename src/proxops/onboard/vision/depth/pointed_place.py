"""Where an operator points, in a depth image: which places are meant."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from proxops.core.lens import Lens
from proxops.core.lens_map import distorted
from proxops.maths.rotation import Array

SLACK: Final = 0.5  # of the client's radius: the middle of what is seen of it is not its own


@dataclass(frozen=True)
class PointedPlace:
    """``at``: right, down, radius in pixels; the client's middle is within."""

    lens: Lens
    at: tuple[float, float, float]
    client_radius_m: float

    def among(self, places: Array) -> Array:
        """Of places (n, 3) those that are meant."""
        before = places[places[:, 2] > 0.0]
        z, (right, down, radius) = before[:, 2], self.at
        x, y, _ = distorted(self.lens, before[:, 0] / z, before[:, 1] / z)
        off = np.hypot(self.lens.fx * x + self.lens.cx - right, self.lens.fy * y + self.lens.cy - down)
        return np.asarray(before[off < radius + SLACK * self.lens.fx * self.client_radius_m / z])

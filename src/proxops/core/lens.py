"""How a camera maps directions to pixels: a pinhole with Brown's distortion, as OpenCV has it.

Sensor frame: z along the line of sight, x to the right, y down. Pixel (0, 0) is the middle of the first one, u to the right, v
down. With x' = x / z, y' = y / z, r² = x'² + y'²:

    x" = x' (1 + k1 r² + k2 r⁴ + k3 r⁶) + 2 p1 x' y' + p2 (r² + 2 x'²),    y" likewise with p1 and p2 exchanged
    u = fx x" + cx,                                                          v = fy y" + cy
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Lens:
    """Pixels, but for the distortion (k1, k2, p1, p2, k3), which has no unit."""

    width: int
    height: int
    fx: float
    fy: float
    cx: float
    cy: float
    distortion: tuple[float, float, float, float, float] = (0.0, 0.0, 0.0, 0.0, 0.0)

    @property
    def intrinsics(self) -> NDArray[np.float64]:
        """K (3, 3)."""
        return np.array([[self.fx, 0.0, self.cx], [0.0, self.fy, self.cy], [0.0, 0.0, 1.0]])

    @property
    def ideal(self) -> bool:
        return not any(self.distortion)

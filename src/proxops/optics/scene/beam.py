"""How strong a lamp's beam is on its axis, from the light that it gives in all."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

NODES: Final = 400  # of the quadrature: six digits down to beams of a degree


def beam_intensity(flux: float, half_angle_rad: float) -> float:
    """W/sr on the axis of a beam exp(-ln 2 (angle / half_angle)²) that carries ``flux`` W into the half space ahead: flux over
    2 pi times the integral of that times sin(angle)."""
    x, weight = np.polynomial.legendre.leggauss(NODES)
    angle = 0.25 * math.pi * (x + 1.0)
    shape = np.exp(-math.log(2.0) * (angle / half_angle_rad) ** 2) * np.sin(angle)
    return flux / (2.0 * math.pi * 0.25 * math.pi * float(weight @ shape))

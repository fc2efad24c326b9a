"""The light of the hall: the 12 kW spotlight as the cell has it, and what its walls give back.

Flux: 1.15 Mlm (a 12 kW HMI lamp: 92 to 100 lm/W, makers' data as recalled; paper 001 names 12 kW), as watts between 400 and
1000 nm by ``LUMENS_PER_WATT``. Beam: half of the axis's intensity at 20 deg, ASSUMED: then the mock-up, 3.9 m away, gets what
the Sun gives in orbit, within a tenth. The lens is a disc of 0.25 m, ASSUMED. Stray light: 0.5 % of what the lamp gives the
mock-up, from above, ASSUMED.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.lab import hall_plan
from proxops.lab.cell import Cell
from proxops.optics.scene.beam import beam_intensity
from proxops.optics.scene.light import LUMENS_PER_WATT, Light, NearLight, SurroundingLight

LAMP_LM: Final = 1.15e6
HALF_ANGLE_RAD: Final = math.radians(20.0)
LENS_RADIUS_M: Final = 0.25
STRAY_SHARE: Final = 0.005
UP: Final = (0.0, 0.0, 1.0)


def hall_lights(cell: Cell, *, lamp_share: float = 1.0, stray_share: float = STRAY_SHARE) -> tuple[Light, ...]:
    """``lamp_share``: of the lamp's light (0: it is off, and so is what it leaves on the walls). Lab frame."""
    head, beam = hall_plan.lamp_beam(cell.hall["base2"][0][:3, 3], cell.file.lamp.towards_lab)
    intensity = lamp_share * beam_intensity(LAMP_LM / LUMENS_PER_WATT, HALF_ANGLE_RAD)
    lamp = NearLight(_three(head), _three(beam), intensity, HALF_ANGLE_RAD, LENS_RADIUS_M)
    at_mockup = intensity / hall_plan.LAMP_DISTANCE**2
    return lamp, SurroundingLight(UP, stray_share * at_mockup)


def _three(v: NDArray[np.float64]) -> tuple[float, float, float]:
    return float(v[0]), float(v[1]), float(v[2])

"""Where a direction of one image is in another of the same sensor, as far as the chaser's own turning says."""

from __future__ import annotations

import numpy as np

from proxops.core.lens import Lens
from proxops.core.lens_map import distorted, sight_line
from proxops.core.vision import Floats


def carried_over(lens: Lens, at: tuple[float, float], R_to_from: Floats) -> tuple[float, float] | None:
    """Pixel in the image of sensor frame ``to`` of the pixel ``at`` in that of ``from``; None: it is behind the sensor by then.
    What the target has moved meanwhile, nobody knows."""
    x, y = sight_line(lens, *at)
    there = R_to_from @ np.array([x, y, 1.0])
    if there[2] <= 0.0:
        return None
    across, down, _ = distorted(lens, there[:1] / there[2], there[1:2] / there[2])
    return float(lens.fx * across[0] + lens.cx), float(lens.fy * down[0] + lens.cy)

"""The part of a picture in which the client should be, for who measures the exposure by it."""

from __future__ import annotations

from typing import Final

import numpy as np

from proxops.core.flight import OnboardData
from proxops.core.images import MeteredPart
from proxops.core.imaging_table import GreyCamera, ImagingSensor
from proxops.core.vision import PosePrediction, spread
from proxops.maths.pose import pose_from_packed
from proxops.onboard.vision.lens_kernel import lens_numbers, pixel_of

SIGMAS: Final = 3.0  # of the place, about the client
COVERED: Final = 0.25  # share of a square about the client's sphere that the client covers: seen of ours


def client_part(spec: ImagingSensor, at: PosePrediction, data: OnboardData) -> MeteredPart | None:
    """About a sphere that holds the client. None: no camera, or so near, or so far aside, that this tells nothing."""
    if not isinstance(spec, GreyCamera):
        return None
    T, lens = pose_from_packed(at.T_sensor_target), spec.lens
    x, y, z = (T[:3, :3] @ data.target_mass_centre + T[:3, 3]).tolist()
    radius_m = data.target_radius_m + SIGMAS * spread(at.covariance)[0]
    if z <= radius_m:
        return None
    u, v = pixel_of(lens_numbers(lens), x, y, z)
    wide, high = lens.fx * radius_m / z, lens.fy * radius_m / z
    left, right = (int(np.clip(one, 0, lens.width)) for one in (u - wide, u + wide + 1.0))
    top, bottom = (int(np.clip(one, 0, lens.height)) for one in (v - high, v + high + 1.0))
    craft_px = COVERED * lens.fx * lens.fy * (2.0 * data.target_radius_m / z) ** 2
    return MeteredPart(top, left, bottom, right, craft_px) if left < right and top < bottom else None

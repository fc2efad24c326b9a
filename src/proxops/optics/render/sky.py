"""What lines of sight meet that meet no body: the Earth, the Sun's disc, stars, nothing."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.lens import Lens
from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array, matrix_from_quat
from proxops.optics.exposure import Exposure, Sky
from proxops.optics.render.earth_disc import COARSE, add_earth
from proxops.optics.render.moments import poses_at
from proxops.optics.render.stars import add_stars, catalogue
from proxops.optics.scene.light import SUN_BAND_W_M2, SUN_RADIUS_RAD

Floats = NDArray[np.float32]
TRAIL: Final = 16  # places of a star at most, while the camera turns


def add_sky(exposure: Exposure, sky: Sky, lens: Lens, x: Array, y: Array, free: Floats, radiance: Floats) -> None:
    """``free``: share of each pixel that bodies leave; ``x``, ``y``: its line of sight. Earth and Sun as the camera looks in the
    middle of the exposure; stars all along it. What the Earth leaves of the Sun's disc is as bright as ever."""
    R_scene_sensor = matrix_from_quat(poses_at(exposure.T_scene_sensor, 0.5)[3:])
    to_sun, to_earth = (_unit(direction) for direction in (sky.to_sun, sky.to_earth))
    covers = np.zeros_like(radiance)
    if sky.earth_radius_rad > 0.0:
        radius = sky.orbit_radius_m * math.sin(sky.earth_radius_rad)
        room = np.empty((lens.height // COARSE + 3, lens.width // COARSE + 3))
        add_earth(
            x, y, R_scene_sensor, matrix_from_quat(np.array(sky.q_scene_earth)).T.copy(), tuple(to_earth.tolist()),
            tuple(to_sun.tolist()), sky.orbit_radius_m, radius, SUN_BAND_W_M2, free, covers, radiance, room,
        )  # fmt: skip
    free = free * (1.0 - covers)
    if sky.sunlit > 0.0:
        solid = math.pi * SUN_RADIUS_RAD**2
        _add_sun(x, y, R_scene_sensor.T @ to_sun, SUN_BAND_W_M2 / solid, 1.0 / lens.fx, free, radiance)
    _add_stars(exposure, lens, x, y, free, radiance)


def _unit(direction: tuple[float, float, float]) -> Array:
    v = np.array(direction, np.float64)
    out: Array = v / np.linalg.norm(v)
    return out


def _add_stars(exposure: Exposure, lens: Lens, x: Array, y: Array, free: Floats, radiance: Floats) -> None:
    limits = np.array([x.min(), y.min(), x.max(), y.max()])
    numbers, k = np.array([lens.fx, lens.fy, lens.cx, lens.cy]), np.array(lens.distortion)
    count = TRAIL if len(exposure.T_scene_sensor) > 1 else 1
    for place in range(count):
        R = matrix_from_quat(poses_at(exposure.T_scene_sensor, (place + 0.5) / count)[3:])
        add_stars(catalogue(), R.T.copy(), numbers, k, limits, 1.0 / count, free, radiance)


@kernel
def _add_sun(x: Array, y: Array, sun: Array, brightness: float, pixel: float, free: Floats, radiance: Floats) -> None:
    """A disc of even brightness, its rim as wide as a pixel; ``sun``: its direction in the sensor's frame."""
    if sun[2] <= 0.0:
        return
    reach = SUN_RADIUS_RAD + 2.0 * pixel
    for j in range(x.shape[0]):
        for i in range(x.shape[1]):
            ax, ay, az = y[j, i] * sun[2] - sun[1], sun[0] - x[j, i] * sun[2], x[j, i] * sun[1] - y[j, i] * sun[0]
            away = math.sqrt((ax * ax + ay * ay + az * az) / (x[j, i] * x[j, i] + y[j, i] * y[j, i] + 1.0))
            if away < reach:
                inside = min(max((SUN_RADIUS_RAD - away) / pixel + 0.5, 0.0), 1.0)
                radiance[j, i] += inside * free[j, i] * brightness

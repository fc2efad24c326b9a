"""The Earth behind everything: a sphere in the Sun, with oceans, land and clouds of noise, its terminator, air at the limb.

Albedos (bond, 400 to 1000 nm): ocean 0.06, land 0.15 to 0.30, cloud 0.35 to 0.75; with half of it under clouds 0.3 as a whole
(CERES has 0.29). ASSUMED: surfaces scatter as Lambert's law has it; air brightens by 0.06 at the nadir and more towards the limb,
and ends 60 km above. Where no land is drawn there is none: the pattern is not the Earth's.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array
from proxops.maths.triple import Triple
from proxops.optics.render.noise import octaves
from proxops.optics.render.reflection import dot, unit

AIR_M: Final = 60e3  # height of what is seen of it at the limb; 8 km scale height
SCALE_M: Final = 8e3
HAZE: Final = 0.06  # share of the light that air itself sends back, straight down
COARSE: Final = 3  # px: the landscape is drawn on every third pixel, and smooth between


@kernel
def add_earth(
    x: Array, y: Array, R_scene_sensor: Array, R_earth_scene: Array, to_earth: Triple, to_sun: Triple, distance: float,
    radius: float, sunlight: float, free: NDArray[np.float32], covers: NDArray[np.float32], radiance: NDArray[np.float32],
    albedos: Array,
) -> None:  # fmt: skip
    """``free``: share of a pixel that bodies leave; ``covers``: 1 where the Earth is. ``to_earth``, ``to_sun``: of length one,
    in the scene; ``albedos`` is room for one in ``COARSE``² pixels and one more each way."""
    rows, columns = free.shape
    top, left, bottom, right = rows, columns, -1, -1
    for j in range(rows):
        for i in range(columns):
            if (
                _closest(_ray(R_scene_sensor, x[j, i], y[j, i]), to_earth, distance) < radius + AIR_M
                and free[j, i] > 0.0
            ):
                top, left, bottom, right = min(top, j), min(left, i), max(bottom, j), max(right, i)
    if bottom < 0:
        return
    for b in range(top // COARSE, bottom // COARSE + 2):
        for a in range(left // COARSE, right // COARSE + 2):
            ray = _ray(R_scene_sensor, _beyond(x, b, a), _beyond(y, b, a))
            albedos[b, a] = _albedo(_turned(R_earth_scene, _normal(ray, to_earth, distance, radius)))
    for j in range(top, bottom + 1):
        for i in range(left, right + 1):
            ray = _ray(R_scene_sensor, x[j, i], y[j, i])
            height = _closest(ray, to_earth, distance) - radius
            if height < AIR_M and free[j, i] > 0.0:
                n = _normal(ray, to_earth, distance, radius)
                value = _brightness(n, ray, to_sun, height, _blend(albedos, j, i))
                radiance[j, i] += free[j, i] * value * sunlight / math.pi
                covers[j, i] = min(1.0, math.exp(-max(height, 0.0) / SCALE_M) * 1.5)


@kernel
def _ray(R: Array, x: float, y: float) -> Triple:
    return unit(_turned(R, (x, y, 1.0)))


@kernel
def _turned(R: Array, v: Triple) -> Triple:
    return (
        R[0, 0] * v[0] + R[0, 1] * v[1] + R[0, 2] * v[2],
        R[1, 0] * v[0] + R[1, 1] * v[1] + R[1, 2] * v[2],
        R[2, 0] * v[0] + R[2, 1] * v[1] + R[2, 2] * v[2],
    )


@kernel
def _closest(ray: Triple, to_earth: Triple, distance: float) -> float:
    """How near the line of sight comes to the Earth's centre, m; infinitely far if that lies behind."""
    c = dot(ray, to_earth)
    return distance * math.sqrt(max(0.0, 1.0 - c * c)) if c > 0.0 else np.inf


@kernel
def _normal(ray: Triple, to_earth: Triple, distance: float, radius: float) -> Triple:
    """Up, where the line of sight meets the sphere; where it passes by, at the limb below it."""
    c = dot(ray, to_earth)
    inside = radius * radius - distance * distance * (1.0 - c * c)
    along = distance * c - math.sqrt(max(0.0, inside))
    return unit(
        (
            along * ray[0] - distance * to_earth[0],
            along * ray[1] - distance * to_earth[1],
            along * ray[2] - distance * to_earth[2],
        )
    )


@kernel
def _beyond(values: Array, b: int, a: int) -> float:
    """Of a table over pixels at a corner of the coarse net, also one that lies past its end."""
    j, i = COARSE * b, COARSE * a
    y, x = min(j, values.shape[0] - 1), min(i, values.shape[1] - 1)
    value = float(values[y, x])
    value += float((j - y) * (values[y, x] - values[y - 1, x]))
    value += float((i - x) * (values[y, x] - values[y, x - 1]))
    return value


@kernel
def _blend(albedos: Array, j: int, i: int) -> float:
    b, a = j // COARSE, i // COARSE
    v, u = (j - COARSE * b) / COARSE, (i - COARSE * a) / COARSE
    above = albedos[b, a] + u * (albedos[b, a + 1] - albedos[b, a])
    below = albedos[b + 1, a] + u * (albedos[b + 1, a + 1] - albedos[b + 1, a])
    return float(above + v * (below - above))


@kernel
def _albedo(n: Triple) -> float:
    """Of the place below the direction ``n`` from the Earth's centre, in the Earth's axes."""
    land = octaves(n, 2.2, 8, 1)
    ground = 0.06 + _step(0.02, 0.035, land) * (0.12 + 0.3 * max(0.0, octaves(n, 9.0, 4, 31)))
    bands = 0.06 * math.cos(6.0 * math.asin(min(max(n[2], -1.0), 1.0)))  # the tropics, the deserts, the storms
    bent = 0.25 * octaves(n, 4.0, 3, 51)  # weather is drawn out along the latitude and turned
    where = (n[0] + bent, n[1] - bent, 1.7 * n[2] + bent)
    cloud = _step(-0.03, 0.20, octaves(where, 4.0, 3, 71) + 0.75 * octaves(where, 32.0, 7, 91) + bands)
    return ground + cloud * (0.72 - ground)


@kernel
def _step(low: float, high: float, value: float) -> float:
    s = min(max((value - low) / (high - low), 0.0), 1.0)
    return s * s * (3.0 - 2.0 * s)


@kernel
def _brightness(n: Triple, ray: Triple, to_sun: Triple, height: float, albedo: float) -> float:
    """Share of the sunlight, times pi, that comes to the eye."""
    height_of_sun, down = dot(n, to_sun), max(-dot(n, ray), 0.0)
    twilight = _step(-0.10, 0.12, height_of_sun)
    haze = HAZE * twilight * min(1.0 / max(down, 0.12), 6.0)
    if height > 0.0:
        return haze * math.exp(-height / SCALE_M)
    return albedo * max(height_of_sun, 0.0) * (1.0 - haze) + haze

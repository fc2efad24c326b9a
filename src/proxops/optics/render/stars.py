"""Stars: 9,000 that are made, not ours: as many of each magnitude as there are, in directions from a fixed seed.

Counts: 10^(0.51 m + 0.6) brighter than m (Allen, Astrophysical Quantities: 4,900 brighter than 6); irradiance 2.2e-8 W/m² x
10^(-0.4 m) in 400 to 1000 nm (Bessell 1998: 3.6e-8 W/m²/µm at 550 nm for magnitude 0; times 0.6 µm of a spectrum like the Sun's,
rounded). Both as recalled.
"""

from __future__ import annotations

from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array
from proxops.optics.render.distortion import distorted

COUNT: Final = 9000
SEED: Final = 2_000_001
MAGNITUDE_0_W_M2: Final = 2.2e-8


@cache
def catalogue() -> Array:
    """(n, 4): direction in inertial axes, irradiance W/m²."""
    rng = np.random.default_rng(SEED)
    directions = rng.standard_normal((COUNT, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    magnitude = (np.log10(np.arange(COUNT) + 1.0) - 0.6) / 0.51
    return np.column_stack([directions, MAGNITUDE_0_W_M2 * 10.0 ** (-0.4 * magnitude)])


@kernel
def add_stars(
    stars: Array, R_sensor_scene: Array, lens: Array, k: Array, limits: Array, share: float, free: NDArray[np.float32],
    radiance: NDArray[np.float32],
) -> None:  # fmt: skip
    """``share`` of each star's light to the four pixels round its point. ``lens``: fx fy cx cy; ``limits``: as for ``draw``."""
    height, width = free.shape
    for s in range(stars.shape[0]):
        x, y, z = 0.0, 0.0, 0.0
        for c in range(3):
            x += R_sensor_scene[0, c] * stars[s, c]
            y += R_sensor_scene[1, c] * stars[s, c]
            z += R_sensor_scene[2, c] * stars[s, c]
        if z <= 0.0 or not (limits[0] * z < x < limits[2] * z and limits[1] * z < y < limits[3] * z):
            continue
        px, py = distorted(k, x / z, y / z)
        u, v = lens[0] * px + lens[2], lens[1] * py + lens[3]
        i, j = int(np.floor(u)), int(np.floor(v))
        solid = z * z * z / (lens[0] * lens[1])  # angle of a pixel there, sr
        for down in range(2):
            for right in range(2):
                if 0 <= j + down < height and 0 <= i + right < width:
                    part = (1.0 - abs(u - i - right)) * (1.0 - abs(v - j - down))
                    radiance[j + down, i + right] += share * part * free[j + down, i + right] * stars[s, 3] / solid

"""Ranges and signals of a time-of-flight camera, of what its samples met."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array
from proxops.optics.render.fill import Depths, Ids
from proxops.optics.render.reflection import INFRARED
from proxops.optics.render.surfaces import BODY, MATERIAL


@kernel
def put_ranges(
    depths: Depths, ids: Ids, rows: tuple[int, int, int, int], samples: int, x: Array, y: Array, pixel: float,
    triangles: Array, materials: Array, T_body_sensor: Array, ranges: NDArray[np.float32], signals: NDArray[np.float32],
) -> None:  # fmt: skip
    """For the pixels of the rectangle. ``x``, ``y``: their lines of sight; ``T_body_sensor`` (B, 12)."""
    for j in range(rows[0], rows[2]):
        for i in range(rows[1], rows[3]):
            for s in range(samples * samples):
                t = ids[samples * j + s // samples, samples * i + s % samples]
                if t < 0:
                    continue
                dx = x[j, i] + pixel * ((s % samples + 0.5) / samples - 0.5)
                dy = y[j, i] + pixel * ((s // samples + 0.5) / samples - 0.5)
                away = math.sqrt(dx * dx + dy * dy + 1.0)
                z = 1.0 / depths[samples * j + s // samples, samples * i + s % samples]
                T, face = T_body_sensor[int(triangles[t, BODY])], triangles[t]
                slope = (
                    face[0] * (T[0] * dx + T[1] * dy + T[2])
                    + face[1] * (T[3] * dx + T[4] * dy + T[5])
                    + face[2] * (T[6] * dx + T[7] * dy + T[8])
                )
                ranges[j, i, s] = z * away
                signals[j, i, s] = materials[int(triangles[t, MATERIAL]), INFRARED] * abs(slope) / away

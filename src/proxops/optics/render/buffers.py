"""Room for depth and triangle of each sample. Clean between pictures: after one, only what it used is cleaned."""

from __future__ import annotations

import math

import numpy as np

from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array
from proxops.optics.render.fill import Depths, Ids

Rectangle = tuple[int, int, int, int]
"""First row and column, and one past the last."""


class Buffers:
    """(height, width) in samples."""

    def __init__(self, height: int, width: int) -> None:
        self.depths: Depths = np.zeros((height, width), np.float32)
        self.ids: Ids = np.full((height, width), -1, np.int32)
        self.extent = _nothing()

    def rows(self, samples: int) -> Rectangle:
        """The rectangle of pixels, ``samples``² each, that was drawn in."""
        height, width = self.ids.shape
        if not self.extent[0] <= self.extent[2]:
            return 0, 0, 0, 0
        x0, y0 = (max(0.0, math.floor(v)) for v in self.extent[:2])
        x1, y1 = min(width, math.ceil(self.extent[2]) + 1.0), min(height, math.ceil(self.extent[3]) + 1.0)
        if x0 >= x1 or y0 >= y1:
            return 0, 0, 0, 0
        return int(y0) // samples, int(x0) // samples, -(-int(y1) // samples), -(-int(x1) // samples)

    def take(self, single: Buffers, s: int) -> None:
        """What a buffer with one sample in each pixel has becomes the sample ``s`` of nine."""
        rows = single.rows(1)
        if rows[2] > rows[0]:
            _spread(single.ids, rows, s, self.ids)
            wide = 3.0 * np.array([rows[1], rows[0], rows[3], rows[2]], np.float64)
            self.extent[:2] = np.minimum(self.extent[:2], wide[:2])
            self.extent[2:] = np.maximum(self.extent[2:], wide[2:] - 1.0)

    def clear(self) -> None:
        top, left, bottom, right = self.rows(1)
        self.depths[top:bottom, left:right] = 0.0
        self.ids[top:bottom, left:right] = -1
        self.extent = _nothing()


def _nothing() -> Array:
    return np.array([np.inf, np.inf, -np.inf, -np.inf])


@kernel
def _spread(single: Ids, rows: Rectangle, s: int, ids: Ids) -> None:
    for j in range(rows[0], rows[2]):
        for i in range(rows[1], rows[3]):
            ids[3 * j + s // 3, 3 * i + s % 3] = single[j, i]

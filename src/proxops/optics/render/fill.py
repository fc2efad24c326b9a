"""One triangle into a z-buffer: rows of samples between two edges.

A sample (i, j) lies at x = i, y = j. The triangle has those with left edge <= x < right edge in rows with top <= y < bottom, and
where an edge meets a row depends on its two ends alone: of two triangles that share an edge, each sample has exactly one.
Depth is 1 / z, which is linear in the picture; the greatest is the nearest.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from proxops.maths.kernel import kernel
from proxops.maths.triple import Triple

Depths = NDArray[np.float32]
Ids = NDArray[np.int32]


@kernel
def fill(depths: Depths, ids: Ids, mark: int, a: Triple, b: Triple, c: Triple) -> None:
    """``a``, ``b``, ``c``: x and y in samples, and 1 / z. Where the triangle is nearest, ``ids`` gets ``mark``."""
    if b[1] < a[1]:
        a, b = b, a
    if c[1] < a[1]:
        a, c = c, a
    if c[1] < b[1]:
        b, c = c, b
    first, last = max(0, math.ceil(a[1])), min(depths.shape[0], math.ceil(c[1]))
    twice = (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1])
    if first >= last or twice == 0.0:
        return
    du = ((b[2] - a[2]) * (c[1] - a[1]) - (c[2] - a[2]) * (b[1] - a[1])) / twice
    dv = ((b[0] - a[0]) * (c[2] - a[2]) - (c[0] - a[0]) * (b[2] - a[2])) / twice
    least, most = min(a[2], b[2], c[2]), max(a[2], b[2], c[2])
    long_way, bend = (c[0] - a[0]) / (c[1] - a[1]), math.ceil(b[1])
    upper = (b[0] - a[0]) / (b[1] - a[1]) if b[1] > a[1] else 0.0
    lower = (c[0] - b[0]) / (c[1] - b[1]) if c[1] > b[1] else 0.0
    for j in range(first, last):
        far = a[0] + (j - a[1]) * long_way
        near = a[0] + (j - a[1]) * upper if j < bend else b[0] + (j - b[1]) * lower
        left, right = (far, near) if twice > 0.0 else (near, far)
        begin, end = math.ceil(max(left, 0.0)), math.ceil(min(right, 1.0 * depths.shape[1]))
        if begin < end:
            at = a[2] + (j - a[1]) * dv + (begin - a[0]) * du
            _fill_row(depths[j, begin:end], ids[j, begin:end], np.int32(mark), at, du, least, most)


@kernel
def _fill_row(depths: Depths, ids: Ids, mark: np.int32, at: float, du: float, least: float, most: float) -> None:
    """A plane that is seen edge-on has no slope to speak of: depth stays between those of the corners. Without branches, so that
    the compiler takes eight samples at a time."""
    for i in range(depths.shape[0]):
        depth = np.float32(min(max(at + du * i, least), most))
        old, nearer = depths[i], depth > depths[i]
        depths[i] = depth if nearer else old
        ids[i] = mark if nearer else ids[i]

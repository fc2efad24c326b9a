"""Triangles as rays want them: twelve numbers, after which a hit takes a division and a dozen products.

For a point p of the plane n·p + d = 0, u = a·p + a0 and v = b·p + b0 are its shares of the second and third corner: inside where
u >= 0, v >= 0 and u + v <= 1 (Baldwin and Weber 2016, "Fast ray-triangle intersections by coordinate transformation").
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array
from proxops.maths.triple import Triple, crossed, difference, triple

EDGE: Final = 1e-9  # share of a triangle by which it reaches over its edges: a thousand times what rounding takes


@kernel
def put_faces(corners: Array, order: NDArray[np.int32], faces: Array) -> None:
    """``faces`` (T, 12) of ``corners`` (T, 3, 3), in this order. A triangle without area is met by no ray."""
    for k in range(order.shape[0]):
        a, b, c = triple(corners[order[k], 0], 0), triple(corners[order[k], 1], 0), triple(corners[order[k], 2], 0)
        one, other = difference(b, a), difference(c, a)
        across = crossed(one, other)
        twice = math.sqrt(_dot(across, across))
        row = faces[k]
        if twice == 0.0:
            for i in range(12):
                row[i] = 0.0
            continue
        n = (across[0] / twice, across[1] / twice, across[2] / twice)
        _put_plane(row, 0, n, a, 1.0)
        _put_plane(row, 4, crossed(other, n), a, 1.0 / twice)
        _put_plane(row, 8, crossed(n, one), a, 1.0 / twice)


@kernel
def _put_plane(row: Array, at: int, n: Triple, through: Triple, scale: float) -> None:
    """scale n·(p - through) as four numbers."""
    row[at], row[at + 1], row[at + 2] = scale * n[0], scale * n[1], scale * n[2]
    row[at + 3] = -(row[at] * through[0] + row[at + 1] * through[1] + row[at + 2] * through[2])


@kernel
def _dot(a: Triple, b: Triple) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]

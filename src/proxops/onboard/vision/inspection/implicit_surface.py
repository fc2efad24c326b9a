"""From surfels to triangles: each says how far a place near it is before or behind its plane, and where they say nought lies the
surface (Kolluri 2008, "Provably good moving least squares"); marching cubes by scikit-image, fewer
triangles by fast-simplification.

Where no surfel is near, nobody has looked, and the surface is open.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.errors import BadInput
from proxops.core.vision import Floats
from proxops.maths.kernel import kernel
from proxops.onboard.vision.inspection.libraries import FEWER_TRIANGLES, MARCHING_CUBES, inspection_library
from proxops.onboard.vision.inspection.surfels import Surfels

WIDE: Final = 2.2  # voxels, that a surfel reaches
NARROW: Final = 0.9  # voxels: a Gaussian's width
ASIDE: Final = 0.9  # voxels: farther aside of what it rests on, a value says nothing
MOST_VOXELS: Final = 60_000_000
UNKNOWN: Final = 1.0


def triangles_of(found: Surfels, voxel_m: float, most: int) -> tuple[Floats, NDArray[np.int32]]:
    """Vertices (V, 3) and triangles (T, 3), outside counter-clockwise; ``most`` of them."""
    low = found.places.min(axis=0) - 4.0 * voxel_m
    shape = np.ceil((found.places.max(axis=0) + 4.0 * voxel_m - low) / voxel_m).astype(int)
    if int(shape.prod()) > MOST_VOXELS:
        raise BadInput(
            "what was seen is too large for voxels of that size", value=shape.tolist(), bound=str(MOST_VOXELS)
        )
    sums = np.zeros((*shape, 5))
    _splat(found.places, found.normals, low, voxel_m, sums)
    value, known = np.full(tuple(shape), UNKNOWN), np.zeros(tuple(shape), np.bool_)
    _divide(sums, voxel_m, value, known)
    vertices, faces = _marched(value, known)
    return _fewer(low + voxel_m * vertices, faces, most)


def _marched(value: Floats, known: NDArray[np.bool_]) -> tuple[Floats, NDArray[np.int32]]:
    """In voxels. A cube counts if all its corners are known."""
    measure = inspection_library(MARCHING_CUBES)
    whole = np.zeros_like(known)
    n = tuple(slice(0, -1) for _ in range(3))
    whole[n] = known[n]
    for corner in np.ndindex(2, 2, 2):
        whole[n] &= known[tuple(slice(c, c - 1 if c == 0 else None) for c in corner)]
    # scikit-image asks the last corner of a cube whether it counts.
    mask = np.zeros_like(known)
    mask[1:, 1:, 1:] = whole[n]
    vertices, faces, _, _ = measure.marching_cubes(value, 0.0, mask=mask)
    return vertices.astype(np.float64), faces.astype(np.int32)


def _fewer(vertices: Floats, faces: NDArray[np.int32], most: int) -> tuple[Floats, NDArray[np.int32]]:
    if len(faces) <= most:
        return vertices, faces
    library = inspection_library(FEWER_TRIANGLES)
    fewer, left = library.simplify(vertices.astype(np.float32), faces, target_count=most)
    return np.asarray(fewer, np.float64), np.asarray(left, np.int32)


@kernel
def _splat(places: Floats, normals: Floats, low: Floats, voxel: float, sums: Floats) -> None:
    """Adds up weight, weight times distance, and weight times the way from the surfel."""
    for k in range(places.shape[0]):
        p, n = places[k], normals[k]
        first = [int((p[i] - low[i]) / voxel - WIDE) + 1 for i in range(3)]
        last = [int((p[i] - low[i]) / voxel + WIDE) for i in range(3)]
        for a in range(first[0], last[0] + 1):
            x = low[0] + a * voxel - p[0]
            for b in range(first[1], last[1] + 1):
                y = low[1] + b * voxel - p[1]
                for c in range(first[2], last[2] + 1):
                    z = low[2] + c * voxel - p[2]
                    square = (x * x + y * y + z * z) / (voxel * voxel)
                    if square > WIDE * WIDE:
                        continue
                    w = np.exp(-square / (NARROW * NARROW))
                    row = sums[a, b, c]
                    row[0] += w
                    row[1] += w * (n[0] * x + n[1] * y + n[2] * z)
                    row[2] += w * x
                    row[3] += w * y
                    row[4] += w * z


@kernel
def _divide(sums: Floats, voxel: float, value: Floats, known: NDArray[np.bool_]) -> None:
    for a in range(sums.shape[0]):
        for b in range(sums.shape[1]):
            for c in range(sums.shape[2]):
                row = sums[a, b, c]
                if row[0] < 1e-3:
                    continue
                f = row[1] / row[0]
                off = (row[2] * row[2] + row[3] * row[3] + row[4] * row[4]) / (row[0] * row[0]) - f * f
                value[a, b, c] = f / voxel
                known[a, b, c] = off < (ASIDE * voxel) ** 2

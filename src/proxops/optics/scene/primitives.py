"""Box, cylinder, sphere, disc and plate as triangles, centred on their own frame as URDF has them. Metres.

Round sides are smooth to light (normals of the true surface) and broken into so many faces that none is farther than ``SAG_M``
from it; lids are flat.
"""

from __future__ import annotations

import math
from itertools import product
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.optics.scene.material import Material
from proxops.optics.scene.mesh import Mesh, flat

SAG_M: Final = 0.0005
FEWEST, MOST = 16, 64  # faces round a cylinder
Floats = NDArray[np.float64]


def box(size_m: tuple[float, float, float], material: Material) -> Mesh:
    """Edges along x, y and z; twelve triangles."""
    corners = 0.5 * np.array(list(product((-1.0, 1.0), repeat=3))) * np.array(size_m)  # number: 4 x + 2 y + z
    quads = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
    triangles = [t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))]
    return flat(corners, np.array(triangles, np.int32), material)


def cylinder(radius_m: float, length_m: float, material: Material) -> Mesh:
    """Along z, with both lids."""
    n, half = faces_round(radius_m), 0.5 * length_m
    rim, ahead = _rim(radius_m, n), np.roll(np.arange(n), -1)
    vertices = np.concatenate([_at(rim, -half), _at(rim, half), [[0.0, 0.0, -half], [0.0, 0.0, half]]])
    low, high, next_low, next_high = np.arange(n), np.arange(n) + n, ahead, ahead + n
    lids = _rows((np.full(n, 2 * n), next_low, low), (np.full(n, 2 * n + 1), high, next_high))
    mantle = _rows((low, next_low, next_high), (low, next_high, high))
    mesh = flat(vertices, np.concatenate([mantle, lids]), material)
    mesh.corner_normals[: 2 * n] = (_at(rim, 0.0) / radius_m)[mantle % n]
    return mesh


def sphere(radius_m: float, material: Material) -> Mesh:
    """Rings of latitude; at the poles the rings have no width and their triangles are left out."""
    n = faces_round(radius_m)
    rings = n // 2
    tilt = np.linspace(0.0, math.pi, rings + 1)[1:-1]
    circles = [_at(_rim(math.sin(angle), n), -math.cos(angle)) for angle in tilt]
    unit = np.concatenate([*circles, [[0.0, 0.0, -1.0], [0.0, 0.0, 1.0]]])
    at, ahead, south = np.arange(n), np.roll(np.arange(n), -1), n * len(tilt)
    bands = [
        _rows((n * k + at, n * k + ahead, n * (k + 1) + ahead), (n * k + at, n * (k + 1) + ahead, n * (k + 1) + at))
        for k in range(len(tilt) - 1)
    ]
    last = n * (len(tilt) - 1)
    caps = _rows((np.full(n, south), ahead, at), (np.full(n, south + 1), last + at, last + ahead))
    triangles = np.concatenate([*bands, caps])
    smooth = unit[triangles].astype(np.float32)
    return Mesh(radius_m * unit, triangles, smooth, np.zeros(len(triangles), np.int16), (material,))


def disc(radius_m: float, material: Material) -> Mesh:
    """In the xy plane, seen from +z; without thickness."""
    n = faces_round(radius_m)
    vertices = np.concatenate([_at(_rim(radius_m, n), 0.0), np.zeros((1, 3))])
    at = np.arange(n)
    return flat(vertices, _rows((np.full(n, n), at, np.roll(at, -1))), material)


def plate(x_m: float, y_m: float, material: Material) -> Mesh:
    """A rectangle in the xy plane, seen from +z; without thickness."""
    x, y = 0.5 * x_m, 0.5 * y_m
    corners = np.array([[-x, -y, 0.0], [x, -y, 0.0], [x, y, 0.0], [-x, y, 0.0]])
    return flat(corners, np.array([[0, 1, 2], [0, 2, 3]], np.int32), material)


def faces_round(radius_m: float) -> int:
    """How many; a multiple of four, so that the ends along x and y are exact."""
    wanted = math.pi / math.acos(max(0.0, 1.0 - SAG_M / radius_m))
    return 4 * math.ceil(min(max(wanted, FEWEST), MOST) / 4)


def _rim(radius_m: float, n: int) -> Floats:
    angle = 2.0 * math.pi * np.arange(n) / n
    return radius_m * np.stack([np.cos(angle), np.sin(angle)], axis=1)


def _at(rim: Floats, z: float) -> Floats:
    return np.column_stack([rim, np.full(len(rim), z)])


def _rows(*corners: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]) -> NDArray[np.int32]:
    return np.concatenate([np.stack(three, axis=1) for three in corners]).astype(np.int32)

"""What shading wants to know of a scene's triangles, made once: planes, which body, round or flat, and which no part of its own
body can shade."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array
from proxops.optics.scene.scene import Scene
from proxops.optics.scene.tree import Tree

Ints = NDArray[np.int32]


# Columns of a triangle's row. The first twelve: plane and shares of corners, as in ``scene/faces.py``.
BODY, MATERIAL, ROUND, OUTERMOST, NORMALS, CORNERS = 12, 13, 14, 15, 16, 25
COLUMNS = 34
MOST_LOOKS: Final = 100_000_000  # a tenth of a second


class Surfaces(NamedTuple):
    """Arrays for kernels. One table of numbers for all that belongs to a triangle: a kernel that is handed ten arrays for each
    pixel has more to do with them than with the pixel."""

    # (T, COLUMNS). ``ROUND``: corners have normals of their own, nine numbers from ``NORMALS`` on; places from ``CORNERS``;
    # ``OUTERMOST``: all of the body lies behind the plane.
    triangles: Array
    materials: Array
    balls: Array  # (B, 4) centre and radius of a ball round the body, in its frame


def surfaces_of(scene: Scene, tree: Tree) -> Surfaces:
    count = len(scene.triangles)
    table = np.zeros((count, COLUMNS))
    table[tree.order, :12] = tree.faces
    table[:, BODY] = np.repeat(np.arange(scene.bodies), np.diff(scene.first_triangle))
    table[:, MATERIAL] = scene.material
    normals = scene.corner_normals
    table[:, ROUND] = np.abs(normals - normals[:, :1]).max(axis=(1, 2)) > 1e-4
    table[:, NORMALS:CORNERS] = normals.reshape(count, 9)
    table[:, CORNERS:] = scene.vertices[scene.triangles].reshape(count, 9)
    _find_outermost(table, scene.vertices, scene.first_vertex)
    return Surfaces(table, scene.materials, np.array([_ball(box) for box in tree.body_boxes]))


def _ball(box: Array) -> Array:
    return np.array([*(0.5 * (box[:3] + box[3:])), 0.5 * np.linalg.norm(box[3:] - box[:3])])


@kernel
def _find_outermost(table: Array, vertices: Array, first_vertex: Ints) -> None:
    """Most triangles have a vertex in front of them among the first few, so this is quick; but not in a finely drawn ball, where
    all are outermost. Beyond ``MOST_LOOKS`` none is called so: that costs pictures time and nothing else."""
    looks = 0
    for t in range(table.shape[0]):
        row, body = table[t], int(table[t, BODY])
        row[OUTERMOST] = 1.0 if looks < MOST_LOOKS else 0.0
        if looks >= MOST_LOOKS:
            continue
        for i in range(first_vertex[body], first_vertex[body + 1]):
            looks += 1
            if row[0] * vertices[i, 0] + row[1] * vertices[i, 1] + row[2] * vertices[i, 2] + row[3] > 1e-7:
                row[OUTERMOST] = 0.0
                break

"""What shading wants to know of a scene's triangles, made once: planes, which body, round or flat, and which no part of its own
body can shade."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array
from proxops.sensors.scene.scene import Scene
from proxops.sensors.scene.tree import Tree

Ints = NDArray[np.int32]
Flags = NDArray[np.bool_]


class Surfaces(NamedTuple):
    """By triangle of the scene; a tuple of arrays, as kernels want it."""

    faces: Array  # (T, 12) plane and shares of corners, as in ``scene/faces.py``
    body: Ints  # (T)
    material: NDArray[np.int16]  # (T)
    materials: Array
    corner_normals: NDArray[np.float32]  # (T, 3, 3)
    round: Flags  # (T) corners have normals of their own
    outermost: Flags  # (T) all of the body lies behind its plane
    balls: Array  # (B, 4) centre and radius of a ball round the body, in its frame


def surfaces_of(scene: Scene, tree: Tree) -> Surfaces:
    count = len(scene.triangles)
    faces = np.empty((count, 12))
    faces[tree.order] = tree.faces
    body = np.repeat(np.arange(scene.bodies, dtype=np.int32), np.diff(scene.first_triangle))
    normals = scene.corner_normals
    outermost = np.zeros(count, np.bool_)
    _find_outermost(faces, body, scene.vertices, scene.first_vertex, outermost)
    return Surfaces(
        faces,
        body,
        scene.material,
        scene.materials,
        normals,
        np.asarray(np.abs(normals - normals[:, :1]).max(axis=(1, 2)) > 1e-4),
        outermost,
        np.array([_ball(box) for box in tree.body_boxes]),
    )


def _ball(box: Array) -> Array:
    return np.array([*(0.5 * (box[:3] + box[3:])), 0.5 * np.linalg.norm(box[3:] - box[:3])])


@kernel
def _find_outermost(faces: Array, body: Ints, vertices: Array, first_vertex: Ints, out: Flags) -> None:
    """Most triangles have a vertex in front of them among the first few, so this is quick."""
    for t in range(faces.shape[0]):
        row = faces[t]
        out[t] = True
        for i in range(first_vertex[body[t]], first_vertex[body[t] + 1]):
            if row[0] * vertices[i, 0] + row[1] * vertices[i, 1] + row[2] * vertices[i, 2] + row[3] > 1e-7:
                out[t] = False
                break

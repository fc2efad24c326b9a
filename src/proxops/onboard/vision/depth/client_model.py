"""The client as distances are compared with it: its surface with a tree for rays and closest points, in the target's frame."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.maths.rotation import Array
from proxops.optics.scene.material import COLUMNS
from proxops.optics.scene.mesh import Mesh
from proxops.optics.scene.model_error import connected_parts
from proxops.optics.scene.scene import Scene
from proxops.optics.scene.tree import Ints, tree_of

PART_M: Final = 1e-4  # unless more is declared
SAME_PLANE: Final = (0.999, 0.002)  # of two faces of one plane: cosine of their normals, m between them

Surface = tuple[Array, Ints, Array, Array, int]
"""For kernels: boxes and children of the tree, faces, corners (T, 3, 3) in the order of the faces, root."""


@dataclass(frozen=True, eq=False)
class ClientModel:
    """Of each face: ``part``, the connected part that it belongs to; ``plane``, which it lies on; ``infrared``, its share of
    diffuse light."""

    surface: Surface
    part: Ints  # (T)
    parts: int
    plane: Ints  # (T)
    infrared: Array  # (T)
    centre: Array  # (3) m: of the sphere that holds it
    radius: float  # m
    low: Array  # (3) m: of the box round it
    high: Array  # (3) m
    part_m: float  # by which each part may stand elsewhere on each axis, one standard deviation


def client_model(client: Mesh, part_m: float = PART_M) -> ClientModel:
    """Of a mesh in the target's frame."""
    scene = Scene.of([("client", client)])
    tree = tree_of(scene)
    corners = np.ascontiguousarray(scene.vertices[scene.triangles][tree.order])
    low, high = scene.vertices.min(axis=0), scene.vertices.max(axis=0)
    centre = 0.5 * (low + high)
    radius = float(np.linalg.norm(scene.vertices - centre, axis=1).max())
    part = connected_parts(client)[client.triangles[:, 0]][tree.order].astype(np.int32)
    surface = (tree.boxes, tree.children, tree.faces, corners, int(tree.roots[0]))
    infrared = scene.materials[scene.material[tree.order], COLUMNS.index("infrared")]
    return ClientModel(
        surface, part, int(part.max()) + 1, planes_of(tree.faces), np.ascontiguousarray(infrared), centre, radius, low, high,
        part_m,
    )  # fmt: skip


def planes_of(faces: Array) -> NDArray[np.int32]:
    """Number of the plane of each face: one for all that share normal and distance."""
    found: list[Array] = []
    number = np.empty(len(faces), np.int32)
    for k, plane in enumerate(faces[:, :4]):
        if found:
            table = np.array(found)
            same = (table[:, :3] @ plane[:3] > SAME_PLANE[0]) & (np.abs(table[:, 3] - plane[3]) < SAME_PLANE[1])
            if same.any():
                number[k] = int(np.argmax(same))
                continue
        number[k] = len(found)
        found.append(plane)
    return number

"""The client as the search draws it: with few rays, which cost the same for a small mesh and a large one."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from proxops.maths.rotation import Array
from proxops.onboard.vision.believed_surface import believed_surface
from proxops.optics.render.surfaces import surfaces_of
from proxops.optics.scene.mesh import Mesh
from proxops.optics.scene.scene import Scene
from proxops.optics.scene.tree import tree_of

GRID: Final = 48  # rays across the client, each way
ROOM: Final = 1.1  # times the client's box from corner to corner that they span


class ShapeArrays(NamedTuple):
    """For kernels; all in the target's frame."""

    boxes: Array
    children: NDArray[np.int32]
    faces: Array
    root: int
    surface: Array  # (T, 2) of each face: material; whether no other can shade it
    materials: Array


@dataclass(frozen=True, eq=False)
class KnownShape:
    arrays: ShapeArrays
    centre: Array  # (3) m, of the client's box
    radius: float  # m, half of the box from corner to corner
    crinkled: NDArray[np.bool_]  # (M) of each material: whether it is a foil

    @property
    def pitch(self) -> float:
        """m between two rays where they pass the centre."""
        return 2.0 * ROOM * self.radius / GRID


def known_shape(client: Mesh) -> KnownShape:
    believed = believed_surface(client)
    scene = Scene.of([("client", believed)])
    tree = tree_of(scene)
    table = surfaces_of(scene, tree)
    surface = np.ascontiguousarray(table.triangles[tree.order][:, [13, 15]])
    box = tree.body_boxes[0]
    foils = {one for one, true in zip(believed.palette, client.palette, strict=True) if true.crinkle_deg > 0.0}
    crinkled = np.array([one in foils for one in dict.fromkeys(believed.palette)])  # in the scene's order
    arrays = ShapeArrays(tree.boxes, tree.children, tree.faces, int(tree.roots[0]), surface, table.materials)
    return KnownShape(arrays, 0.5 * (box[:3] + box[3:]), 0.5 * math.dist(box[:3], box[3:]), crinkled)

"""Edges of a client's model as it would stand in a picture: contours, creases, seams of materials. Nothing hidden is drawn."""

from __future__ import annotations

import math
from itertools import product
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.lens import Lens
from proxops.ground.recorded import Floats
from proxops.optics.exposure import Exposure
from proxops.optics.render.renderer import Renderer
from proxops.optics.render.surfaces import MATERIAL
from proxops.optics.scene.mesh import Mesh
from proxops.optics.scene.scene import Scene
from proxops.optics.scene.tree import tree_of

SHARP: Final = math.cos(math.radians(25.0))  # of a crease
BEHIND: Final = 0.015  # share of the distance by which one surface lies behind the other at a contour
HERE: Final = np.array([[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]])
Mask = NDArray[np.bool_]


class ModelEdges:
    """Of one client, a mesh in the target's frame."""

    def __init__(self, client: Mesh) -> None:
        self._scene = Scene.of([("client", client)])
        self._tree = tree_of(self._scene)
        ends = zip(client.vertices.min(axis=0), client.vertices.max(axis=0), strict=True)
        self.corners_m: Floats = np.array(list(product(*ends)))  # (8, 3) of its box

    def drawn(self, lens: Lens, T_sensor_target: Floats) -> Mask:
        """(h, w) pixels on an edge. Pose packed."""
        renderer = Renderer(self._scene, self._tree, lens)
        exposure = Exposure(0, 0, 0.0, 0.0, 0.0, T_sensor_target[None, None], HERE, (), None)
        ids, nearness, (top, left, bottom, right) = renderer.nearest(exposure)
        seen, near = np.full((lens.height, lens.width), -1, np.int32), np.zeros((lens.height, lens.width))
        seen[top:bottom, left:right], near[top:bottom, left:right] = ids, nearness
        return _edges(seen, near, renderer.surfaces.triangles)


def _edges(ids: NDArray[np.int32], nearness: Floats, triangles: Floats) -> Mask:
    """Pixels that see the client and have a neighbour, to the right or below, that sees something else."""
    found: Mask = np.zeros(ids.shape, bool)
    normal, material, client = triangles[ids, :3], triangles[ids, MATERIAL], ids >= 0
    for one, other in (
        ((slice(None), slice(0, -1)), (slice(None), slice(1, None))),
        ((slice(0, -1),), (slice(1, None),)),
    ):
        both = client[one] & client[other]
        near, far = np.maximum(nearness[one], nearness[other]), np.minimum(nearness[one], nearness[other])
        crease = np.sum(normal[one] * normal[other], axis=-1) < SHARP
        inside = both & (crease | (material[one] != material[other]) | (near - far > BEHIND * near))
        found[one] |= inside | (client[one] & ~client[other])
        found[other] |= client[other] & ~client[one]
    return found

"""A client whose mesh is not its model's."""

from __future__ import annotations

import numpy as np

from proxops.optics.scene.mesh import Mesh, face_normals


def finely_divided(mesh: Mesh) -> Mesh:
    """Each triangle in four, each corner on its own, and no round surface is smooth to light."""
    a, b, c = (mesh.vertices[mesh.triangles[:, k]] for k in range(3))
    ab, bc, ca = 0.5 * (a + b), 0.5 * (b + c), 0.5 * (c + a)
    corners = np.concatenate([np.stack(t, axis=1) for t in ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))])
    vertices, triangles = corners.reshape(-1, 3), np.arange(3 * len(corners), dtype=np.int32).reshape(-1, 3)
    normals = np.repeat(face_normals(vertices, triangles)[:, None, :], 3, axis=1).astype(np.float32)
    return Mesh(vertices, triangles, normals, np.tile(mesh.material, 4), mesh.palette)

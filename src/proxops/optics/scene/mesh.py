"""The surface of a body as triangles, in the body's own frame: what renderers and rays see of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from proxops.optics.scene.material import Material


@dataclass(frozen=True, eq=False)
class Mesh:
    """Closed or not; the outside of a triangle is where its corners go round counter-clockwise. Both sides stop light and rays;
    a triangle that is seen from behind is drawn as what it is made of."""

    vertices: NDArray[np.float64]  # (V, 3) m
    triangles: NDArray[np.int32]  # (T, 3) into vertices
    corner_normals: NDArray[np.float32]  # (T, 3, 3) of length one, outward; equal in a flat triangle
    material: NDArray[np.int16]  # (T) into palette
    palette: tuple[Material, ...]

    def moved(self, T_body_mesh: NDArray[np.float64]) -> Mesh:
        """The same surface, given in another frame; (4, 4)."""
        R, p = T_body_mesh[:3, :3], T_body_mesh[:3, 3]
        normals = np.ascontiguousarray(self.corner_normals @ R.T, np.float32)
        return Mesh(self.vertices @ R.T + p, self.triangles, normals, self.material, self.palette)


def flat(vertices: NDArray[np.float64], triangles: NDArray[np.int32], material: Material) -> Mesh:
    """Of one material, every triangle with its own normal."""
    normals = np.repeat(face_normals(vertices, triangles)[:, None, :], 3, axis=1).astype(np.float32)
    return Mesh(vertices, triangles, normals, np.zeros(len(triangles), np.int16), (material,))


def joined(meshes: Sequence[Mesh]) -> Mesh:
    """One surface of several that share a frame; equal materials become one."""
    palette = list(dict.fromkeys(material for mesh in meshes for material in mesh.palette))
    offsets = np.cumsum([0, *(len(mesh.vertices) for mesh in meshes)])
    recoloured = [
        np.array([palette.index(material) for material in mesh.palette], np.int16)[mesh.material] for mesh in meshes
    ]
    return Mesh(
        np.concatenate([mesh.vertices for mesh in meshes]),
        np.concatenate([mesh.triangles + np.int32(offset) for mesh, offset in zip(meshes, offsets, strict=False)]),
        np.concatenate([mesh.corner_normals for mesh in meshes]),
        np.concatenate(recoloured),
        tuple(palette),
    )


def face_normals(vertices: NDArray[np.float64], triangles: NDArray[np.int32]) -> NDArray[np.float64]:
    """(T, 3) of length one; zero for a triangle without area."""
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    across = np.cross(b - a, c - a)
    length = np.linalg.norm(across, axis=1, keepdims=True)
    out: NDArray[np.float64] = np.divide(across, length, out=np.zeros_like(across), where=length > 0.0)
    return out

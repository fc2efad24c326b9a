"""All that can be seen, as arrays for kernels: bodies that keep their shape, each with its triangles and a tree of boxes.

Where the bodies stand is not part of it: every picture is taken with poses of its own, ``T_scene_body`` (bodies, 7), packed
x y z qw qx qy qz. The frame ``scene`` is the lab in a hall; in orbit it has inertial axes and the target's mass centre as origin.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from proxops.optics.scene.material import COLUMNS, Material
from proxops.optics.scene.mesh import Mesh


@dataclass(frozen=True, eq=False)
class Scene:
    """Triangles and vertices of a body stand together: body b has ``triangles[first_triangle[b]:first_triangle[b + 1]]``."""

    names: tuple[str, ...]
    vertices: NDArray[np.float64]  # (V, 3) m, in the frame of their body
    triangles: NDArray[np.int32]  # (T, 3) into vertices
    corner_normals: NDArray[np.float32]  # (T, 3, 3)
    material: NDArray[np.int16]  # (T) into materials
    materials: NDArray[np.float64]  # (M, columns of ``material.COLUMNS``), angles in rad
    first_vertex: NDArray[np.int32]  # (B + 1)
    first_triangle: NDArray[np.int32]  # (B + 1)

    @classmethod
    def of(cls, bodies: Sequence[tuple[str, Mesh]]) -> Scene:
        """In the order in which their poses will come."""
        palette = list(dict.fromkeys(material for _, mesh in bodies for material in mesh.palette))
        first_vertex = np.cumsum([0, *(len(mesh.vertices) for _, mesh in bodies)]).astype(np.int32)
        first_triangle = np.cumsum([0, *(len(mesh.triangles) for _, mesh in bodies)]).astype(np.int32)
        colours = [np.array([palette.index(m) for m in mesh.palette], np.int16)[mesh.material] for _, mesh in bodies]
        triangles = [mesh.triangles + first for (_, mesh), first in zip(bodies, first_vertex, strict=False)]
        return cls(
            tuple(name for name, _ in bodies),
            np.concatenate([mesh.vertices for _, mesh in bodies]),
            np.concatenate(triangles).astype(np.int32),
            np.concatenate([mesh.corner_normals for _, mesh in bodies]),
            np.concatenate(colours),
            np.array([_row(material) for material in palette]),
            first_vertex,
            first_triangle,
        )

    @property
    def bodies(self) -> int:
        return len(self.names)


def _row(material: Material) -> list[float]:
    values = [float(getattr(material, column)) for column in COLUMNS]
    values[COLUMNS.index("crinkle_deg")] = np.radians(material.crinkle_deg)
    return values

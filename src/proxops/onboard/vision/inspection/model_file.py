"""A surface as a Wavefront OBJ: what every reader of models takes, ours too."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np

from proxops.optics.scene.mesh import Mesh

LEAST_M2: Final = 1e-12  # twice the area of a triangle that is one: what rounding leaves


def write_obj(path: Path, surface: Mesh, about: str) -> int:
    """In metres, to a tenth of a millimetre. ``about``: one line. How many triangles: those that have an area when rounded."""
    vertices = np.round(surface.vertices, 4)
    a, b, c = (vertices[surface.triangles[:, k]] for k in range(3))
    faces = surface.triangles[np.linalg.norm(np.cross(b - a, c - a), axis=1) > LEAST_M2]
    lines = [f"# {about}", *(f"v {x:.4f} {y:.4f} {z:.4f}" for x, y, z in vertices)]
    lines += [f"f {i} {j} {k}" for i, j, k in faces + 1]
    path.write_text("\n".join(lines) + "\n")
    return len(faces)

"""A drawing from a file, judged: STL, OBJ or glTF by its ending; scaled to metres."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np

from proxops.core.errors import BadInput
from proxops.lab.gltf_file import read_gltf
from proxops.lab.mesh_judgement import JudgedSurface, judged
from proxops.lab.obj_file import read_obj
from proxops.lab.stl_file import read_stl
from proxops.lab.surface import Surface

READERS: Final = {".stl": read_stl, ".obj": read_obj, ".glb": read_gltf, ".gltf": read_gltf}


def read_surface(
    path: Path, scale: float | tuple[float, float, float] = 1.0, *, expected_m: float | None = None
) -> JudgedSurface:
    """In metres, the file's axes; ``expected_m`` as ``mesh_judgement`` has it."""
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        raise BadInput(
            "this kind of drawing is not read",
            where=str(path),
            value=path.suffix or "no ending",
            bound=", ".join(READERS),
        )
    factors = np.broadcast_to(np.array(scale, dtype=np.float64), (3,))
    if not all(math.isfinite(f) and f != 0.0 for f in factors.tolist()):
        raise BadInput("the scale of a drawing", where=str(path), value=scale, bound="numbers other than zero")
    with np.errstate(invalid="ignore", over="ignore"):  # what is no number is judged below
        return judged(_scaled(reader(path), factors), str(path), expected_m)


def _scaled(surface: Surface, factors: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> Surface:
    triangles, normals = surface.triangles, surface.corner_normals
    if factors.prod() < 0.0:  # mirrored: what was outside would be inside
        triangles, normals = triangles[:, ::-1], normals[:, ::-1]
    if not np.allclose(factors, factors[0]):
        turned = normals / factors
        length = np.linalg.norm(turned, axis=2, keepdims=True)
        normals = np.divide(turned, length, out=np.zeros_like(turned), where=length > 0.0).astype(np.float32)
    elif factors[0] < 0.0:
        normals = -normals
    return replace(
        surface, vertices=surface.vertices * factors, triangles=np.ascontiguousarray(triangles), corner_normals=normals
    )

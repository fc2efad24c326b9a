"""A drawing from a file as what sensors see: STL, OBJ or glTF in metres, with coarse materials."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from proxops.lab.mesh_file import read_surface
from proxops.lab.surface import Finish, Surface
from proxops.optics.scene.material import Material
from proxops.optics.scene.mesh import Mesh
from proxops.optics.scene.palette import GREY_PAINT, finish_material


class ReadMesh(NamedTuple):
    """What was read, and what is to be known about it: sentences for the run's log and the terminal."""

    mesh: Mesh
    warnings: tuple[str, ...]


def read_mesh(
    path: Path, scale: float | tuple[float, float, float] = 1.0, *, expected_m: float | None = None
) -> ReadMesh:
    """In the file's axes; where the file says nothing of materials, all is grey paint."""
    surface, warnings = read_surface(path, scale, expected_m=expected_m)
    return ReadMesh(mesh_of(surface), warnings)


def mesh_of(surface: Surface, material: Material | None = None) -> Mesh:
    """A judged surface; all of one material, or each part of its own."""
    palette: tuple[Material, ...]
    if material is not None:
        kinds, palette = np.zeros(len(surface.triangles), np.int16), (material,)
    else:
        of_finish = [_material(finish) for finish in surface.finishes]
        unique = list(dict.fromkeys(of_finish))
        kinds = np.array([unique.index(m) for m in of_finish], np.int16)[surface.finish]
        palette = tuple(unique)
    return Mesh(surface.vertices, surface.triangles, surface.corner_normals, kinds, palette)


def _material(finish: Finish) -> Material:
    if finish == Finish():
        return GREY_PAINT
    return finish_material(finish.name, finish.linear_rgb, finish.roughness, finish.metallic)

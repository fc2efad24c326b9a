"""The two mock-ups of a hall as eyes see them: by the cell's drawing where it names one, else by what their URDFs show."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np

from proxops.lab.cell import Cell
from proxops.lab.shapes import MOCKUP, ROBOT1, ROBOT2, Shape, hall_shapes
from proxops.lab.surface import MOST_TRIANGLES
from proxops.lab.urdf_drawing import mesh_warnings
from proxops.maths.pose import pose_from_abc
from proxops.optics.scene.mesh_file import ReadMesh, read_mesh
from proxops.optics.scene.urdf_mesh import urdf_mesh


def hall_warnings(cell: Cell) -> tuple[str, ...]:
    """What is to be known about the mock-ups' drawings: what was mended in them, what is not seen."""
    return tuple(text for k in (0, 1) for text in mockup_mesh(cell, k).warnings)


@lru_cache(maxsize=8)
def mockup_mesh(cell: Cell, k: int) -> ReadMesh:
    """What robot ``k`` + 1 carries, in its port frame: the cell's drawing where it names one, else what the URDF shows."""
    path = cell.cad[k]
    if path is not None:
        return _drawing(cell, k, path)
    model = cell.mockups[k].path
    return ReadMesh(urdf_mesh(model), mesh_warnings(model, MOST_TRIANGLES))


def _drawing(cell: Cell, k: int, path: Path) -> ReadMesh:
    payload = cell.robots[k].payload
    read = read_mesh(path, payload.cad_scale, expected_m=_expected_m(cell, k))
    T_port_cad = pose_from_abc(*payload.cad_xyz_m, *np.radians(payload.cad_abc_deg))
    return ReadMesh(read.mesh.moved(T_port_cad), read.warnings)


def _expected_m(cell: Cell, k: int) -> float:
    """Largest edge of the box round the solids that enclose the mock-up."""
    ends = [shape.extent_m() for shape in _solids(cell, (ROBOT1, ROBOT2)[k] + MOCKUP)]
    low, high = (np.array(e) for e in zip(*ends, strict=True))
    return float(np.max(high.max(axis=0) - low.min(axis=0)))


def _solids(cell: Cell, body: int) -> list[Shape]:
    return [shape for shape in hall_shapes(cell) if shape.body == body]

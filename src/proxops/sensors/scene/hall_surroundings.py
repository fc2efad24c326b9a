"""What eyes in the hall see: both mock-ups, the robots behind them, rail, floor, walls, curtain, fence; and the light of the
lamp.

The frame of the scene is the lab. Its bodies are those of ``lab.shapes`` in their order; what stands still belongs to the
first, "floor", whose frame is the lab too. The client stands where robot 2's nominal kinematics puts it, the other mock-up
where the *true* relative pose of the ports does (``hall_truth``): a picture shows what the hall truly shows. Arms are drawn
as they are commanded, so a flange may miss its mock-up by the robots' own error, some millimetres.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.lab.cell import Cell
from proxops.lab.coordinates import HallRecord
from proxops.lab.link_tree import hall_links
from proxops.lab.shapes import BODIES, FLOOR, MOCKUP, ROBOT1, ROBOT2, Shape, body_poses, hall_shapes
from proxops.lab.surface import MOST_TRIANGLES
from proxops.lab.urdf_drawing import mesh_warnings
from proxops.maths.kernel import kernel
from proxops.maths.pose import pack_pose, pose_from_abc, pose_from_packed, put_composed
from proxops.maths.rotation import Array
from proxops.sensors.scene.hall_room import room_mesh
from proxops.sensors.scene.mesh import Mesh, joined
from proxops.sensors.scene.mesh_file import ReadMesh, read_mesh
from proxops.sensors.scene.palette import BLACK_CLOTH
from proxops.sensors.scene.scene import Scene
from proxops.sensors.scene.urdf_mesh import link_mesh, urdf_mesh

PORT1_BODY, PORT2_BODY = ROBOT1 + MOCKUP, ROBOT2 + MOCKUP  # in the scene: what is in the port frames
N_BODIES = len(BODIES)
NOTHING_FITTED: Final[Mapping[int, Sequence[Mesh]]] = MappingProxyType({})


def hall_scene(cell: Cell, *, wrapped: bool = False, fitted: Mapping[int, Sequence[Mesh]] = NOTHING_FITTED) -> Scene:
    """The hall of a cell file. ``wrapped``: robot 2 in black cloth, from its base to its flange. ``fitted``: what else is on
    bodies, such as markers."""
    found: dict[str, list[Mesh]] = {name: [] for name in BODIES}
    found[BODIES[FLOOR]].append(room_mesh(cell))
    for link in hall_links(cell):
        if "/mockup/" in link.name:
            continue
        cloth = BLACK_CLOTH if wrapped and link.name.startswith("robot2/") else None
        mesh = link_mesh(link.drawn, cloth)
        if mesh is not None:
            found[link.name].append(mesh)
    for k, body in enumerate((PORT1_BODY, PORT2_BODY)):
        found[BODIES[body]].append(mockup_mesh(cell, k).mesh)
    for body, meshes in fitted.items():
        found[BODIES[body]] += meshes
    return Scene.of([(name, joined(meshes)) for name, meshes in found.items()])


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


def hall_poses(cell: Cell, axes: Array, T_port2_port1: Array) -> NDArray[np.float64]:
    """T_lab_body (bodies, 7) at thirteen axes, the mock-up of robot 1 at the true relative pose (7): T_target_chaser, unless the
    roles are exchanged (``bridge.roles``)."""
    out = np.empty((N_BODIES, 7))
    put_hall_poses(cell.hall, np.ascontiguousarray(axes, np.float64), T_port2_port1, np.empty((N_BODIES, 4, 4)), out)
    return out


@kernel
def put_hall_poses(hall: HallRecord, axes: Array, T_port2_port1: Array, T_lab_body: Array, out: Array) -> None:
    """``hall_poses`` into ``out``; ``T_lab_body`` (bodies, 4, 4) is room to work in."""
    body_poses(hall, axes, T_lab_body)
    put_composed(T_lab_body[PORT2_BODY], pose_from_packed(T_port2_port1), T_lab_body[PORT1_BODY])
    for body in range(out.shape[0]):
        pack_pose(T_lab_body[body], out[body])

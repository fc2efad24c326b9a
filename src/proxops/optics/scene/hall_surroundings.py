"""What eyes in the hall see: both mock-ups, the robots behind them, rail, floor, walls, curtain, fence; and the light of the
lamp.

The frame of the scene is the lab. Its bodies are those of ``lab.shapes`` in their order; what stands still belongs to the
first, "floor", whose frame is the lab too. The client stands where robot 2's nominal kinematics puts it, the other mock-up
where the *true* relative pose of the ports does (``hall_truth``): a picture shows what the hall truly shows. Arms are drawn
as they are commanded, so a flange may miss its mock-up by the robots' own error, some millimetres.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.lab.cell import Cell
from proxops.lab.coordinates import HallRecord
from proxops.lab.link_tree import hall_links
from proxops.lab.shapes import BODIES, FLOOR, MOCKUP, ROBOT1, ROBOT2, body_poses
from proxops.maths.kernel import kernel
from proxops.maths.pose import pack_pose, pose_from_packed, put_composed
from proxops.maths.rotation import Array
from proxops.optics.scene.hall_mockups import mockup_mesh
from proxops.optics.scene.hall_room import room_mesh
from proxops.optics.scene.mesh import Mesh, joined
from proxops.optics.scene.palette import BLACK_CLOTH
from proxops.optics.scene.scene import Scene
from proxops.optics.scene.urdf_mesh import link_mesh

PORT1_BODY, PORT2_BODY = ROBOT1 + MOCKUP, ROBOT2 + MOCKUP  # in the scene: what is in the port frames
N_BODIES = len(BODIES)
NOTHING_FITTED: Final[Mapping[int, Sequence[Mesh]]] = MappingProxyType({})
AS_DRAWN: Final[Mapping[int, Mesh]] = MappingProxyType({})


def hall_scene(
    cell: Cell, *, wrapped: bool = False, fitted: Mapping[int, Sequence[Mesh]] = NOTHING_FITTED,
    seen: Mapping[int, Mesh] = AS_DRAWN,
) -> Scene:  # fmt: skip
    """The hall of a cell file. ``wrapped``: robot 2 in black cloth, from its base to its flange. ``fitted``: what else is on
    bodies, such as markers. ``seen``: mock-ups that do not look as the cell has them."""
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
        found[BODIES[body]].append(seen[body] if body in seen else mockup_mesh(cell, k).mesh)
    for body, meshes in fitted.items():
        found[BODIES[body]] += meshes
    return Scene.of([(name, joined(meshes)) for name, meshes in found.items()])


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

"""What eyes in orbit see: two craft. The frame of the scene has inertial axes and the target's mass centre as its origin.

A craft's frame is that of its docking geometry (``port`` of a mock-up, x the docking axis), not its mass centre. The client
may be the mock-up itself (as the hall shows it: stand-off included), ``client_full.urdf``, or a user's URDF, STL, OBJ or
glTF.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.lab.cell import builtin
from proxops.lab.surface import MOST_TRIANGLES
from proxops.lab.urdf_drawing import mesh_warnings
from proxops.maths.pose import compose, pack_pose, pose_from_packed
from proxops.optics.scene.mesh import Mesh
from proxops.optics.scene.mesh_file import ReadMesh, read_mesh
from proxops.optics.scene.scene import Scene
from proxops.optics.scene.urdf_mesh import urdf_mesh

CLIENT: Final = "client_mockup.urdf"
CLIENT_FULL: Final = "client_full.urdf"
CLIENT_INSPECTED: Final = "client_inspected.obj"  # what `proxops inspect` made of the first
SERVICER: Final = "servicer_mockup.urdf"
TARGET, CHASER = 0, 1  # bodies of the scene
Floats = NDArray[np.float64]


def craft_mesh(path: Path, scale: float = 1.0, *, expected_m: float | None = None) -> ReadMesh:
    """A craft from a model (root link ``port``) or a drawing, ``scale`` times as large, in the craft's frame."""
    if path.suffix.lower() != ".urdf":
        return read_mesh(path, scale, expected_m=expected_m)
    mesh = urdf_mesh(path)
    return ReadMesh(replace(mesh, vertices=scale * mesh.vertices), mesh_warnings(path, MOST_TRIANGLES))


def shipped_craft(name: str, scale: float = 1.0) -> Mesh:
    """One of the models that come with the package."""
    return craft_mesh(builtin("models", name), scale).mesh


def orbit_scene(client: Mesh, servicer: Mesh) -> Scene:
    """Bodies ``target`` and ``chaser``, in the order of ``orbit_poses``."""
    return Scene.of([("target", client), ("chaser", servicer)])


def orbit_poses(q_inertial_target: Floats, p_target_centre: Floats, T_target_chaser: Floats) -> Floats:
    """T_scene_body (2, 7): ``q_inertial_target`` (w first), the target's mass centre in its craft frame, the relative pose
    (7)."""
    T_scene_target = pose_from_packed(np.concatenate([np.zeros(3), q_inertial_target]))
    T_scene_target[:3, 3] = -T_scene_target[:3, :3] @ p_target_centre
    out = np.empty((2, 7))
    pack_pose(T_scene_target, out[TARGET])
    pack_pose(compose(T_scene_target, pose_from_packed(np.ascontiguousarray(T_target_chaser, np.float64))), out[CHASER])
    return out

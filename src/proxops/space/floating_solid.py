"""A solid of a scene as MuJoCo has it: its geom, a mesh's file, mass centre and inertia."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from proxops.core.errors import BadInput
from proxops.core.floating_object import FloatingScene, ObjectTable, Shaped, judge_room
from proxops.core.user_file import demand_file
from proxops.maths.rotation import Array, matrix_from_quat, quat_from_rotation_vector

MESH_BYTES = 64 * 1024 * 1024  # MuJoCo takes 200 000 faces, which are 10 MB of binary STL


def add_geom(spec: Any, body: Any, name: str, table: Shaped, source: Path, key: str) -> Any:
    """Touches nobody by itself: that is said by pairs."""
    import mujoco

    kinds = mujoco.mjtGeom
    geom = body.add_geom(name=name)
    geom.contype = geom.conaffinity = 0
    geom.type = getattr(kinds, f"mjGEOM_{table.shape.upper()}")
    if table.shape == "mesh":
        mesh = spec.add_mesh(name=f"mesh of {name}", file=str(_mesh_path(table, source, key)))
        mesh.scale = (table.scale_m,) * 3
        mesh.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_EXACT
        geom.meshname = mesh.name
    else:
        half = {"box": 0.5, "sphere": 1.0}.get(table.shape)
        size = np.array(table.size_m) * (half if half is not None else (1.0, 0.5))  # MuJoCo: half sides, half lengths
        geom.size[: len(size)] = size
    return geom


def _mesh_path(table: Shaped, source: Path, key: str) -> Path:
    path = source.parent / table.file
    if not path.is_file():
        raise BadInput(
            f"{key}.file: no such file", where=str(source), value=str(path), bound="STL or OBJ beside the scenario"
        )
    demand_file(path, f"{key}.file", MESH_BYTES)
    return path.resolve()


def mass_properties(scene: FloatingScene, i: int) -> tuple[Array, Array]:
    """Mass centre and inertia about it, body axes; what the scenario leaves out of a mesh is the homogeneous solid's."""
    table: ObjectTable = scene.objects[i]
    centre, inertia = np.zeros(3), table.inertia
    if table.shape == "mesh":
        centre, solid_inertia = _judged_mesh(scene, i)
        inertia = solid_inertia if inertia is None else inertia
    assert inertia is not None  # of every other shape it is known
    return centre if table.mass_centre_m is None else np.array(table.mass_centre_m), inertia


def _judged_mesh(scene: FloatingScene, i: int) -> tuple[Array, Array]:
    """The mesh alone in a model of its own: what MuJoCo's compiler thinks of it."""
    import mujoco

    table, spec = scene.objects[i], mujoco.MjSpec()
    body = spec.worldbody.add_body()
    body.add_freejoint()
    add_geom(spec, body, "geom", table, scene.source, scene.key(i)).mass = table.mass_kg
    try:
        model = spec.compile()
    except ValueError as error:
        what, way_out = f"{scene.key(i)}.file: {str(error).splitlines()[0]}", "a closed surface as binary STL or OBJ"
        raise BadInput(what, where=str(scene.source), value=table.file, way_out=way_out) from None
    if scene.box is not None:
        R = matrix_from_quat(model.geom_quat[0])
        extent = np.ptp(model.mesh_vert.astype(float) @ R.T, axis=0)
        judge_room(scene.key(i), tuple(extent.tolist()), scene.box, scene.source)
    R = matrix_from_quat(model.body_iquat[1])
    return model.body_ipos[1].copy(), R @ np.diag(model.body_inertia[1]) @ R.T


def start_quat(table: Shaped) -> Array:
    """q_world_body at the start."""
    quat: Array = quat_from_rotation_vector(np.radians(table.turn_deg))
    return quat

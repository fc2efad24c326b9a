"""The two mock-ups in pictures of the hall: the cell's own, by their CAD where pictures can show it, else by their URDF's looks.

MuJoCo reads meshes of STL (binary) and OBJ files. glTF is for the console's page: pictures draw such a mock-up by its URDF.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.offscreen import PictureUnavailable
from proxops.lab.cell import Cell
from proxops.lab.link_tree import hall_links
from proxops.lab.shapes import MOCKUP, ROBOT1, ROBOT2, Shape, hall_shapes
from proxops.lab.surface import Surface
from proxops.lab.urdf_drawing import GREY, Solid
from proxops.maths.pose import pose_from_abc

Pose = NDArray[np.float64]
SOLID_GROUP, DRAWN_GROUP = 0, 1  # as URDF import has collision and visual shapes
NAMES: Final = ("servicer", "client")  # of robot 1's and robot 2's mock-up
MESHES: Final = (".stl", ".obj")


def mount_mockups(mujoco: Any, spec: Any, cell: Cell) -> None:
    """Hang each mock-up on its flange, as body "servicer/port" and "client/port": solids that are watched, and what is seen."""
    shapes = hall_shapes(cell)
    for k, (name, start) in enumerate(zip(NAMES, (ROBOT1, ROBOT2), strict=True)):
        T_flange_port = cell.hall[f"port{k + 1}"][0]
        port = spec.body(f"robot{k + 1}/flange").add_body(name=f"{name}/port", **placed(mujoco, T_flange_port))
        for shape in shapes:
            if shape.body == start + MOCKUP:
                _add(mujoco, port, shape, shape.T_body_shape, GREY, SOLID_GROUP)
        if not _add_mesh(mujoco, spec, port, cell, k):
            for T_port_link, solid in _looks(cell, k):
                T_port_solid = T_port_link @ solid.T_link_solid
                if solid.surface is not None:
                    _add_surface(mujoco, spec, port, solid.surface, T_port_solid, solid.rgba)
                else:
                    _add(mujoco, port, solid, T_port_solid, solid.rgba, DRAWN_GROUP)


def placed(mujoco: Any, T_body_frame: Pose) -> dict[str, Any]:
    """Place of something on a body, as MuJoCo has it."""
    quat = np.empty(4)
    mujoco.mju_mat2Quat(quat, np.ascontiguousarray(T_body_frame[:3, :3], dtype=np.float64).ravel())
    return {"pos": T_body_frame[:3, 3], "quat": quat}


def _looks(cell: Cell, k: int) -> list[tuple[Pose, Solid]]:
    """Visible solids of the mock-up's links, and where these are in the port frame."""
    drawn = {link.name: link.drawn for link in hall_links(cell)}
    return [
        (T_port_link, solid)
        for name, _, T_port_link in cell.mockups[k].links
        for solid in drawn[f"robot{k + 1}/mockup/{name}"].visuals
    ]


def _add(mujoco: Any, body: Any, solid: Shape | Solid, T_body_solid: Pose, rgba: tuple[float, ...], group: int) -> None:
    size = solid.size_m
    kind, half = {
        "box": lambda: (mujoco.mjtGeom.mjGEOM_BOX, [0.5 * edge for edge in size]),
        "cylinder": lambda: (mujoco.mjtGeom.mjGEOM_CYLINDER, [size[0], 0.5 * size[1], 0.0]),
        "sphere": lambda: (mujoco.mjtGeom.mjGEOM_SPHERE, [size[0], 0.0, 0.0]),
    }[solid.kind]()
    body.add_geom(
        type=kind, size=half, rgba=rgba, group=group, contype=0, conaffinity=0, **placed(mujoco, T_body_solid)
    )


def _add_surface(
    mujoco: Any, spec: Any, body: Any, surface: Surface, T_body_surface: Pose, rgba: tuple[float, ...]
) -> None:
    """A mesh that a model's file shows. Every triangle has corners of its own, or MuJoCo would round its edges off."""
    name = f"surface {len(spec.meshes)}"
    spec.add_mesh(
        name=name, uservert=surface.vertices[surface.triangles].ravel(), userface=np.arange(3 * len(surface.triangles)),
        usernormal=surface.corner_normals.ravel(), userfacenormal=np.arange(3 * len(surface.triangles)),
        inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL,
    )  # fmt: skip
    body.add_geom(
        type=mujoco.mjtGeom.mjGEOM_MESH, meshname=name, rgba=rgba, group=DRAWN_GROUP, contype=0, conaffinity=0,
        **placed(mujoco, T_body_surface),
    )  # fmt: skip


def _add_mesh(mujoco: Any, spec: Any, port: Any, cell: Cell, k: int) -> bool:
    """The CAD that the cell names for this mock-up; False where there is none that pictures can show."""
    payload, path = cell.robots[k].payload, cell.cad[k]
    if path is None or path.suffix.lower() not in MESHES:
        return False
    name, shell = f"{NAMES[k]}/cad", mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL
    about: dict[str, Any] = {
        "name": name,
        "file": str(path.resolve()),
        "scale": [payload.cad_scale] * 3,
        "inertia": shell,
    }
    _demand_readable(mujoco, about, path.name)
    spec.add_mesh(**about)
    # MuJoCo moves a mesh into its principal frame and the geom with it: the drawing stays where the file has it.
    T_port_cad = pose_from_abc(*payload.cad_xyz_m, *np.radians(payload.cad_abc_deg))
    port.add_geom(
        type=mujoco.mjtGeom.mjGEOM_MESH, meshname=name, rgba=GREY, group=DRAWN_GROUP, contype=0, conaffinity=0,
        **placed(mujoco, T_port_cad),
    )  # fmt: skip
    return True


def _demand_readable(mujoco: Any, about: dict[str, Any], name: str) -> None:
    """A drawing that MuJoCo cannot read is named; alone, it would only say that the hall cannot be built."""
    alone = mujoco.MjSpec()
    alone.add_mesh(**about)
    alone.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_MESH, meshname=about["name"])
    try:
        alone.compile()
    except ValueError as error:
        raise PictureUnavailable(
            f"the mock-up's drawing {name} cannot be read: {str(error).splitlines()[0]}"
        ) from error

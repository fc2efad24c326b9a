"""What a URDF shows, as triangles: its visible solids and meshes, in the frame of their link or of the whole craft."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from proxops.core.errors import BadInput
from proxops.lab.mockup import PORT
from proxops.lab.surface import MOST_TRIANGLES
from proxops.lab.urdf_drawing import DrawnLink, Solid, read_drawing
from proxops.optics.scene.material import Material
from proxops.optics.scene.mesh import Mesh, joined
from proxops.optics.scene.mesh_file import mesh_of
from proxops.optics.scene.palette import material_of
from proxops.optics.scene.primitives import box, cylinder, sphere

Pose = NDArray[np.float64]


def link_mesh(drawn: DrawnLink, material: Material | None = None) -> Mesh | None:
    """Everything that a link shows, in its frame; ``material``: all of that, as if wrapped. None: it shows nothing."""
    parts = [solid_mesh(solid, material).moved(solid.T_link_solid) for solid in drawn.visuals]
    return joined(parts) if parts else None


def solid_mesh(solid: Solid, material: Material | None = None) -> Mesh:
    """In the solid's own frame."""
    made_of = material or material_of(solid.material, solid.rgba)
    if solid.surface is not None:
        own = not solid.material and material is None and len(solid.surface.finishes) > 1
        return mesh_of(solid.surface, None if own else made_of)
    if solid.kind == "box":
        x, y, z = solid.size_m
        return box((x, y, z), made_of)
    if solid.kind == "cylinder":
        return cylinder(solid.size_m[0], solid.size_m[1], made_of)
    return sphere(solid.size_m[0], made_of)


def links_mesh(links: list[DrawnLink], where: str) -> Mesh:
    """Links that nothing moves, in the frame of the first; moving joints stand at zero."""
    T_root_link: dict[str, Pose] = {}
    parts = []
    for link in links:
        T_root_link[link.name] = T_root_link.get(link.parent, np.eye(4)) @ link.T_parent_joint
        mesh = link_mesh(link)
        if mesh is not None:
            parts.append(mesh.moved(T_root_link[link.name]))
    if not parts:
        raise BadInput("the model shows nothing: no <visual> and no <collision> that can be drawn", where=where)
    return joined(parts)


def urdf_mesh(path: Path, root: str = PORT) -> Mesh:
    """The whole model in the frame of its root link."""
    return links_mesh(read_drawing(path, root, MOST_TRIANGLES), str(path))

"""The stage of a cell: its tree of links as Foxglove's frames, what they look like, and the solids that the guard watches.

Frames are named as in ``core.frames`` (lab, base1, flange1, port1 …), links in between ``robot1/link_3``, besides ``rail`` and
``carriage``. Read in the facility's process, which has the cell; the recorder gets numbers and finished messages.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from proxops.ground.foxglove import SCENE, TRANSFORMS, foxglove_message
from proxops.ground.hall_joints import Joint
from proxops.ground.stage import EVERY_NS, Stage
from proxops.lab import hall_plan
from proxops.lab.any_cell import AnyCell
from proxops.lab.arm_cell import ArmCell
from proxops.lab.arm_shapes import arm_shapes
from proxops.lab.cell import Cell
from proxops.lab.link_tree import TreeLink, hall_links
from proxops.lab.shapes import BODIES, FLOOR, Shape, floor_z_m, hall_shapes
from proxops.lab.surface import Surface
from proxops.lab.urdf_drawing import Solid
from proxops.maths.pose import pack_pose, pose_from_abc
from proxops.maths.quaternion import quat_product

LAB: Final = "lab"
SLAB_M: Final = 0.02  # the floor is drawn as thin as this
CONCRETE: Final = (0.35, 0.36, 0.38, 1.0)
WATCHED: Final = (1.0, 0.55, 0.1, 0.35)  # of collision solids: seen through
Pose = NDArray[np.float64]


def stage_of(cell: AnyCell) -> Stage:
    """Everything that a viewer needs to show runs of ``cell``."""
    links = cell.links if isinstance(cell, ArmCell) else hall_links(cell)
    parents = [LAB if link.parent < 0 else links[link.parent].frame for link in links]
    moving = [link.drive >= 0 and link.drawn.moves != "fixed" for link in links]
    joints = tuple(_joint(link, parent) for link, parent, moves in zip(links, parents, moving, strict=True) if moves)
    still = [(link, parent) for link, parent, moves in zip(links, parents, moving, strict=True) if not moves]
    every = max(1, EVERY_NS // cell.period_ns)
    if isinstance(cell, ArmCell):
        return Stage(joints, _fixed(still), _arm_visuals(cell), _arm_solids(cell), every)
    shapes = hall_shapes(cell)
    return Stage(joints, _fixed(still), _visuals(cell, links, floor_z_m(shapes)), _solids(links, shapes), every)


def _joint(link: TreeLink, parent: str) -> Joint:
    x, y, z, *still = _packed(link.T_parent_joint)
    q = np.array(still)
    none = (0.0, 0.0, 0.0)
    if link.drawn.moves == "prismatic":
        slide = tuple((link.T_parent_joint[:3, :3] @ np.array(link.drawn.axis)).tolist())
        return Joint(parent, link.frame, link.drive, (x, y, z), slide, tuple(still), (0.0, *none))
    turned = tuple(quat_product(q, np.array([0.0, *link.drawn.axis])).tolist())
    return Joint(parent, link.frame, link.drive, (x, y, z), none, tuple(still), turned)


def _fixed(links: Iterable[tuple[TreeLink, str]]) -> bytes:
    message = foxglove_message(TRANSFORMS)()
    for link, parent in links:
        added = message.transforms.add(parent_frame_id=parent, child_frame_id=link.frame)
        _put_pose(link.T_parent_joint, added.translation, added.rotation)
    return _bytes(message)


def _visuals(cell: Cell, links: tuple[TreeLink, ...], floor_z: float) -> bytes:
    """The hall as the console draws it, on its floor and pedestal."""
    message = foxglove_message(SCENE)()
    floor = _entity(message, "floor", LAB)
    (x0, x1), (y0, y1) = (hall_plan.WALL_X, hall_plan.HALL_END_X), (hall_plan.OPEN_SIDE_Y, hall_plan.WALL_Y)
    _add(floor, _box((x0, x1), (y0, y1), (floor_z - SLAB_M, floor_z)))
    x, y, top = cell.hall["base2"][0][:3, 3].tolist()
    half = hall_plan.PEDESTAL_HALF
    _add(_entity(message, "pedestal", LAB), _box((x - half, x + half), (y - half, y + half), (floor_z, top)))
    _draw_links(message, links)
    return _bytes(message)


def _draw_links(message: Any, links: tuple[TreeLink, ...]) -> None:
    for link in links:
        entity = _entity(message, link.name, link.frame)
        for solid in link.drawn.visuals:
            _add(entity, solid)


def _arm_visuals(cell: ArmCell) -> bytes:
    """Arms and rail, and what stands still round them."""
    message = foxglove_message(SCENE)()
    for shape in arm_shapes(cell):
        if shape.body == len(cell.links) and shape.kind != "halfspace":
            _add(_entity(message, shape.name, LAB), Solid(shape.kind, shape.size_m, shape.T_body_shape, CONCRETE))
    _draw_links(message, cell.links)
    return _bytes(message)


def _arm_solids(cell: ArmCell) -> bytes:
    """What the guard keeps apart, but for the floor, which has no end."""
    message = foxglove_message(SCENE)()
    frames = (*(link.frame for link in cell.links), LAB)
    for shape in arm_shapes(cell):
        if shape.kind != "halfspace":
            entity = _entity(message, shape.name, frames[shape.body])
            _add(entity, Solid(shape.kind, shape.size_m, shape.T_body_shape, WATCHED))
    return _bytes(message)


def _solids(links: tuple[TreeLink, ...], shapes: tuple[Shape, ...]) -> bytes:
    """What the guard keeps apart, but for the floor, which has no end."""
    frames = {link.name: link.frame for link in links}
    message = foxglove_message(SCENE)()
    for body, name in enumerate(BODIES):
        own = [shape for shape in shapes if shape.body == body != FLOOR]
        if own:
            entity = _entity(message, name, frames[name.replace("mockup", "mockup/port")])
            for shape in own:
                _add(entity, Solid(shape.kind, shape.size_m, shape.T_body_shape, WATCHED))
    return _bytes(message)


def _entity(message: Any, name: str, frame: str) -> Any:
    return message.entities.add(id=name, frame_id=frame, frame_locked=True)


def _box(x: tuple[float, float], y: tuple[float, float], z: tuple[float, float]) -> Solid:
    spans = (x, y, z)
    cx, cy, cz = (0.5 * (low + high) for low, high in spans)
    return Solid("box", tuple(high - low for low, high in spans), pose_from_abc(cx, cy, cz, 0.0, 0.0, 0.0), CONCRETE)


def _add(entity: Any, solid: Solid) -> None:
    """A primitive of the solid's kind; Foxglove gives the edges of the box round it."""
    if solid.surface is not None:
        return _add_surface(entity, solid, solid.surface)
    if solid.kind == "box":
        size, added = solid.size_m, entity.cubes.add()
    elif solid.kind == "cylinder":
        radius, length = solid.size_m
        size, added = (2.0 * radius, 2.0 * radius, length), entity.cylinders.add(bottom_scale=1.0, top_scale=1.0)
    else:
        size, added = (2.0 * solid.size_m[0],) * 3, entity.spheres.add()
    added.size.x, added.size.y, added.size.z = size
    _finish(added, solid)
    return None


def _add_surface(entity: Any, solid: Solid, surface: Surface) -> None:
    added = entity.triangles.add(indices=surface.triangles.ravel().tolist())
    for x, y, z in surface.vertices.tolist():
        added.points.add(x=x, y=y, z=z)
    _finish(added, solid)


def _finish(added: Any, solid: Solid) -> None:
    added.color.r, added.color.g, added.color.b, added.color.a = solid.rgba
    _put_pose(solid.T_link_solid, added.pose.position, added.pose.orientation)


def _packed(T: Pose) -> list[float]:
    out = np.empty(7)
    pack_pose(np.ascontiguousarray(T), out)
    numbers: list[float] = out.tolist()
    return numbers


def _put_pose(T: Pose, position: Any, orientation: Any) -> None:
    position.x, position.y, position.z, orientation.w, orientation.x, orientation.y, orientation.z = _packed(T)


def _bytes(message: Any) -> bytes:
    data: bytes = message.SerializeToString(deterministic=True)
    return data

"""A free-floating arm with a gripper and a floating handle as a MuJoCo model: bodies from Pinocchio's numbers, shapes from the
URDF's drawings.

Only craft and handle touch each other; the craft does not touch itself. No gravity, no damping, no armature: what changes
momentum or energy is a joint torque, a finger's force or a contact.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pinocchio

from proxops.applications.grasp.tables import HandleTable, PartTable
from proxops.arms.gripper import Gripper, box_inertia
from proxops.arms.model import ArmModel, Floats
from proxops.arms.urdf import readable
from proxops.core.errors import BadInput
from proxops.core.offscreen import PictureUnavailable, import_mujoco
from proxops.maths.rotation import quat_from_matrix, quat_from_rotation_vector
from proxops.space.contact_solver import check_solver, set_dense_newton

CRAFT, HANDLE = 1, 2  # collision bits
# Names with a blank: no joint of a URDF has one, so they cannot meet.
BASE, PALM, FINGERS = "craft base", "the palm", ("finger 1", "finger 2")
BODY, BAR, GRASP_SITE = "the handle", "the bar", "grasp"
SIDES: Final = (-1.0, 1.0)
GREY, DARK, BLUE, GREEN = (
    (0.72, 0.74, 0.77, 1.0),
    (0.16, 0.17, 0.19, 1.0),
    (0.20, 0.42, 0.72, 1.0),
    (0.22, 0.62, 0.36, 1.0),
)
NEAR_M: Final = 2e-3
PICTURE: Final = (560, 420)  # pixels


def mujoco_module() -> Any:
    """MuJoCo, ready to draw where that is possible; physics needs no OpenGL."""
    try:
        return import_mujoco()
    except PictureUnavailable:
        import mujoco

        return mujoco


def build_scene(craft: ArmModel, gripper: Gripper, handle: HandleTable, step_s: float) -> Any:
    """The compiled ``MjModel``. ``craft``: the arm without its gripper."""
    mujoco = mujoco_module()
    spec = mujoco.MjSpec()
    _set_options(mujoco, spec, step_s)
    bodies = _add_craft(mujoco, spec, craft)
    _add_shapes(mujoco, bodies, craft)
    frame = craft.pin.frames[craft.tool_id]
    _add_gripper(mujoco, bodies[frame.parentJoint], frame.placement.homogeneous, gripper)
    _add_handle(mujoco, spec, handle)
    _set_contacts(spec, handle)
    model = spec.compile()
    check_solver(model)
    return model


def _set_options(mujoco: Any, spec: Any, step_s: float) -> None:
    spec.modelname = "grasp"
    spec.compiler.balanceinertia = False
    spec.compiler.boundinertia = spec.compiler.boundmass = 0.0
    spec.compiler.degree = False
    option = spec.option
    option.timestep, option.integrator = step_s, mujoco.mjtIntegrator.mjINT_RK4
    option.gravity = np.zeros(3)
    set_dense_newton(option)
    option.cone, option.impratio = mujoco.mjtCone.mjCONE_ELLIPTIC, 10.0  # friction that creeps little
    option.enableflags = mujoco.mjtEnableBit.mjENBL_ENERGY
    look = spec.visual
    look.global_.offwidth, look.global_.offheight = PICTURE
    look.headlight.ambient, look.headlight.diffuse = (0.28, 0.28, 0.30), (0.25, 0.25, 0.25)
    look.quality.shadowsize = 2048
    spec.stat.extent, spec.stat.center = 1.5, (0.8, 0.0, 0.0)
    light = spec.worldbody.add_light(pos=(0.5, -2.0, 3.0), dir=(0.1, 0.55, -0.85), castshadow=True)
    light.type, light.diffuse = mujoco.mjtLightType.mjLIGHT_DIRECTIONAL, (0.75, 0.73, 0.70)


def _add_craft(mujoco: Any, spec: Any, craft: ArmModel) -> list[Any]:
    """A body for each of Pinocchio's joints."""
    pin, bodies = craft.pin, [spec.worldbody]
    for joint in range(1, pin.njoints):
        place, inertia = pin.jointPlacements[joint], pin.inertias[joint]
        body = bodies[pin.parents[joint]].add_body(name=BASE if joint == 1 else pin.names[joint])
        body.pos, body.quat = place.translation, quat_from_matrix(np.ascontiguousarray(place.rotation))
        body.mass, body.ipos, i = inertia.mass, inertia.lever, inertia.inertia
        body.fullinertia = [i[0, 0], i[1, 1], i[2, 2], i[0, 1], i[0, 2], i[1, 2]]
        body.explicitinertial = True
        if joint == 1:
            body.add_freejoint(name=BASE)
        else:
            low, high = craft.lower[joint - 2], craft.upper[joint - 2]
            turns, axis = joint_axis(pin, joint)
            kind = mujoco.mjtJoint.mjJNT_HINGE if turns else mujoco.mjtJoint.mjJNT_SLIDE
            hinge = body.add_joint(name=pin.names[joint], type=kind, axis=axis, range=(low, high))
            hinge.limited = mujoco.mjtLimited.mjLIMITED_TRUE
        bodies.append(body)
    return bodies


def joint_axis(pin: Any, joint: int) -> tuple[bool, Floats]:
    """Whether it turns or slides, and its axis in its own frame: how it moves the frame."""
    q, data, way = pinocchio.neutral(pin), pin.createData(), 0.5
    q[pin.joints[joint].idx_q] = way
    pinocchio.forwardKinematics(pin, data, q)
    moved = pin.jointPlacements[joint].actInv(data.liMi[joint])
    turn: Floats = pinocchio.log3(moved.rotation) / way
    turns = bool(np.linalg.norm(turn) > 0.5)
    return turns, turn if turns else moved.translation / way


def _add_shapes(mujoco: Any, bodies: list[Any], craft: ArmModel) -> None:
    """Boxes, cylinders and spheres that the URDF draws: seen, and touched. Meshes are left out."""
    drawn = pinocchio.buildGeomFromUrdfString(craft.pin, readable(craft.source), pinocchio.GeometryType.VISUAL)
    for one in drawn.geometryObjects:
        found = _drawn(mujoco, one.geometry)
        if found is None:
            continue
        geom, size = found
        quat = quat_from_matrix(np.ascontiguousarray(one.placement.rotation))
        bodies[one.parentJoint].add_geom(
            name=f"craft {one.name}", type=geom, size=size, pos=one.placement.translation, quat=quat, rgba=one.meshColor,
            mass=0.0, contype=CRAFT, conaffinity=HANDLE,
        )  # fmt: skip


def _drawn(mujoco: Any, shape: Any) -> tuple[Any, Any] | None:
    """Kind and half sizes of one of Pinocchio's shapes; None for a mesh."""
    kind = type(shape).__name__
    if kind == "Box":
        return mujoco.mjtGeom.mjGEOM_BOX, shape.halfSide
    if kind == "Cylinder":
        return mujoco.mjtGeom.mjGEOM_CYLINDER, (shape.radius, shape.halfLength, 0.0)
    return (mujoco.mjtGeom.mjGEOM_SPHERE, (shape.radius, 0.0, 0.0)) if kind == "Sphere" else None


def _add_gripper(mujoco: Any, parent: Any, T_parent_tool: Floats, gripper: Gripper) -> None:
    """Palm, two fingers on slides whose coordinate is half the opening, and the grasp frame as a site."""
    T = T_parent_tool @ gripper.T_tool_gripper
    frame = parent.add_body(name=PALM, pos=T[:3, 3], quat=quat_from_matrix(np.ascontiguousarray(T[:3, :3])))
    _add_block(mujoco, frame, PALM, gripper.palm_kg, gripper.palm_m, gripper.p_gripper_palm, DARK)
    frame.add_site(name=GRASP_SITE, pos=(0.0, 0.0, gripper.grasp_m), size=(0.001, 0.0, 0.0), rgba=(0.0, 0.0, 0.0, 0.0))
    for name, side in zip(FINGERS, SIDES, strict=True):
        finger = frame.add_body(name=name, pos=gripper.p_gripper_finger(side, 0.0))
        slide = finger.add_joint(
            name=name, type=mujoco.mjtJoint.mjJNT_SLIDE, axis=(side, 0.0, 0.0), range=(0.0, 0.55 * gripper.opening_m)
        )
        slide.limited = mujoco.mjtLimited.mjLIMITED_TRUE
        _add_block(mujoco, finger, name, gripper.finger_kg, gripper.finger_m, np.zeros(3), GREY)


def _add_block(
    mujoco: Any, body: Any, name: str, mass: float, sides: tuple[float, float, float], p: Floats, rgba: tuple[float, ...]
) -> None:  # fmt: skip
    body.mass, body.ipos, body.inertia, body.explicitinertial = mass, p, box_inertia(mass, sides), True
    body.add_geom(
        name=name, type=mujoco.mjtGeom.mjGEOM_BOX, size=0.5 * np.array(sides), pos=p, rgba=rgba, mass=0.0, contype=CRAFT,
        conaffinity=HANDLE,
    )  # fmt: skip


def _add_handle(mujoco: Any, spec: Any, handle: HandleTable) -> None:
    body, i, bar = spec.worldbody.add_body(name=BODY), handle.inertia, handle.bar
    body.pos, body.quat = handle.place_m, quat_from_rotation_vector(np.radians(handle.turn_deg))
    body.mass, body.ipos, body.explicitinertial = handle.mass_kg, np.zeros(3), True
    body.fullinertia = [i[0, 0], i[1, 1], i[2, 2], i[0, 1], i[0, 2], i[1, 2]]
    body.add_freejoint(name=BODY)
    quat = quat_from_matrix(bar.R_body_bar)
    along, half = 0.5 * bar.length_m, 0.5 * bar.thickness_m
    touch = {"contype": HANDLE, "conaffinity": CRAFT, "mass": 0.0}
    if bar.section == "square":
        body.add_geom(
            name=BAR,
            type=mujoco.mjtGeom.mjGEOM_BOX,
            size=(half, along, half),
            pos=bar.place_m,
            quat=quat,
            rgba=GREEN,
            **touch,
        )
    else:
        way = along * np.array(bar.along)
        ends = np.concatenate([np.array(bar.place_m) - way, np.array(bar.place_m) + way])
        body.add_geom(
            name=BAR, type=mujoco.mjtGeom.mjGEOM_CAPSULE, size=(half, 0.0, 0.0), fromto=ends, rgba=GREEN, **touch
        )
    body.add_site(name=BAR, pos=bar.place_m, quat=quat, size=(0.001, 0.0, 0.0), rgba=(0.0, 0.0, 0.0, 0.0))
    for number, part in enumerate(handle.part, 1):
        kind, size = _solid(mujoco, part)
        turn = quat_from_rotation_vector(np.radians(part.turn_deg))
        body.add_geom(name=f"part {number}", type=kind, size=size, pos=part.place_m, quat=turn, rgba=BLUE, **touch)


def _solid(mujoco: Any, part: PartTable) -> tuple[Any, Floats]:
    half = 0.5 * np.array([*part.size_m, 0.0, 0.0])[:3]
    kinds = {"box": "mjGEOM_BOX", "cylinder": "mjGEOM_CYLINDER", "sphere": "mjGEOM_SPHERE"}
    return getattr(mujoco.mjtGeom, kinds[part.shape]), half


def _set_contacts(spec: Any, handle: HandleTable) -> None:
    for geom in spec.geoms:
        geom.friction = (handle.friction, 0.005, 0.0001)
        geom.condim = 3
        geom.gap = NEAR_M  # listed that far apart (each adds its own), without a force
        geom.solref = (handle.contact_s, handle.contact_damping)


def check_apart(mujoco: Any, model: Any, data: Any) -> None:
    """BadInput if things are inside each other before anything moves. ``data`` after a forward pass."""
    for contact in data.contact:
        if contact.dist < 0.0:
            one, two = (model.geom(int(number)).name for number in contact.geom)
            raise BadInput(
                f"handle.place_m: {two} starts inside {one}", value=f"{-1e3 * contact.dist:.3g} mm deep", bound="apart",
                way_out="move or turn the handle, or choose other start angles",
            )  # fmt: skip


def joint_addresses(model: Any, craft: ArmModel) -> tuple[list[int], list[int]]:
    """Of the arm's joints in MuJoCo's qpos and qvel, in Pinocchio's order."""
    found = [model.joint(name) for name in craft.joints]
    return [int(one.qposadr[0]) for one in found], [int(one.dofadr[0]) for one in found]

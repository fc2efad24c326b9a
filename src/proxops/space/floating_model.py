"""A scene of floating objects as MuJoCo has it: no gravity, RK4, a free joint for each object, walls as half spaces.

Bodies have their frame in the mass centre, in the object's axes: then momentum is linear in MuJoCo's state and free flight
keeps it to rounding. Who touches whom is told pair by pair, so that each has its own restitution."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from proxops.core.errors import BadInput
from proxops.core.floating_object import FloatingScene
from proxops.maths.rotation import Array, matrix_from_quat
from proxops.space.bounce_law import spring_and_damper
from proxops.space.capsule_overlap import judge_capsules
from proxops.space.contact_solver import check_solver, contact_impedance, set_solver
from proxops.space.floating_solid import add_geom, mass_properties, start_quat

WALLS = ("wall -x", "wall +x", "wall -y", "wall +y", "wall -z", "wall +z")
OVERLAP = 1e-9  # m: rounding of two faces that touch


@dataclass(frozen=True)
class FloatingModel:
    """Compiled. One row of ``mass_centre`` (body axes, m), ``mass``, ``inertia`` (about it, body axes) per object;
    per geom the object's number (-1: fixed); ``friction`` (geoms, geoms)."""

    compiled: Any  # mujoco.MjModel
    mass_centre: Array
    mass: Array
    inertia: Array
    object_of_geom: Any
    friction: Array
    names: tuple[str, ...]  # of the geoms


@dataclass(frozen=True)
class _Surface:
    name: str
    friction: float
    restitution: float
    number: int  # of the object, -1: fixed


def floating_model(scene: FloatingScene, dt: float, omega: float) -> FloatingModel:
    """Build (``omega``: of the contacts, rad/s), and judge what only shapes can tell:
    a mesh that cannot be used, what does not fit, what overlaps at the start."""
    import mujoco

    spec = mujoco.MjSpec()
    spec.compiler.balanceinertia = False
    spec.compiler.boundinertia = spec.compiler.boundmass = 0.0
    spec.option.timestep, spec.option.integrator = dt, mujoco.mjtIntegrator.mjINT_RK4
    spec.option.gravity = np.zeros(3)
    set_solver(spec.option)
    surfaces = _add_fixed(spec, scene)
    masses = [mass_properties(scene, i) for i in range(len(scene.objects))]
    for i, (table, (centre, inertia)) in enumerate(zip(scene.objects, masses, strict=True)):
        _add_object(spec, scene, i, centre, inertia)
        surfaces.append(_Surface(scene.key(i), table.friction, table.restitution, i))
    _add_pairs(spec, surfaces, omega)
    try:
        compiled = spec.compile()
    except ValueError as error:  # a mesh of an obstacle; those of objects have been looked at
        raise BadInput(f"scene: {str(error).splitlines()[0]}", where=str(scene.source)) from None
    check_solver(compiled)
    model = _collected(compiled, scene, masses, surfaces)
    _judge_start(model, scene)
    return model


def _collected(
    compiled: Any, scene: FloatingScene, masses: list[tuple[Array, Array]], surfaces: list[_Surface]
) -> FloatingModel:
    rough = np.array([surface.friction for surface in surfaces])
    return FloatingModel(
        compiled=compiled,
        mass_centre=np.array([centre for centre, _ in masses]),
        mass=np.array([table.mass_kg for table in scene.objects]),
        inertia=np.array([inertia for _, inertia in masses]),
        object_of_geom=np.array([surface.number for surface in surfaces], dtype=np.int64),
        friction=np.sqrt(np.outer(rough, rough)),
        names=tuple(surface.name for surface in surfaces),
    )


def _add_fixed(spec: Any, scene: FloatingScene) -> list[_Surface]:
    import mujoco

    surfaces: list[_Surface] = []
    if scene.box is not None:
        centre, half = np.array(scene.box.centre_m), 0.5 * np.array(scene.box.size_m)
        for i, name in enumerate(WALLS):
            inward = np.zeros(3)
            inward[i // 2] = 1.0 if i % 2 == 0 else -1.0
            wall = spec.worldbody.add_geom(name=f"geom {len(surfaces)}", type=mujoco.mjtGeom.mjGEOM_PLANE)
            wall.pos, wall.size = centre - half * inward, (0.0, 0.0, 1.0)
            wall.alt.type, wall.alt.zaxis = mujoco.mjtOrientation.mjORIENTATION_ZAXIS, inward
            wall.contype = wall.conaffinity = 0
            surfaces.append(_Surface(name, scene.box.friction, scene.box.restitution, -1))
    for i, table in enumerate(scene.obstacles):
        name = f"obstacle {i + 1}" + (f" ({table.name})" if table.name else "")
        geom = add_geom(spec, spec.worldbody, f"geom {len(surfaces)}", table, scene.source, name)
        geom.pos, geom.quat = table.place_m, start_quat(table)
        surfaces.append(_Surface(name, table.friction, table.restitution, -1))
    return surfaces


def _add_object(spec: Any, scene: FloatingScene, i: int, centre: Array, inertia: Array) -> None:
    table, quat = scene.objects[i], start_quat(scene.objects[i])
    body = spec.worldbody.add_body(name=f"object {i}", quat=quat)
    body.pos = np.array(table.place_m) + matrix_from_quat(quat) @ centre
    body.add_freejoint()
    body.mass, body.ipos, m = table.mass_kg, np.zeros(3), inertia
    body.fullinertia = [m[0, 0], m[1, 1], m[2, 2], m[0, 1], m[0, 2], m[1, 2]]
    body.explicitinertial = True
    geom = add_geom(spec, body, f"geom {len(spec.geoms)}", table, scene.source, scene.key(i))
    geom.pos = -centre


def _add_pairs(spec: Any, surfaces: list[_Surface], omega: float) -> None:
    """Everything that floats with everything else; without friction, which is ours (``contact_friction.py``)."""
    for j, two in enumerate(surfaces):
        for i, one in enumerate(surfaces[:j]):
            if two.number < 0:  # objects stand last
                continue
            stiffness, damping = spring_and_damper(min(one.restitution, two.restitution), omega)
            pair = spec.add_pair(geomname1=f"geom {i}", geomname2=f"geom {j}", condim=1)
            pair.solref, pair.solimp = (-stiffness, -damping), contact_impedance()  # negative: as they are


def _judge_start(model: FloatingModel, scene: FloatingScene) -> None:
    """Nothing may begin inside something else."""
    import mujoco

    data = mujoco.MjData(model.compiled)
    mujoco.mj_fwdPosition(model.compiled, data)
    depth = -data.contact.dist
    if not len(depth) or depth.max() <= OVERLAP:
        judge_capsules(scene)
        return
    # MuJoCo sorts the two by their shapes; objects stand last among ours.
    fixed, floats = sorted(int(g) for g in data.contact.geom[int(np.argmax(depth))])
    what = f"{model.names[floats]}.place_m: starts {1e3 * depth.max():.3g} mm inside {model.names[fixed]}"
    place = list(scene.objects[int(model.object_of_geom[floats])].place_m)
    raise BadInput(what, where=str(scene.source), value=place, bound="no overlap at the start")

"""What stands around the robots in a picture: floor, walls, pedestal, lamps by eye, the fence where the cell has it."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from proxops.lab import hall_plan as plan
from proxops.lab.hall_file import Fence

GROUP = 2
BACKGROUND = ("floor", "wall behind", "wall beside")  # geoms that stand behind all the others
Vector = Sequence[float]

_DARK, _STEEL = (0.12, 0.12, 0.13, 1.0), (0.33, 0.34, 0.36, 1.0)


def add_scenery(
    mujoco: Any, spec: Any, floor_z: float, fence: Fence, lamp_beam: tuple[NDArray[np.float64], NDArray[np.float64]]
) -> None:
    """Everything round the robots; `fence` is the cell's, `lamp_beam` as `hall_plan` has it. `mujoco` is handed in: heavy
    imports are late."""
    _add_sky(mujoco, spec)
    _add_floor(mujoco, spec, floor_z)
    _add_walls(mujoco, spec, floor_z)
    _add_fence(mujoco, spec, floor_z, fence)
    _add_lights(mujoco, spec)
    _add_sun_simulator(mujoco, spec, floor_z, *lamp_beam)


def add_pedestal(mujoco: Any, spec: Any, xy: Vector, floor_z: float, top_z: float) -> None:
    """Steel block with a foot plate, from the floor to the base plane of a robot."""
    half = 0.5 * (top_z - floor_z)
    side = plan.PEDESTAL_HALF
    _box(mujoco, spec, (*xy, floor_z + half), (side, side, half), _STEEL)
    _box(mujoco, spec, (*xy, floor_z + 0.015), (side + 0.15, side + 0.15, 0.015), _DARK)


def _add_sky(mujoco: Any, spec: Any) -> None:
    spec.add_texture(
        name="sky",
        type=mujoco.mjtTexture.mjTEXTURE_SKYBOX,
        builtin=mujoco.mjtBuiltin.mjBUILTIN_GRADIENT,
        rgb1=(0.05, 0.055, 0.07),
        rgb2=(0.015, 0.015, 0.02),
        width=256,
        height=256,
    )


def _add_floor(mujoco: Any, spec: Any, floor_z: float) -> None:
    """Concrete with a one-metre grid."""
    spec.add_texture(
        name="floor",
        type=mujoco.mjtTexture.mjTEXTURE_2D,
        builtin=mujoco.mjtBuiltin.mjBUILTIN_FLAT,
        mark=mujoco.mjtMark.mjMARK_EDGE,
        rgb1=(0.23, 0.24, 0.26),
        markrgb=(0.29, 0.30, 0.32),
        width=512,
        height=512,
    )
    material = spec.add_material(name="floor", texrepeat=(1.0, 1.0), texuniform=True)
    material.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = "floor"
    half_x, half_y = _half_floor()
    centre = (plan.WALL_X + half_x, plan.WALL_Y - half_y, floor_z - 0.05)
    floor = _box(mujoco, spec, centre, (half_x, half_y, 0.05), (1.0, 1.0, 1.0, 1.0))
    floor.name, floor.material = BACKGROUND[0], "floor"


def _add_walls(mujoco: Any, spec: Any, floor_z: float) -> None:
    """Only the two walls behind the scene, so that the camera never looks through one."""
    paint, half_z = (0.13, 0.14, 0.17, 1.0), 0.5 * plan.WALL_HEIGHT
    half_x, half_y = _half_floor()
    behind = (plan.WALL_X + half_x, plan.WALL_Y + 0.05, floor_z + half_z), (half_x, 0.05, half_z)
    beside = (plan.WALL_X - 0.05, plan.WALL_Y - half_y, floor_z + half_z), (0.05, half_y, half_z)
    for name, (centre, half_size) in zip(BACKGROUND[1:], (behind, beside), strict=True):
        _box(mujoco, spec, centre, half_size, paint).name = name


def _half_floor() -> tuple[float, float]:
    return 0.5 * (plan.HALL_END_X - plan.WALL_X), 0.5 * (plan.WALL_Y - plan.OPEN_SIDE_Y)


def _add_fence(mujoco: Any, spec: Any, floor_z: float, fence: Fence) -> None:
    """Protective fence along the two walls: posts and wires. The near side is left open for the view."""
    post, wire, top = (0.78, 0.62, 0.08, 1.0), (0.34, 0.35, 0.36, 1.0), floor_z + plan.FENCE_HEIGHT
    for x, y in plan.fence_posts(fence):
        _rod(mujoco, spec, (x, y, floor_z), (x, y, top), 0.03, post)
    for z in np.linspace(floor_z + 0.2, top, 7):
        for start, end in plan.fence_lines(fence):
            _rod(mujoco, spec, (*start, z), (*end, z), 0.007, wire)


def _add_lights(mujoco: Any, spec: Any) -> None:
    """One key light that throws shadows and one weak fill."""
    for direction, strength, shadow in (((-0.45, 0.5, -1.0), 0.62, True), ((0.6, 0.35, -0.5), 0.28, False)):
        spec.worldbody.add_light(
            type=mujoco.mjtLightType.mjLIGHT_DIRECTIONAL,
            pos=(4.0, -3.0, 5.0),
            dir=direction,
            castshadow=shadow,
            diffuse=(strength,) * 3,
            specular=(0.15, 0.15, 0.15),
        )


def _add_sun_simulator(
    mujoco: Any, spec: Any, floor_z: float, head: NDArray[np.float64], beam: NDArray[np.float64]
) -> None:
    """A floodlight on a tripod behind the rail, turned to robot 2's mock-up. It lights nothing."""
    hub, foot = (np.array((head[0], head[1], z)) for z in (floor_z + 0.9, floor_z))
    _rod(mujoco, spec, hub, head, 0.04, _DARK)
    for angle in np.radians((90.0, 210.0, 330.0)):
        tip = np.array((0.6 * np.cos(angle), 0.6 * np.sin(angle), 0.03))
        _rod(mujoco, spec, hub, tip + foot, 0.025, _DARK)
    drum = mujoco.mjtGeom.mjGEOM_CYLINDER
    _round(spec, drum, head - 0.25 * beam, head + 0.25 * beam, 0.30, (0.20, 0.21, 0.24, 1.0))
    _round(spec, drum, head + 0.25 * beam, head + 0.26 * beam, 0.26, (1.0, 0.97, 0.88, 1.0))


def _box(mujoco: Any, spec: Any, centre: Vector, half_size: Vector, rgba: Vector) -> Any:
    box = mujoco.mjtGeom.mjGEOM_BOX
    return spec.worldbody.add_geom(
        type=box, pos=centre, size=half_size, rgba=rgba, group=GROUP, contype=0, conaffinity=0
    )


def _rod(mujoco: Any, spec: Any, start: Any, end: Any, radius: float, rgba: Vector) -> None:
    _round(spec, mujoco.mjtGeom.mjGEOM_CAPSULE, start, end, radius, rgba)


def _round(spec: Any, shape: Any, start: Any, end: Any, radius: float, rgba: Vector) -> None:
    spec.worldbody.add_geom(
        type=shape,
        fromto=(*start, *end),
        size=(radius, 0.0, 0.0),
        rgba=rgba,
        group=GROUP,
        contype=0,
        conaffinity=0,
    )

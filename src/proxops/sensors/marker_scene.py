"""What the marker camera looks at, as MuJoCo draws it: a piece of a station's outer wall with marker and handrail.

Everything stands still in the marker frame (core/camera.py), which is MuJoCo's world here: only the camera moves, so that
single-precision graphics never see orbital distances. Lengths in metres.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from proxops.core.camera import QUIET_CELLS, CameraSpec, MarkerSpec, aruco_dictionary, marker_cells

EYE = "eye"
P_MARKER_RAIL = (0.0, -0.25, 0.06)  # middle of the handrail, which lies along x
RAIL_LENGTH, RAIL_RADIUS = 0.60, 0.016
PLATE = 0.004  # thickness of the marker's plate; the wall begins behind it
WALL = (0.70, 0.50, 0.02)  # half sides
SUN_IN_MARKER = (0.4, 0.7, 1.0)  # where the Sun stands: the rail's shadow falls down, away from the marker
TEXELS = 64  # per cell: finer than the pixels down to 0.25 m, where the whole marker no longer fits the image
DARK, BRIGHT = 18, 235  # grey of the marker's ink and paper: printed black is not black


def build_scene(camera: CameraSpec, marker: MarkerSpec, sun: tuple[float, float, float] = SUN_IN_MARKER) -> Any:
    """The compiled `mujoco.MjModel`; its mocap body carries the camera "eye" (MuJoCo's: it looks along -z, y is up)."""
    import mujoco

    spec = mujoco.MjSpec()
    spec.modelname = "marker"
    _set_look(spec, camera)
    _add_sun(mujoco, spec, sun)
    _add_plate(mujoco, spec, marker)
    _add_wall_and_rail(mujoco, spec)
    eye = spec.worldbody.add_body(name=EYE, mocap=True)
    eye.add_camera(name=EYE, fovy=camera.vertical_fov_deg)
    return spec.compile()


def marker_picture(marker: MarkerSpec, texels: int) -> NDArray[np.uint8]:
    """The plate as printed, quiet zone included, ``texels`` to a cell; first row at the top."""
    import cv2

    table = aruco_dictionary(marker)
    code = cv2.aruco.generateImageMarker(table, marker.number, marker_cells(table))
    plate = np.pad(code, QUIET_CELLS, constant_values=255).repeat(texels, axis=0).repeat(texels, axis=1)
    return np.where(plate > 0, BRIGHT, DARK).astype(np.uint8)


def _set_look(spec: Any, camera: CameraSpec) -> None:
    """Black space, no headlight, a little light from all sides so that shade is not black. The texture is filtered by
    MuJoCo (mip-maps), which puts the marker's edges right to a hundredth of a pixel; multisampling would not improve
    them and costs time, and a larger shadow map costs three times the whole rest."""
    look = spec.visual
    look.global_.offwidth, look.global_.offheight = camera.width, camera.height
    look.quality.offsamples, look.quality.shadowsize = 0, 1024
    look.headlight.ambient = (0.12, 0.12, 0.12)
    look.headlight.diffuse = look.headlight.specular = (0.0, 0.0, 0.0)
    spec.stat.extent, spec.stat.center = 1.0, (0.0, 0.0, 0.0)
    look.map.znear, look.map.zfar = 0.02, 50.0  # in units of the extent


def _add_sun(mujoco: Any, spec: Any, sun: tuple[float, float, float]) -> None:
    toward = np.array(sun) / np.linalg.norm(sun)
    light = spec.worldbody.add_light(pos=2.0 * toward, dir=-toward, castshadow=True)
    light.type = mujoco.mjtLightType.mjLIGHT_DIRECTIONAL
    light.diffuse, light.specular, light.ambient = (0.8, 0.8, 0.8), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)


def _add_plate(mujoco: Any, spec: Any, marker: MarkerSpec) -> None:
    """A slab with its front in the plane z = 0. Its own mesh, because only a mesh says which texel lies where."""
    picture = marker_picture(marker, TEXELS)
    rgb = picture[:, :, None].repeat(3, axis=2)
    texture = spec.add_texture(name="code", type=mujoco.mjtTexture.mjTEXTURE_2D, nchannel=3)
    texture.width = texture.height = len(picture)
    texture.data = rgb.tobytes()
    paper = spec.add_material(name="paper", specular=0.0, shininess=0.0)
    paper.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = "code"
    cells = len(picture) // TEXELS
    h = 0.5 * marker.side_m * cells / (cells - 2 * QUIET_CELLS)
    square = np.array([[-h, -h], [h, -h], [h, h], [-h, h]])
    mesh = spec.add_mesh(name="plate")
    mesh.uservert = np.vstack([np.c_[square, np.zeros(4)], np.c_[square, np.full(4, -PLATE)]]).ravel()
    mesh.usernormal = np.repeat([[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]], 4, axis=0).ravel()
    mesh.usertexcoord = np.tile([0.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0], 2)  # first row of the picture at the top
    sides = [f for i in range(4) for f in (i, i + 4, (i + 1) % 4, (i + 1) % 4, i + 4, (i + 1) % 4 + 4)]
    mesh.userface = [0, 1, 2, 0, 2, 3, 4, 6, 5, 4, 7, 6, *sides]
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_MESH, meshname="plate", material="paper")


def _add_wall_and_rail(mujoco: Any, spec: Any) -> None:
    for name, grey in (("wall", 0.42), ("rail", 0.75)):
        spec.add_material(name=name, rgba=(grey, grey, grey, 1.0), specular=0.0, shininess=0.0)
    box, capsule = mujoco.mjtGeom.mjGEOM_BOX, mujoco.mjtGeom.mjGEOM_CAPSULE
    spec.worldbody.add_geom(type=box, pos=(0.0, 0.0, -PLATE - WALL[2]), size=WALL, material="wall")
    x, y, z = P_MARKER_RAIL
    left, right = x - 0.5 * RAIL_LENGTH, x + 0.5 * RAIL_LENGTH
    for ends in ((left, y, z, right, y, z), (left, y, z, left, y, -PLATE), (right, y, z, right, y, -PLATE)):
        spec.worldbody.add_geom(type=capsule, fromto=ends, size=(RAIL_RADIUS, 0.0, 0.0), material="rail")

"""What a viewer of the log sees of a catch: an onlooker's camera, and where base, hand, handle and bar are.

The camera is no sensor: the flight software is told the handle's pose, with noise. Where the machine cannot draw there are frames
only.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import numpy as np

from proxops.applications.grasp.onlooker import onlooker
from proxops.applications.grasp.scene import PICTURE, mujoco_module
from proxops.applications.grasp.world import GraspWorld, WorldSnapshot
from proxops.arms.model import Floats
from proxops.core.camera import CameraSpec
from proxops.core.offscreen import PictureUnavailable, open_renderer
from proxops.ground.picture import encode_png
from proxops.ground.viewer_feed import FRAMES_HZ, ViewerFeed
from proxops.maths.pose import pose
from proxops.maths.rotation import matrix_from_quat

IMAGES_HZ: Final = (
    2.0  # 30 images of 60 kB in a catch: the log stays below twice its size, the run is slower by some percent
)
FRAMES: Final = tuple(("inertial", name) for name in ("base", "hand", "handle", "bar"))
SOON: Final = 1e-9  # s: times are sums of cycles


@contextmanager
def open_viewer(world: GraspWorld) -> Iterator[GraspViewer]:
    """Holds a GL context where there is one."""
    try:
        renderer = open_renderer(world.model, *PICTURE)
    except PictureUnavailable:
        yield GraspViewer(world, None)
        return
    try:
        yield GraspViewer(world, renderer)
    finally:
        renderer.close()


class GraspViewer:
    """``look`` at every row: it takes as much as the log is to have. It disturbs nothing: what is drawn is a copy."""

    def __init__(self, world: GraspWorld, renderer: Any) -> None:
        self._world, self._renderer = world, renderer
        width, height = PICTURE
        self.camera = CameraSpec(width, height, float(world.model.vis.global_.fovy))
        frames = (*FRAMES, ("inertial", "camera")) if renderer else FRAMES
        self.feed = ViewerFeed(frames, ("camera", self.camera) if renderer else None)
        self._mujoco = mujoco_module()
        self._data: Any = self._mujoco.MjData(world.model)
        self._T_camera: Floats | None = None  # in inertial axes, of the last image
        self._images = self._places = 0

    def look(self, t: float, now: WorldSnapshot) -> None:
        """``now``: of the world at ``t``."""
        if self._renderer and t >= self._images / IMAGES_HZ - SOON:
            self._images += 1
            self.feed.show(t, encode_png(self._drawn()))
        if t >= self._places / FRAMES_HZ - SOON:
            self._places += 1
            q, seen = self._world.q, () if self._T_camera is None else (self._T_camera,)
            base = pose(matrix_from_quat(np.array([q[6], q[3], q[4], q[5]])), q[:3])
            self.feed.place(t, (base, now.T_hand, self._world.handle_pose(), now.T_bar, *seen))

    def _drawn(self) -> Any:
        data, model = self._data, self._world.model
        data.qpos[:] = self._world.data.qpos
        self._mujoco.mj_kinematics(model, data)
        self._mujoco.mj_camlight(model, data)
        self._renderer.update_scene(data, camera=onlooker(self._mujoco, data, wide=True))
        self._T_camera = _pose_of(self._renderer.scene.camera)
        return self._renderer.render()


def _pose_of(eyes: Any) -> Floats:
    """(4, 4) of a camera in the frame in which MuJoCo draws: z into the image, y down. MuJoCo has two eyes in one place."""
    z, up = np.array(eyes[0].forward, float), np.array(eyes[0].up, float)
    z /= np.linalg.norm(z)
    x = np.cross(z, up)
    x /= np.linalg.norm(x)
    place = 0.5 * (np.array(eyes[0].pos, float) + np.array(eyes[1].pos, float))
    return pose(np.ascontiguousarray(np.column_stack([x, np.cross(z, x), z])), place)

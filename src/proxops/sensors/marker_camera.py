"""The camera that looks at a marker: two poses in, a grey image out, as MuJoCo draws it plus the sensor's noise.

The image obeys the pinhole of `CameraSpec.intrinsics` to a hundredth of a pixel (tests/sensors/test_marker_camera.py): neither
the pixels nor the texture are shifted by a half. Frames: core/camera.py.
"""

from __future__ import annotations

from types import TracebackType
from typing import Self

import numpy as np
from numpy.typing import NDArray

from proxops.core.camera import CameraSpec, MarkerSpec
from proxops.core.errors import BadInput
from proxops.core.offscreen import import_mujoco, open_renderer
from proxops.maths.pose import compose, inverse_pose, pose_from_packed
from proxops.maths.rotation import quat_from_matrix
from proxops.sensors.marker_scene import EYE, SUN_IN_MARKER, build_scene

R_CAMERA_EYE = np.diag([1.0, -1.0, -1.0])  # MuJoCo's cameras look along -z with y up


class MarkerCamera:
    """Holds a GL context: use it as a `with` block. ``sun_in_marker``: direction toward the Sun, which stays with the wall."""

    def __init__(
        self,
        camera: CameraSpec | None = None,
        marker: MarkerSpec | None = None,
        *,
        sun_in_marker: tuple[float, float, float] = SUN_IN_MARKER,
    ) -> None:
        self.camera, self.marker = camera or CameraSpec(), marker or MarkerSpec()
        self._mujoco = import_mujoco()
        self._model = build_scene(self.camera, self.marker, sun_in_marker)
        self._data = self._mujoco.MjData(self._model)
        self._renderer = open_renderer(self._model, self.camera.width, self.camera.height)

    def image(
        self, T_world_camera: NDArray[np.float64], T_world_marker: NDArray[np.float64], rng: np.random.Generator
    ) -> NDArray[np.uint8]:
        """Grey image (height, width). Poses packed x y z qw qx qy qz, in any common frame. The same generator in the same
        state gives the same image."""
        T_marker_camera = compose(inverse_pose(_pose(T_world_marker)), _pose(T_world_camera))
        self._data.mocap_pos[0] = T_marker_camera[:3, 3]
        self._data.mocap_quat[0] = quat_from_matrix(T_marker_camera[:3, :3] @ R_CAMERA_EYE)
        self._mujoco.mj_kinematics(self._model, self._data)
        self._mujoco.mj_camlight(self._model, self._data)
        self._renderer.update_scene(self._data, camera=EYE)
        grey = self._renderer.render()[:, :, 1]  # all materials are grey: any channel will do
        return noisy(grey, self.camera.noise, rng)

    def close(self) -> None:
        self._renderer.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def noisy(grey: NDArray[np.uint8], sigma: float, rng: np.random.Generator) -> NDArray[np.uint8]:
    """White noise of ``sigma`` grey levels in every pixel, then whole levels within 0…255."""
    if sigma == 0.0:
        return np.ascontiguousarray(grey)
    noise = rng.standard_normal(grey.shape, dtype=np.float32)
    return np.clip(np.rint(grey + np.float32(sigma) * noise), 0, 255).astype(np.uint8)


def _pose(packed: NDArray[np.float64]) -> NDArray[np.float64]:
    packed = np.ascontiguousarray(packed, dtype=np.float64)
    if packed.shape != (7,) or not np.all(np.isfinite(packed)) or not np.any(packed[3:]):
        raise BadInput("not a pose", where="marker camera", value=packed, bound="x y z qw qx qy qz, finite")
    return pose_from_packed(packed)

"""Pictures of the hall: thirteen axes in, pixels out. For reports, never for the tick."""

import struct
import zlib
from types import TracebackType
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from proxops.core.offscreen import import_mujoco, open_renderer
from proxops.ground.hall_scene import AXIS_NAMES, BACKGROUND, DRAWN_GROUPS, build_hall
from proxops.lab.cell import Cell

View = Literal["overview", "close"]
VIEWS: tuple[View, ...] = ("overview", "close")
FINER = 2  # pixels drawn for each that is shown, both ways: without a graphics card quicker than samples within a pixel
SHADOWS_UP_TO = 15.0  # camera distance [m]; beyond, the shadow map is too coarse and speckles the floor


class HallPicture:
    """The hall, built once and drawn as often as wanted. Holds a GL context: use it as a `with` block."""

    def __init__(self, cell: Cell, *, width: int = 1280, height: int = 720) -> None:
        self._mujoco = import_mujoco()
        self._model = build_hall(cell, FINER * width, FINER * height)
        self._data = self._mujoco.MjData(self._model)
        self._address = [int(self._model.joint(name).qposadr[0]) for name in AXIS_NAMES]
        self._background = {int(self._model.geom(name).id) for name in BACKGROUND}
        self._option = self._mujoco.MjvOption()
        self._option.geomgroup[:] = 0
        self._option.geomgroup[list(DRAWN_GROUPS)] = 1
        self._renderer = open_renderer(self._model, FINER * width, FINER * height)

    def render(self, axes: NDArray[np.float64], *, view: View = "overview") -> NDArray[np.uint8]:
        """The hall at `axes` (rail [m], robot 1 a1…a6 [rad], robot 2 a1…a6 [rad]): rows, columns, red green blue."""
        axes = _checked(axes)
        if view not in VIEWS:
            raise ValueError(f"view {view!r} is unknown; choose one of {', '.join(VIEWS)}")
        self._data.qpos[self._address] = axes
        self._mujoco.mj_kinematics(self._model, self._data)
        self._mujoco.mj_camlight(self._model, self._data)
        camera = self._camera(view)
        self._renderer.update_scene(self._data, camera=camera, scene_option=self._option)
        shadows = camera.distance < SHADOWS_UP_TO
        self._renderer.scene.flags[self._mujoco.mjtRndFlag.mjRND_SHADOW] = shadows
        if shadows:
            self._take_background_out_of_the_light()
        return _reduced(self._renderer.render())

    def _take_background_out_of_the_light(self) -> None:
        """Floor and walls throw no shadow that could be seen: without them the shadow map is mostly empty, and sooner drawn."""
        scene, decoration = self._renderer.scene, self._mujoco.mjtCatBit.mjCAT_DECOR
        for geom in scene.geoms[: scene.ngeom]:
            if geom.objtype == self._mujoco.mjtObj.mjOBJ_GEOM and geom.objid in self._background:
                geom.category = decoration

    def position(self, body: str) -> NDArray[np.float64]:
        """Where a body of the last picture stands, lab frame [m]: e.g. "robot1/flange", "client/port"."""
        return np.array(self._data.body(body).xpos)

    def close(self) -> None:
        self._renderer.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _camera(self, view: View) -> Any:
        """Three-quarter view from the open side; the distance follows how far apart the two robots are."""
        port1, port2 = self.position("servicer/port"), self.position("client/port")
        camera = self._mujoco.MjvCamera()
        if view == "close":
            camera.lookat[:] = 0.5 * (port1 + port2)
            camera.azimuth, camera.elevation = 118.0, -14.0
            camera.distance = 2.2 + 1.05 * float(np.linalg.norm(port1 - port2))
            return camera
        rail = float(self.position("rail/carriage")[0])
        camera.lookat[:] = (0.58 * rail, 0.6, -0.6)
        camera.azimuth, camera.elevation = 118.0, -15.0
        camera.distance = 3.9 + 0.95 * max(rail, 3.0)
        return camera


def _reduced(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Means of ``FINER`` x ``FINER`` pixels."""
    total = np.full((image.shape[0] // FINER, image.shape[1] // FINER, 3), FINER**2 // 2, np.uint16)  # for rounding
    for row in range(FINER):
        for column in range(FINER):
            total += image[row::FINER, column::FINER]
    out: NDArray[np.uint8] = (total // FINER**2).astype(np.uint8)
    return out


def encode_png(rgb: NDArray[np.uint8]) -> bytes:
    """8-bit RGB image (rows, columns, 3) as PNG (ISO/IEC 15948): header, one compressed block, end."""
    height, width, _ = rgb.shape
    rows = np.zeros((height, 1 + 3 * width), dtype=np.uint8)  # each row starts with filter type 0
    rows[:, 1:] = rgb.reshape(height, 3 * width)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows.tobytes(), 6)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body)) for kind, body in chunks
    )


def _checked(axes: NDArray[np.float64]) -> NDArray[np.float64]:
    axes = np.asarray(axes, dtype=np.float64)
    if axes.shape != (len(AXIS_NAMES),) or not np.all(np.isfinite(axes)):
        raise ValueError(f"axes must be {len(AXIS_NAMES)} finite numbers (rail m, then 2 x 6 rad), got {axes!r}")
    return axes

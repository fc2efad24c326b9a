"""The picture that a prediction leads one to expect: drawn as a sensor would see it, with what lies behind each pixel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from proxops.core.lens import Lens
from proxops.core.vision import Floats
from proxops.maths.pose import pose_from_packed
from proxops.onboard.vision.believed_surface import believed_surface
from proxops.optics.exposure import Exposure
from proxops.optics.render.distortion import lines_of_sight
from proxops.optics.render.fill import Ids
from proxops.optics.render.reflection import EXPONENT
from proxops.optics.render.renderer import Renderer
from proxops.optics.scene.light import Light
from proxops.optics.scene.mesh import Mesh
from proxops.optics.scene.scene import Scene
from proxops.optics.scene.tree import tree_of

Picture = NDArray[np.float32]
HERE: Final = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
Box = tuple[int, int, int, int]
"""First row and column of pixels, and one past the last."""


@dataclass(frozen=True, eq=False)
class ExpectedPicture:
    """Of the pixels of ``box``, which is empty if nothing is in view."""

    T_sensor_target: Floats  # (7) in the middle of the exposure
    box: Box
    radiance: Picture  # W/m²/sr, mean over the exposure
    ids: Ids  # triangle that the pixel's middle sees, -1: none
    nearness: Picture  # 1 / z of it

    @property
    def pixels(self) -> int:
        """That the client covers."""
        return int(np.count_nonzero(self.ids >= 0))


class Draughtsman:
    """Draws one client through one lens. The frame of its scene is the sensor's."""

    def __init__(self, lens: Lens, client: Mesh) -> None:
        self.lens = lens
        scene = Scene.of([("client", believed_surface(client))])
        tree = tree_of(scene)
        self._renderer = Renderer(scene, tree, lens)
        self.triangles = self._renderer.surfaces.triangles  # a row for each: ``optics/render/surfaces.py``
        self._known = self._renderer.surfaces.materials.copy()
        self.x, self.y = lines_of_sight(lens)
        self.box_m = tree.body_boxes[0]
        self.radius_m = 0.5 * float(np.linalg.norm(self.box_m[3:] - self.box_m[:3]))

    def middle(self, T_sensor_target: Floats) -> Floats:
        """(3) m of the client's box, in the sensor's frame."""
        T = pose_from_packed(T_sensor_target)
        return np.asarray(T[:3, :3] @ (0.5 * (self.box_m[:3] + self.box_m[3:])) + T[:3, 3])

    @property
    def materials(self) -> int:
        return len(self._known)

    def draw(
        self, T_sensor_target: Floats, lights: tuple[Light, ...], margin: int, gains: Floats | None = None
    ) -> ExpectedPicture:
        """``margin``: pixels round the client that belong to the box; ``gains``: so many times brighter each material is than
        known."""
        times = 1.0 if gains is None else gains[:, None]
        self._renderer.surfaces.materials[:, :EXPONENT] = self._known[:, :EXPONENT] * times
        exposure = Exposure(0, 0, 0.0, 1.0, 0.0, T_sensor_target[None, None], HERE[None], lights, None)
        radiance = self._renderer.radiance(exposure)
        ids, nearness, rows = self._renderer.nearest(exposure)
        top, left, bottom, right = rows
        box = (
            max(top - margin, 0), max(left - margin, 0),
            min(bottom + margin, self.lens.height), min(right + margin, self.lens.width),
        ) if bottom > top and right > left else (0, 0, 0, 0)  # fmt: skip
        pads = ((top - box[0], box[2] - bottom), (left - box[1], box[3] - right)) if box[2] else ((0, 0), (0, 0))
        return ExpectedPicture(
            T_sensor_target, box, radiance[box[0] : box[2], box[1] : box[3]].copy(),
            np.pad(ids, pads, constant_values=-1), np.pad(nearness, pads),
        )  # fmt: skip


def smoothed(picture: Picture, sigma_px: float) -> Picture:
    """By a Gaussian."""
    return np.asarray(cv2.GaussianBlur(picture, (0, 0), sigma_px, borderType=cv2.BORDER_REPLICATE), np.float32)

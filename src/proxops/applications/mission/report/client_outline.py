"""Where the client must stand in a picture, by its true pose: the drawing of it alone, through the sensor's lens."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from proxops.core.lens import Lens
from proxops.ground.recorded import Floats
from proxops.optics.exposure import Exposure
from proxops.optics.render.renderer import Renderer
from proxops.optics.scene.mesh import Mesh
from proxops.optics.scene.scene import Scene
from proxops.optics.scene.tree import tree_of

EDGE: Final = 2  # px beside its rim that count as neither client nor surroundings
HERE: Final = np.array([[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]])
Mask = NDArray[np.bool_]


class ClientOutline:
    """Of a client (mesh in the target's frame) through a lens."""

    def __init__(self, client: Mesh, lens: Lens) -> None:
        scene = Scene.of([("client", client)])
        self.lens, self._renderer = lens, Renderer(scene, tree_of(scene), lens)

    def ranges(self, T_sensor_target: Floats) -> Floats:
        """(h, w) m along each line of sight; inf beside the client. Pose packed."""
        exposure = Exposure(0, 0, 0.0, 0.0, 0.0, T_sensor_target[None, None], HERE, (), None)
        return np.asarray(self._renderer.depth(exposure, 1)[0][:, :, 0], np.float64)


def inside(outline: Mask) -> Mask:
    """Surely client."""
    return np.asarray(cv2.erode(outline.astype(np.uint8), _square(), iterations=EDGE), bool)


def beside(outline: Mask) -> Mask:
    """Surely not."""
    return ~widened(outline)


def widened(outline: Mask) -> Mask:
    return np.asarray(cv2.dilate(outline.astype(np.uint8), _square(), iterations=EDGE), bool)


def middle_of(mask: Mask) -> Floats:
    """(2) px, column and row; NaN of nothing."""
    rows, columns = np.nonzero(mask)
    return np.array([columns.mean(), rows.mean()]) if rows.size else np.full(2, np.nan)


def _square() -> NDArray[np.uint8]:
    return np.ones((3, 3), np.uint8)

"""An ArUco marker as a plate that any renderer can draw: black and white cells instead of a texture.

Marker frame (core/camera.py): origin in the middle, x right, y up, z out of the plate toward the viewer. Neighbouring cells share
their corners, so that no light shines through between them.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.camera import QUIET_CELLS, MarkerSpec, aruco_dictionary, marker_cells
from proxops.optics.scene.material import Material
from proxops.optics.scene.mesh import Mesh, flat, joined

PLATE_M: Final = 0.004  # thickness: the front is at z = 0, the back behind it
# ASSUMED: matt paper and matt ink; printed black is not black, and less so in the infrared.
PAPER: Final = Material("marker_paper", albedo=0.8, infrared=0.8)
INK: Final = Material("marker_ink", albedo=0.05, infrared=0.1)

Floats = NDArray[np.float64]


def marker_mesh(marker: MarkerSpec, paper: Material = PAPER, ink: Material = INK) -> Mesh:
    """A closed plate with the marker and its white rim on the front."""
    white = printed(marker)
    places, cells = _front(len(white), marker.side_m / (len(white) - 2 * QUIET_CELLS))
    white_cells, black_cells = cells[white].reshape(-1, 3), cells[~white].reshape(-1, 3)
    return joined([flat(places, white_cells, paper), flat(places, black_cells, ink), _behind(places, paper)])


def printed(marker: MarkerSpec) -> NDArray[np.bool_]:
    """(n, n) cells of the plate, rim included, true where white; first row at the top."""
    import cv2

    table = aruco_dictionary(marker)
    code = cv2.aruco.generateImageMarker(table, marker.number, marker_cells(table))
    return np.pad(code, QUIET_CELLS, constant_values=255) > 0


def _front(n: int, cell_m: float) -> tuple[Floats, NDArray[np.int32]]:
    """Corners ((n + 1)², 3), row by row from the top left; and (n, n, 2, 3) the two triangles of each cell."""
    line = (np.arange(n + 1) - 0.5 * n) * cell_m
    x, y = np.meshgrid(line, -line)
    places = np.stack((x, y, np.zeros_like(x)), axis=-1).reshape(-1, 3)
    row, column = np.meshgrid(np.arange(n), np.arange(n), indexing="ij")
    top_left = row * (n + 1) + column
    top_right, bottom_left, bottom_right = top_left + 1, top_left + n + 1, top_left + n + 2
    lower = np.stack((top_left, bottom_left, bottom_right), axis=-1)
    upper = np.stack((top_left, bottom_right, top_right), axis=-1)
    return places, np.stack((lower, upper), axis=2).astype(np.int32)


def _behind(front: Floats, material: Material) -> Mesh:
    """Back and sides."""
    (left, bottom), (right, top) = front[:, :2].min(axis=0), front[:, :2].max(axis=0)
    square = np.array([[left, bottom], [right, bottom], [right, top], [left, top]])
    corners = np.vstack((np.c_[square, np.zeros(4)], np.c_[square, np.full(4, -PLATE_M)]))
    back = [(4, 6, 5), (4, 7, 6)]
    sides = [t for i in range(4) for t in ((i, i + 4, (i + 1) % 4 + 4), (i, (i + 1) % 4 + 4, (i + 1) % 4))]
    return flat(corners, np.array(back + sides, np.int32), material)

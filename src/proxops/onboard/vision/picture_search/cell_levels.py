"""The picture's oriented gradients at many sizes: as they would be if the client stood at one of many distances."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from proxops.core.lens import Lens
from proxops.onboard.vision.picture_search.bright_region import BrightRegion, Picture
from proxops.onboard.vision.picture_search.edge_cells import WAYS, Floats32, cells_everywhere
from proxops.onboard.vision.picture_search.known_shape import GRID, KnownShape

STEP: Final = 1.03  # from one distance to the next
SMALLEST, LARGEST = 0.22, 0.75  # of the client's size, that the extent of its bright part may be
ROUND_IT: Final = 3.5  # extents to either side of its middle, in which the client lies


@dataclass(frozen=True, eq=False)
class CellLevels:
    """``cells`` (d, h, w, WAYS) of each distance; its pixel (i, j) is the picture's ``corner`` + (i, j - ``border``) / zoom."""

    distances: Floats32  # (d)
    zoom: Floats32  # (d) px there for one of the picture
    cells: Floats32
    corner: tuple[float, float]
    border: int


def distances_of(region: BrightRegion, lens: Lens, shape: KnownShape, near: float, far: float) -> tuple[float, float]:
    """Between ``near`` and ``far`` metres, as far as the region's size allows."""
    size = 0.5 * (lens.fx + lens.fy) * shape.radius / region.extent
    least = max(SMALLEST * size, near)
    return least, max(min(LARGEST * size, far), 1.01 * least)


def cell_levels(
    picture: Picture, region: BrightRegion, half: float, lens: Lens, shape: KnownShape, least: float, most: float
) -> CellLevels:
    """Between ``least`` and ``most`` metres; of the picture ``half`` px each way from the region's middle."""
    focal = 0.5 * (lens.fx + lens.fy)
    count = max(1, math.ceil(math.log(most / least) / math.log(STEP))) + 1
    distances = least * (most / least) ** (np.arange(count) / (count - 1))
    zoom = distances / (focal * shape.pitch)
    u, v = region.middle
    root = np.sqrt(np.clip((picture - region.dark) / region.white, 0.0, 1.0))  # before smoothing: edges stay in place
    border = GRID // 2 + 4
    size = math.ceil(2.0 * half * float(zoom[-1])) + 2 * border
    cells = np.zeros((count, size, size, WAYS), np.float32)
    corner = u - half, v - half
    for k, z in enumerate(zoom):
        n = math.ceil(2.0 * half * z) + 1
        blurred = cv2.GaussianBlur(root, (0, 0), max(0.4 / z, 0.3)) if z < 1.0 else root
        M = np.array([[1.0 / z, 0.0, corner[0]], [0.0, 1.0 / z, corner[1]]])
        small = cv2.warpAffine(
            blurred, M, (n, n), flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP, borderMode=cv2.BORDER_REPLICATE
        )
        wide = np.pad(cells_everywhere(small), ((8, 8), (8, 8), (0, 0)))
        at = border
        cells[k, at : at + n, at : at + n] = wide[8 : 8 + n, 8 : 8 + n]
    return CellLevels(distances.astype(np.float32), zoom.astype(np.float32), cells, corner, border)

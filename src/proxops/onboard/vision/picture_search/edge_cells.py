"""Oriented gradients in cells: by what a sketch and a picture are compared.

Of the square root of the brightness (so that dark parts count), relative to what is bright. Each gradient goes, with its
strength, to the two nearest of eight directions and to the four nearest cells. Two sets of cells a, b are alike by

    Σ √(a b) / √(Σ a Σ b)          (Bhattacharyya 1943; the roots are kept, so that this is a cosine)
"""

from __future__ import annotations

import math
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from proxops.maths.kernel import kernel

Floats32 = NDArray[np.float32]
WAYS: Final = 8  # directions of a gradient
CELL: Final = 4  # px between cells
STRONGEST: Final = 0.35  # of a gradient of the square root, per pixel


@kernel
def put_cells(level: Floats32, white: float, roll: float, cells: Floats32) -> float:
    """``level`` (n, n) turned by ``roll`` about its middle becomes cells (m, m, WAYS), their roots, of length one. Returns how
    strong they were in all."""
    n, m = level.shape[0], cells.shape[0]
    c, s = math.cos(roll), math.sin(roll)
    cells[:] = 0.0
    for j in range(1, n - 1):
        for i in range(1, n - 1):
            gx = 0.5 * (_root(level[j, i + 1], white) - _root(level[j, i - 1], white))
            gy = 0.5 * (_root(level[j + 1, i], white) - _root(level[j - 1, i], white))
            strength = math.sqrt(gx * gx + gy * gy)
            if strength < 0.01:
                continue
            way = (math.atan2(gy, gx) + roll) * WAYS / (2.0 * math.pi)
            x, y = i - 0.5 * (n - 1), j - 0.5 * (n - 1)
            _add(
                cells, (c * x - s * y) / CELL + 0.5 * (m - 1), (s * x + c * y) / CELL + 0.5 * (m - 1), way,
                min(strength, STRONGEST),
            )  # fmt: skip
    total = 0.0
    for value in cells.flat:
        total += float(value)
    if total <= 0.0:
        return 0.0
    scale = 1.0 / total
    for j in range(m):
        for i in range(m):
            for k in range(WAYS):
                cells[j, i, k] = math.sqrt(cells[j, i, k] * scale)
    return total


@kernel
def _root(level: float, white: float) -> float:
    return math.sqrt(min(max(level / white, 0.0), 1.0))


@kernel
def _add(cells: Floats32, x: float, y: float, way: float, strength: float) -> None:
    i, j, k = math.floor(x), math.floor(y), math.floor(way)
    a, b, c = x - i, y - j, way - k
    first, second = k % WAYS, (k + 1) % WAYS
    for down in range(2):
        for right in range(2):
            if 0 <= j + down < cells.shape[0] and 0 <= i + right < cells.shape[1]:
                share = strength * (b if down else 1.0 - b) * (a if right else 1.0 - a)
                cells[j + down, i + right, first] += share * (1.0 - c)
                cells[j + down, i + right, second] += share * c


def cells_everywhere(root: Floats32) -> Floats32:
    """(h, w, WAYS): the roots of what a cell in the middle of each pixel would have. ``root`` (h, w) of the level, 0 … 1."""
    gx, gy = np.zeros_like(root), np.zeros_like(root)
    gx[:, 1:-1] = 0.5 * (root[:, 2:] - root[:, :-2])
    gy[1:-1] = 0.5 * (root[2:] - root[:-2])
    strength = np.hypot(gx, gy)
    strength = np.where(strength < 0.01, 0.0, np.minimum(strength, STRONGEST)).astype(np.float32)
    way = np.arctan2(gy, gx) * (WAYS / (2.0 * math.pi))
    tent = np.concatenate([np.arange(1, CELL + 1), np.arange(CELL - 1, 0, -1)]).astype(np.float32) / CELL
    out = np.empty((*root.shape, WAYS), np.float32)
    for k in range(WAYS):
        off = np.abs((way - k + 0.5 * WAYS) % WAYS - 0.5 * WAYS)
        share = strength * np.clip(1.0 - off, 0.0, None).astype(np.float32)
        out[:, :, k] = np.sqrt(np.maximum(cv2.sepFilter2D(share, -1, tent, tent, borderType=cv2.BORDER_CONSTANT), 0.0))
    return out

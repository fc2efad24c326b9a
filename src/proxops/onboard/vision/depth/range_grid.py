"""What a depth image or a scan has in each direction: nearest and farthest range in the cells of a grid on the plane z = 1.

It answers what single points cannot: whether a beam went on through where the model should have stopped it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from proxops.core.imaging_table import ImagingSensor, LidarSensor
from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array
from proxops.onboard.vision.depth.beams import Beams
from proxops.optics.render.distortion import lines_of_sight

CELL_BEAMS: Final = 1.25  # beams across a cell of a scan
CELL_PIXELS: Final = 2.0
WIDEST: Final = math.tan(math.radians(62.0))
MOST_CELLS: Final = 400  # across


@dataclass(frozen=True, eq=False)
class RangeGrid:
    """``near``, ``far`` (rows, columns) m: of a cell; inf and 0: nothing came back. ``near3``, ``far3``: with its neighbours."""

    frame: Array  # (3) least x and y of the plane z = 1, and the cells' size
    near: Array
    far: Array
    near3: Array
    far3: Array

    @property
    def arrays(self) -> tuple[Array, Array, Array, Array, Array]:
        return self.frame, self.near, self.far, self.near3, self.far3


def cell_of(sensor: ImagingSensor, beams: Beams) -> float:
    """Size of the cells: so that those on a surface are not empty."""
    return (CELL_PIXELS if sensor.gives == "tof" else CELL_BEAMS) * beams.apart_rad


def limits_of(sensor: ImagingSensor, beams: Beams) -> Array:
    """Least x, y and greatest x, y of the view on the plane z = 1; of a scanner that is not known, of what it has seen."""
    if isinstance(sensor, LidarSensor):
        wide, high = (min(math.tan(0.5 * math.radians(angle)), WIDEST) for angle in sensor.field_of_view_deg)
        return np.array([-wide, -high, wide, high])
    if sensor.gives == "tof" and sensor.lens is not None:
        x, y = lines_of_sight(sensor.lens)
        return np.array([x[:, 0].max(), y[0].max(), x[:, -1].min(), y[-1].min()])
    x, y = _plane(beams.end)
    if len(x) == 0:
        return np.array([-0.1, -0.1, 0.1, 0.1])
    return np.asarray(np.clip(np.array([x.min(), y.min(), x.max(), y.max()]), -WIDEST, WIDEST))


def range_grid(beams: Beams, cell: float, limits: Array) -> RangeGrid:
    """Of all beams that look ahead."""
    end = beams.end[beams.end[:, 2] > 0.05 * np.linalg.norm(beams.end, axis=1)]
    cell = max(cell, float(np.max(limits[2:] - limits[:2])) / MOST_CELLS)
    columns, rows = (max(int(n), 3) for n in (limits[2:] - limits[:2]) / cell)
    frame = np.array([limits[0], limits[1], cell])
    near, far = np.full((rows, columns), np.inf), np.zeros((rows, columns))
    _sort_in(frame, end, near, far)
    near3, far3 = near.copy(), far.copy()
    for dj in (-1, 0, 1):
        for di in (-1, 0, 1):
            here, there = _overlap(rows, dj), _overlap(columns, di)
            to, source = (here[0], there[0]), (here[1], there[1])
            np.minimum(near3[to], near[source], out=near3[to])
            np.maximum(far3[to], far[source], out=far3[to])
    return RangeGrid(frame, near, far, near3, far3)


def _overlap(count: int, off: int) -> tuple[slice, slice]:
    """Of a row and of the same row moved."""
    return slice(max(0, -off), count - max(0, off)), slice(max(0, off), count - max(0, -off))


def _plane(end: Array) -> tuple[Array, Array]:
    ahead = end[end[:, 2] > 1e-6]
    return ahead[:, 0] / ahead[:, 2], ahead[:, 1] / ahead[:, 2]


@kernel
def _sort_in(frame: Array, end: Array, near: Array, far: Array) -> None:
    for k in range(end.shape[0]):
        x, y, z = end[k, 0], end[k, 1], end[k, 2]
        i, j = int((x / z - frame[0]) / frame[2]), int((y / z - frame[1]) / frame[2])
        if 0 <= i < near.shape[1] and 0 <= j < near.shape[0]:
            r = math.sqrt(x * x + y * y + z * z)
            near[j, i] = min(near[j, i], r)
            far[j, i] = max(far[j, i], r)

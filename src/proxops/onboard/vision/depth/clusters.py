"""What stands together in a range grid: neighbouring cells whose ranges differ little are one thing.

A client in orbit is one thing, or some. In a hall it hangs at a robot, before walls: larger things are looked at in pieces.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array
from proxops.onboard.vision.depth.range_grid import RangeGrid

LINK_M: Final = 0.35  # between neighbours of one thing; and a share of the range
LINK_SHARE: Final = 0.02
FEWEST: Final = 5  # cells


@dataclass(frozen=True, eq=False)
class Cluster:
    places: Array  # (n, 3) m, one for each cell

    @property
    def middle(self) -> Array:
        return np.asarray(np.median(self.places, axis=0))

    @property
    def size_m(self) -> float:
        """Of the box round it, its longest side."""
        return float(np.ptp(self.places, axis=0).max())


def clusters(grid: RangeGrid) -> list[Cluster]:
    """The largest first."""
    rows, columns = grid.near.shape
    label = np.full((rows, columns), -1, np.int32)
    count = _label(grid.near, LINK_M, LINK_SHARE, label, np.empty(rows * columns, np.int32))
    x, y, cell = grid.frame
    v, u = np.nonzero(label >= 0)
    sight = np.stack([x + (u + 0.5) * cell, y + (v + 0.5) * cell, np.ones(len(u))], axis=1)
    places = sight / np.linalg.norm(sight, axis=1, keepdims=True) * grid.near[v, u][:, None]
    number = label[v, u]
    found = [Cluster(places[number == k]) for k in range(count) if np.count_nonzero(number == k) >= FEWEST]
    return sorted(found, key=lambda one: -len(one.places))


def parts_about(found: list[Cluster], middle: Array, reach_m: float) -> list[Cluster]:
    """What lies within ``reach_m`` of a place, without the rest: a client that hangs at a wall is one thing with it. The largest
    first."""
    parts = [Cluster(one.places[np.linalg.norm(one.places - middle, axis=1) < reach_m]) for one in found]
    return sorted((part for part in parts if len(part.places) >= FEWEST), key=lambda part: -len(part.places))


@kernel
def _label(near: Array, link_m: float, link_share: float, label: NDArray[np.int32], waiting: NDArray[np.int32]) -> int:
    """Flood fill, over gaps of one cell; how many things."""
    rows, columns, count = near.shape[0], near.shape[1], 0
    for start in range(rows * columns):
        if label[start // columns, start % columns] >= 0 or not near[start // columns, start % columns] < np.inf:
            continue
        label[start // columns, start % columns] = count
        waiting[0], top = start, 1
        while top > 0:
            top -= 1
            j, i = waiting[top] // columns, waiting[top] % columns
            allowed = link_m + link_share * near[j, i]
            for b in range(max(0, j - 2), min(rows, j + 3)):
                for a in range(max(0, i - 2), min(columns, i + 3)):
                    if label[b, a] < 0 and abs(near[b, a] - near[j, i]) < allowed:
                        label[b, a] = count
                        waiting[top] = b * columns + a
                        top += 1
        count += 1
    return count

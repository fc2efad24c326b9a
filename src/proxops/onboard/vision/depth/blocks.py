"""Blocks of pixels as one beam: near the client a depth image has more pixels than a pose needs, and each is noisy.

The weighted mean of places on a plane lies on that plane, so nothing is lost where the client is flat. Blocks that are not full
or lie over edges stay pixels: these tell the outline.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from proxops.maths.rotation import Array
from proxops.onboard.vision.depth.beams import Beams, together


def condensed(beams: Beams, most: int, over_edges: Callable[[Beams], NDArray[np.bool_]]) -> Beams:
    """Not many more than ``most``: blocks and pixels of a depth image, points of a scan evenly."""
    side = math.ceil(math.sqrt(len(beams) / most))
    if side < 2 or beams.seen.shape[1] != 2:
        return beams.thinned(most)
    block = np.floor_divide(beams.seen, side).astype(np.int64)
    columns = int(block[:, 0].max()) + 1
    _, index, count = np.unique(block[:, 1] * columns + block[:, 0], return_inverse=True, return_counts=True)
    index = index.reshape(-1)
    blocks = _means(beams, index, side)
    kept = (count == side * side) & ~over_edges(blocks)
    return together(blocks.some(kept), beams.some(~kept[index]).thinned(most // 2))


def _means(beams: Beams, index: NDArray[np.int64], side: int) -> Beams:
    weight = beams.sigma**-2
    total = np.bincount(index, weight)

    def mean(values: NDArray[np.floating]) -> Array:
        return np.asarray(np.bincount(index, weight * values) / total, np.float64)

    end = np.stack([mean(beams.end[:, k]) for k in range(3)], axis=1)
    seen = np.stack([mean(beams.seen[:, k]) for k in range(2)], axis=1).astype(np.float32)
    none = np.zeros(len(end))
    return Beams(
        np.zeros_like(end), end, 1.0 / np.sqrt(total), mean(beams.phase), none, seen, side * mean(beams.spot_rad)
    )

"""Blocks of neighbouring beams as one: near the client an image has more of them than a pose needs, and each is noisy.

The weighted mean of places on a plane lies on that plane, so nothing is lost where the client is flat. Blocks that are not full,
that lie over edges or in which beams differ by more than noise stay single beams: these tell the outline.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.maths.rotation import Array
from proxops.onboard.vision.depth.beams import Beams, together

FULL: Final = 0.7  # of a block's cells, more than that: a scan's points are not quite even
SLOPE_M: Final = 0.03  # by which distances in a block may differ beside noise
UNEVEN_SIGMAS: Final = 2.0


def condensed(beams: Beams, most: int, over_edges: Callable[[Beams], NDArray[np.bool_]]) -> Beams:
    """Not many more than ``most``: blocks and single beams."""
    side = math.ceil(math.sqrt(len(beams) / most))
    if side < 2:
        return beams.thinned(most)
    block = np.floor_divide(beams.cell - beams.cell.min(axis=0), side).astype(np.int64)
    columns = int(block[:, 0].max()) + 1
    _, index, count = np.unique(block[:, 1] * columns + block[:, 0], return_inverse=True, return_counts=True)
    index = index.reshape(-1)
    blocks = _means(beams, index, side)
    kept = (count > FULL * side * side) & (_uneven(beams, index) < UNEVEN_SIGMAS) & ~over_edges(blocks)
    return together(blocks.some(kept), beams.some(~kept[index]).thinned(most // 2))


def _means(beams: Beams, index: NDArray[np.int64], side: int) -> Beams:
    weight = beams.sigma**-2
    total = np.bincount(index, weight)

    def mean(values: NDArray[np.floating]) -> Array:
        return np.asarray(np.bincount(index, weight * values) / total, np.float64)

    def means(values: NDArray[np.floating]) -> Array:
        return np.stack([mean(column) for column in values.T], axis=1)

    half = np.full(len(total), 0.5 * side * beams.apart_rad)
    return Beams(
        means(beams.origin), means(beams.end), 1.0 / np.sqrt(total), mean(beams.phase), mean(beams.late_s),
        means(beams.seen).astype(np.float32), half, means(beams.cell).astype(np.float32), beams.apart_rad,
    )  # fmt: skip


def _uneven(beams: Beams, index: NDArray[np.int64]) -> Array:
    """Deviation of each block's distances, over noise and what a slope makes of it."""
    far = np.linalg.norm(beams.end - beams.origin, axis=1)
    count = np.bincount(index)
    off = far - (np.bincount(index, far) / count)[index]
    allowed = np.bincount(index, beams.sigma**2 + SLOPE_M**2) / count
    return np.asarray(np.sqrt(np.bincount(index, off * off) / count / allowed))

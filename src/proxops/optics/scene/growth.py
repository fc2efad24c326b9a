"""How a tree of boxes grows: a run of triangles is parted where rays will have the least to do, and both parts likewise.

The surface area heuristic: a ray that meets a box meets a part of it with the share of the part's surface. Depth is bounded,
so that those who descend need a stack of ``DEPTH`` and no more: from ``HALVED`` on, runs are halved whatever their shape.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array
from proxops.maths.stack import matrix, vector

Ints = NDArray[np.int32]

BINS: Final = 16
LEAF: Final = 8  # faces at most; the number of bits that hold their count stands in ``leaf``
DESCENT: Final = 1.2  # cost of a node's two boxes, in faces
HALVED: Final = 36
DEPTH: Final = 64


@kernel
def leaf(first: int, count: int) -> int:
    """How a run of 1 to 8 faces is written as a child."""
    return -1 - (8 * first + count - 1)


@kernel
def grow(limits: Array, order: Ints, first: int, last: int, boxes: Array, children: Ints, used: int, root: Ints) -> int:
    """The tree over ``order[first:last]``, which is put into the order of its leaves; ``limits`` (T, 6) are the triangles' boxes.
    Nodes from ``used`` on are filled; ``root[0]`` is set; returns the number of nodes that are used now."""
    tasks, top = np.empty((2 * DEPTH, 5), np.int64), 1  # first, last, parent, side, depth
    tasks[0, 0], tasks[0, 1], tasks[0, 2], tasks[0, 3], tasks[0, 4] = first, last, -1, 0, 0
    best = vector(3)
    while top > 0:
        top -= 1
        begin, end, parent, side, depth = tasks[top, 0], tasks[top, 1], tasks[top, 2], tasks[top, 3], tasks[top, 4]
        middle = _part(limits, order, begin, end, depth, best)
        child = leaf(begin, end - begin) if middle < 0 else used
        if parent < 0:
            root[0] = child
        else:
            children[parent, side] = child
        if middle < 0:
            continue
        children[used, 2] = max(0, int(best[1]))
        _enclose(limits, order, begin, middle, boxes[used, 0:6])
        _enclose(limits, order, middle, end, boxes[used, 6:12])
        for side, a, b in ((1, middle, end), (0, begin, middle)):
            tasks[top, 0], tasks[top, 1], tasks[top, 2], tasks[top, 3], tasks[top, 4] = a, b, used, side, depth + 1
            top += 1
        used += 1
    return used


@kernel
def _enclose(limits: Array, order: Ints, begin: int, end: int, box: Array) -> None:
    """The box round a run."""
    for c in range(3):
        box[c], box[3 + c] = np.inf, -np.inf
    for k in range(begin, end):
        for c in range(3):
            box[c] = min(box[c], limits[order[k], c])
            box[3 + c] = max(box[3 + c], limits[order[k], 3 + c])


@kernel
def _part(limits: Array, order: Ints, begin: int, end: int, depth: int, best: Array) -> int:
    """Where the run is parted, after it has been put in order; -1: it is a leaf. ``best[1]`` is the axis, -1 for none."""
    count = end - begin
    if count <= 1:
        return -1
    centres = vector(6)
    _spread(limits, order, begin, end, centres)
    best[0], best[1], best[2] = np.inf, -1.0, -1.0
    for axis in range(3):
        if centres[3 + axis] > centres[axis]:
            _try_axis(limits, order, begin, end, axis, centres, best)
    if count <= LEAF and not best[0] < count:
        return -1
    if best[1] < 0.0 or depth >= HALVED:  # all centres in one place, or a tree that would get too deep
        return (begin + end) // 2
    return _sorted(limits, order, begin, end, int(best[1]), int(best[2]), centres)


@kernel
def _spread(limits: Array, order: Ints, begin: int, end: int, centres: Array) -> None:
    """The box round the triangles' centres, each times two."""
    for c in range(3):
        centres[c], centres[3 + c] = np.inf, -np.inf
    for k in range(begin, end):
        for c in range(3):
            twice = limits[order[k], c] + limits[order[k], 3 + c]
            centres[c], centres[3 + c] = min(centres[c], twice), max(centres[3 + c], twice)


@kernel
def _bin(limits: Array, triangle: int, axis: int, centres: Array) -> int:
    """Which of the equal bins along the axis the triangle's centre lies in."""
    twice = limits[triangle, axis] + limits[triangle, 3 + axis]
    return min(int(BINS * (twice - centres[axis]) / (centres[3 + axis] - centres[axis])), BINS - 1)


@kernel
def _try_axis(limits: Array, order: Ints, begin: int, end: int, axis: int, centres: Array, best: Array) -> None:
    """``best`` (cost in faces, axis, first bin of the second part), if a split along this axis is better."""
    bins, whole = matrix(16, 7), vector(6)
    _fill_bins(limits, order, begin, end, axis, centres, bins, whole)
    right, areas, counts = vector(7), vector(16), vector(16)
    _clear(right)
    for k in range(BINS - 1, 0, -1):
        _add(bins[k], right)
        areas[k], counts[k] = _area(right), right[6]
    left = vector(7)
    _clear(left)
    scale = 1.0 / max(_area(whole), 1e-300)
    for k in range(1, BINS):
        _add(bins[k - 1], left)
        if left[6] == 0.0 or counts[k] == 0.0:
            continue
        cost = DESCENT + scale * (_area(left) * left[6] + areas[k] * counts[k])
        if cost < best[0]:
            best[0], best[1], best[2] = cost, axis, k


@kernel
def _fill_bins(
    limits: Array, order: Ints, begin: int, end: int, axis: int, centres: Array, bins: Array, whole: Array
) -> None:
    """Box and count of each bin, and the box of all."""
    for k in range(BINS):
        _clear(bins[k])
    for k in range(begin, end):
        triangle = order[k]
        row = bins[_bin(limits, triangle, axis, centres)]
        for c in range(3):
            row[c] = min(row[c], limits[triangle, c])
            row[3 + c] = max(row[3 + c], limits[triangle, 3 + c])
        row[6] += 1.0
    _enclose(limits, order, begin, end, whole)


@kernel
def _clear(row: Array) -> None:
    """An empty box with no triangle."""
    for c in range(3):
        row[c], row[3 + c] = np.inf, -np.inf
    row[6] = 0.0


@kernel
def _add(row: Array, box: Array) -> None:
    """``box`` := what holds both; and their triangles."""
    for c in range(3):
        box[c], box[3 + c] = min(box[c], row[c]), max(box[3 + c], row[3 + c])
    box[6] += row[6]


@kernel
def _area(box: Array) -> float:
    """Half of the surface."""
    x, y, z = box[3] - box[0], box[4] - box[1], box[5] - box[2]
    return float(x * y + y * z + z * x)


@kernel
def _sorted(limits: Array, order: Ints, begin: int, end: int, axis: int, split: int, centres: Array) -> int:
    """The run, with what lies in bins before ``split`` first; returns where the rest begins."""
    left, right = begin, end - 1
    while left <= right:
        if _bin(limits, order[left], axis, centres) < split:
            left += 1
        else:
            order[left], order[right] = order[right], order[left]
            right -= 1
    return left

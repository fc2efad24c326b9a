"""Bodies into a z-buffer: corners into the sensor's frame, what lies behind the lens cut off, the rest through the lens.

A lens that distorts bends edges. Then triangles are parted until none of their edges bends by more than ``BEND`` pixels: whether
an edge is parted depends on the edge alone, so neighbours stay neighbours. (Samples at bent places would cost every sample
of every triangle a look at a table; parting costs nothing where the lens is ideal, and a few percent where it is not.)
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array
from proxops.maths.stack import matrix
from proxops.maths.triple import Triple, triple
from proxops.optics.render.distortion import distorted
from proxops.optics.render.fill import Depths, Ids, fill

NEAR: Final = 0.02  # m: what is nearer is not drawn
BEND: Final = 0.01  # px
LONGEST: Final = 0.15  # of an edge on the plane z = 1 under distortion: an S through the middle bends, but not half way
DEEPEST: Final = 12

MeshArrays = tuple[Array, NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]
"""Vertices, triangles, first vertex and first triangle of the bodies: of a ``Scene``."""


@kernel
def draw(
    mesh: MeshArrays, T_sensor_body: Array, boxes: Array, grid: Array, k: Array, limits: Array, ideal: bool,
    corners: Array, depths: Depths, ids: Ids, extent: Array,
) -> None:  # fmt: skip
    """All bodies (B, 12: R by rows, p). ``grid``: x and y in samples are (g0 x" + g1, g2 y" + g3). ``k``: distortion; ``limits``:
    least x', y', greatest x', y' that the picture sees. ``corners`` (V, 6) is room for sensor's frame and picture of vertices.
    ``extent`` (least x, y, greatest x, y in samples) is widened to what is drawn."""
    vertices, triangles, first_vertex, first_triangle = mesh
    for b in range(T_sensor_body.shape[0]):
        if not _may_be_seen(T_sensor_body[b], boxes[b], limits):
            continue
        _place(vertices, T_sensor_body[b], int(first_vertex[b]), int(first_vertex[b + 1]), grid, corners)
        for t in range(first_triangle[b], first_triangle[b + 1]):
            one, two, three = corners[triangles[t, 0]], corners[triangles[t, 1]], corners[triangles[t, 2]]
            if max(one[2], two[2], three[2]) < NEAR:
                continue
            if ideal and min(one[2], two[2], three[2]) >= NEAR:
                _fill(depths, ids, extent, t, triple(one, 3), triple(two, 3), triple(three, 3))
            else:
                _draw_cut(one, two, three, grid, k, limits, ideal, depths, ids, extent, t)


@kernel
def _may_be_seen(T: Array, box: Array, limits: Array) -> bool:
    """Whether the body's box has a corner on the near side of each of the five planes of the view."""
    front, left, right, above, below = False, False, False, False, False
    for corner in range(8):
        x, y, z = box[3 * (corner & 1)], box[1 + 3 * ((corner >> 1) & 1)], box[2 + 3 * (corner >> 2)]
        px, py, pz = _moved(T, x, y, z)
        front |= pz >= NEAR
        left |= px >= limits[0] * pz
        above |= py >= limits[1] * pz
        right |= px <= limits[2] * pz
        below |= py <= limits[3] * pz
    return front and left and right and above and below


@kernel
def _moved(T: Array, x: float, y: float, z: float) -> Triple:
    return (
        T[0] * x + T[1] * y + T[2] * z + T[9],
        T[3] * x + T[4] * y + T[5] * z + T[10],
        T[6] * x + T[7] * y + T[8] * z + T[11],
    )


@kernel
def _place(vertices: Array, T: Array, first: int, last: int, grid: Array, corners: Array) -> None:
    """x y z in the sensor's frame; x and y in samples and 1 / z."""
    for i in range(first, last):
        x, y, z = _moved(T, vertices[i, 0], vertices[i, 1], vertices[i, 2])
        row = corners[i]
        row[0], row[1], row[2] = x, y, z
        if z >= NEAR:
            row[3], row[4], row[5] = grid[0] * (x / z) + grid[1], grid[2] * (y / z) + grid[3], 1.0 / z


@kernel
def _draw_cut(
    one: Array, two: Array, three: Array, grid: Array, k: Array, limits: Array, ideal: bool,
    depths: Depths, ids: Ids, extent: Array, mark: int,
) -> None:  # fmt: skip
    """A triangle that reaches behind the lens, or that a lens bends: cut to the view, then as a fan."""
    polygon, other = matrix(10, 3), matrix(10, 3)
    for i in range(3):
        polygon[0, i], polygon[1, i], polygon[2, i] = one[i], two[i], three[i]
    count = _cut(polygon, 3, 0.0, 0.0, 1.0, NEAR, other)
    count = _cut(other, count, 1.0, 0.0, -limits[0], 0.0, polygon)
    count = _cut(polygon, count, -1.0, 0.0, limits[2], 0.0, other)
    count = _cut(other, count, 0.0, 1.0, -limits[1], 0.0, polygon)
    count = _cut(polygon, count, 0.0, -1.0, limits[3], 0.0, other)
    for i in range(2, count):
        a, b, c = _on_plane(other[0]), _on_plane(other[i - 1]), _on_plane(other[i])
        if ideal:
            _fill(depths, ids, extent, mark, _in_samples(grid, a), _in_samples(grid, b), _in_samples(grid, c))
        else:
            _draw_bent(a, b, c, grid, k, depths, ids, extent, mark)


@kernel
def _fill(depths: Depths, ids: Ids, extent: Array, mark: int, a: Triple, b: Triple, c: Triple) -> None:
    fill(depths, ids, mark, a, b, c)
    extent[0], extent[1] = min(extent[0], a[0], b[0], c[0]), min(extent[1], a[1], b[1], c[1])
    extent[2], extent[3] = max(extent[2], a[0], b[0], c[0]), max(extent[3], a[1], b[1], c[1])


@kernel
def _cut(polygon: Array, count: int, nx: float, ny: float, nz: float, least: float, out: Array) -> int:
    """What of the polygon has n·p >= least (Sutherland and Hodgman 1974). Where an edge is cut does not depend on its sense."""
    kept = 0
    for i in range(count):
        p, q = polygon[i], polygon[(i + 1) % count]
        dp = nx * p[0] + ny * p[1] + nz * p[2] - least
        dq = nx * q[0] + ny * q[1] + nz * q[2] - least
        if dp >= 0.0:
            out[kept, 0], out[kept, 1], out[kept, 2] = p[0], p[1], p[2]
            kept += 1
        if (dp >= 0.0) != (dq >= 0.0):
            if dp < dq:
                p, q, dp, dq = q, p, dq, dp
            s = dp / (dp - dq)
            for c in range(3):
                out[kept, c] = p[c] + s * (q[c] - p[c])
            kept += 1
    return kept


@kernel
def _on_plane(p: Array) -> Triple:
    """x', y' and 1 / z. A cut may leave a corner nearer than ``NEAR`` by a rounding."""
    return p[0] / p[2], p[1] / p[2], 1.0 / p[2]


@kernel
def _in_samples(grid: Array, p: Triple) -> Triple:
    return grid[0] * p[0] + grid[1], grid[2] * p[1] + grid[3], p[2]


@kernel
def _draw_bent(
    a: Triple, b: Triple, c: Triple, grid: Array, k: Array, depths: Depths, ids: Ids, extent: Array, mark: int
) -> None:
    """Parts the triangle until its edges are straight enough."""
    waiting, top = matrix(40, 10), 0
    top = _push(waiting, top, a, b, c, 0.0)
    while top > 0:
        top -= 1
        row = waiting[top]
        a, b, c, depth = triple(row, 0), triple(row, 3), triple(row, 6), row[9]
        ab, bc, ca = _middle(a, b), _middle(b, c), _middle(c, a)
        open_ = depth < DEEPEST
        part_ab, part_bc, part_ca = (
            open_ and _bends(k, a, b, ab, grid),
            open_ and _bends(k, b, c, bc, grid),
            open_ and _bends(k, c, a, ca, grid),
        )
        if not (part_ab or part_bc or part_ca):
            _fill(depths, ids, extent, mark, _through(k, grid, a), _through(k, grid, b), _through(k, grid, c))
            continue
        while not part_ab or (part_ca and not part_bc):  # turn it until ab is parted, and bc if two edges are
            a, b, c, ab, bc, ca = b, c, a, bc, ca, ab
            part_ab, part_bc, part_ca = part_bc, part_ca, part_ab
        depth += 1.0
        if part_ca:
            top = _push(waiting, top, a, ab, ca, depth)
            top = _push(waiting, top, ab, bc, ca, depth)
            top = _push(waiting, top, ca, bc, c, depth)
            top = _push(waiting, top, ab, b, bc, depth)
        elif part_bc:
            top = _push(waiting, top, a, ab, c, depth)
            top = _push(waiting, top, ab, bc, c, depth)
            top = _push(waiting, top, ab, b, bc, depth)
        else:
            top = _push(waiting, top, a, ab, c, depth)
            top = _push(waiting, top, ab, b, c, depth)


@kernel
def _push(waiting: Array, top: int, a: Triple, b: Triple, c: Triple, depth: float) -> int:
    row = waiting[top]
    row[0], row[1], row[2] = a
    row[3], row[4], row[5] = b
    row[6], row[7], row[8] = c
    row[9] = depth
    return top + 1


@kernel
def _middle(a: Triple, b: Triple) -> Triple:
    return 0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1]), 0.5 * (a[2] + b[2])


@kernel
def _bends(k: Array, a: Triple, b: Triple, middle: Triple, grid: Array) -> bool:
    """Whether the edge's middle lands too far from the middle of its ends."""
    if abs(a[0] - b[0]) > LONGEST or abs(a[1] - b[1]) > LONGEST:
        return True
    ax, ay = distorted(k, a[0], a[1])
    bx, by = distorted(k, b[0], b[1])
    mx, my = distorted(k, middle[0], middle[1])
    return bool(max(grid[4] * abs(mx - 0.5 * (ax + bx)), grid[5] * abs(my - 0.5 * (ay + by))) > BEND)


@kernel
def _through(k: Array, grid: Array, p: Triple) -> Triple:
    x, y = distorted(k, p[0], p[1])
    return grid[0] * x + grid[1], grid[2] * y + grid[3], p[2]

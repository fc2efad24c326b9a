"""The closest place of a surface to a point, by the tree of boxes. Faces that a beam would meet from behind are left out: of a
thin panel only the side that is seen may draw points to itself.

Closest point of a triangle: Ericson 2005, "Real-time collision detection", 5.1.5 (regions of corners, edges, inside).
"""

from __future__ import annotations

from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array
from proxops.maths.stack import vector
from proxops.maths.triple import Triple, difference, triple
from proxops.onboard.vision.depth.client_model import Surface


@kernel
def closest_point(surface: Surface, p: Triple, d: Triple, within: float) -> tuple[int, Triple]:
    """Face and place, in the body's frame, nearest to ``p`` of those that a beam along ``d`` meets from outside; face -1: none
    is ``within`` (m)."""
    boxes, children, faces, corners, root = surface
    waiting, since, top = vector(64), vector(64), 0
    best, face, place, node = within * within, -1, p, int(root)
    while True:
        if node >= 0:
            a, b = _apart(boxes[node], 0, p), _apart(boxes[node], 6, p)
            near = 0 if a <= b else 1
            if max(a, b) < best:
                waiting[top], since[top] = children[node, 1 - near], max(a, b)
                top += 1
            if min(a, b) < best:
                node = int(children[node, near])
                continue
        else:
            first, count = (-1 - node) >> 3, (-1 - node) & 7
            for k in range(first, first + count + 1):
                row = faces[k]
                if row[0] * d[0] + row[1] * d[1] + row[2] * d[2] >= 0.0:
                    continue
                off = row[0] * p[0] + row[1] * p[1] + row[2] * p[2] + row[3]
                if off * off >= best:
                    continue
                q = _of_triangle(corners[k], p)
                square = _square(difference(p, q))
                if square < best:
                    best, face, place = square, k, q
        while top > 0 and since[top - 1] >= best:
            top -= 1
        if top == 0:
            return face, place
        top -= 1
        node = int(waiting[top])


@kernel
def _apart(row: Array, at: int, p: Triple) -> float:
    """Square of the distance to the box ``row[at:at + 6]``."""
    total = 0.0
    for i in range(3):
        off = max(row[at + i] - p[i], p[i] - row[at + 3 + i], 0.0)
        total += off * off
    return total


@kernel
def _square(v: Triple) -> float:
    return v[0] * v[0] + v[1] * v[1] + v[2] * v[2]


@kernel
def _dot(v: Triple, w: Triple) -> float:
    return v[0] * w[0] + v[1] * w[1] + v[2] * w[2]


@kernel
def _of_triangle(corners: Array, p: Triple) -> Triple:
    a, b, c = triple(corners[0], 0), triple(corners[1], 0), triple(corners[2], 0)
    ab, ac, ap = difference(b, a), difference(c, a), difference(p, a)
    d1, d2 = _dot(ab, ap), _dot(ac, ap)
    if d1 <= 0.0 and d2 <= 0.0:
        return a
    bp = difference(p, b)
    d3, d4 = _dot(ab, bp), _dot(ac, bp)
    if d3 >= 0.0 and d4 <= d3:
        return b
    vc = d1 * d4 - d3 * d2
    if vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        return _along(a, ab, d1 / max(d1 - d3, 1e-300))
    cp = difference(p, c)
    d5, d6 = _dot(ab, cp), _dot(ac, cp)
    if d6 >= 0.0 and d5 <= d6:
        return c
    vb = d5 * d2 - d1 * d6
    if vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        return _along(a, ac, d2 / max(d2 - d6, 1e-300))
    va = d3 * d6 - d5 * d4
    if va <= 0.0 and d4 >= d3 and d5 >= d6:
        return _along(b, difference(c, b), (d4 - d3) / max((d4 - d3) + (d5 - d6), 1e-300))
    whole = va + vb + vc
    return _along(_along(a, ab, vb / whole), ac, vc / whole)


@kernel
def _along(a: Triple, way: Triple, share: float) -> Triple:
    return a[0] + share * way[0], a[1] + share * way[1], a[2] + share * way[2]

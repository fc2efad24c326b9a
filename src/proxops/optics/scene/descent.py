"""A ray down the tree of one body, in that body's frame: a stack of boxes that are still to be entered.

The nearer child is the one that lies first along the axis of the split. Distances as in ``rays``.
"""

from __future__ import annotations

import math

import numpy as np

from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array
from proxops.maths.stack import vector
from proxops.maths.triple import Triple
from proxops.optics.scene.faces import EDGE
from proxops.optics.scene.tree import Ints


@kernel
def nearest_of_body(
    boxes: Array, children: Ints, faces: Array, root: int, o: Triple, d: Triple, t_min: float, t_max: float
) -> tuple[float, int]:
    """In one body's frame: distance and face, or (t_max, -1)."""
    waiting, since, top = vector(64), vector(64), 0
    best, face, node, inverse = t_max, -1, int(root), inverse_of(d)
    while True:
        if node >= 0:
            row = boxes[node]
            t0, t1 = entry(row, 0, o, inverse, t_min, best), entry(row, 6, o, inverse, t_min, best)
            # Branches, not a comparison of t0 and t1: which node is next is then guessed while these are still computed.
            if t0 < np.inf:
                near = 0
                if t1 < np.inf:
                    near = 1 if d[children[node, 2]] < 0.0 else 0
                    waiting[top], since[top] = children[node, 1 - near], t0 if near == 1 else t1
                    top += 1
                node = int(children[node, near])
                continue
            if t1 < np.inf:
                node = int(children[node, 1])
                continue
        else:
            first, count = (-1 - node) >> 3, (-1 - node) & 7
            for k in range(first, first + count + 1):
                t = _met(faces[k], o, d, t_min, best)
                if t < best:
                    best, face = t, k
        while top > 0 and since[top - 1] >= best:
            top -= 1
        if top == 0:
            return best, face
        top -= 1
        node = int(waiting[top])


@kernel
def any_of_body(
    boxes: Array, children: Ints, faces: Array, root: int, o: Triple, d: Triple, t_min: float, t_max: float
) -> bool:
    """In one body's frame: whether anything is met."""
    waiting, top = vector(64), 0
    node, inverse = int(root), inverse_of(d)
    while True:
        if node >= 0:
            row = boxes[node]
            t0, t1 = entry(row, 0, o, inverse, t_min, t_max), entry(row, 6, o, inverse, t_min, t_max)
            if t0 < np.inf:
                near = 0
                if t1 < np.inf:
                    near = 1 if d[children[node, 2]] < 0.0 else 0
                    waiting[top] = children[node, 1 - near]
                    top += 1
                node = int(children[node, near])
                continue
            if t1 < np.inf:
                node = int(children[node, 1])
                continue
        else:
            first, count = (-1 - node) >> 3, (-1 - node) & 7
            for k in range(first, first + count + 1):
                if _met(faces[k], o, d, t_min, t_max) < t_max:
                    return True
        if top == 0:
            return False
        top -= 1
        node = int(waiting[top])


@kernel
def _met(face: Array, o: Triple, d: Triple, t_min: float, t_max: float) -> float:
    """Distance at which the ray meets the face, or inf."""
    t = -(face[0] * o[0] + face[1] * o[1] + face[2] * o[2] + face[3]) / (
        face[0] * d[0] + face[1] * d[1] + face[2] * d[2]
    )
    if not (t_min < t < t_max):  # also where the ray runs along the plane
        return np.inf
    x, y, z = o[0] + t * d[0], o[1] + t * d[1], o[2] + t * d[2]
    u = face[4] * x + face[5] * y + face[6] * z + face[7]
    v = face[8] * x + face[9] * y + face[10] * z + face[11]
    return t if u >= -EDGE and v >= -EDGE and u + v <= 1.0 + EDGE else np.inf


@kernel
def entry(row: Array, at: int, o: Triple, inverse: Triple, t_min: float, t_max: float) -> float:
    """Where the ray comes into the box ``row[at:at + 6]``, not before ``t_min``; inf if it does not meet it before ``t_max``."""
    x0, x1 = (row[at] - o[0]) * inverse[0], (row[at + 3] - o[0]) * inverse[0]
    y0, y1 = (row[at + 1] - o[1]) * inverse[1], (row[at + 4] - o[1]) * inverse[1]
    z0, z1 = (row[at + 2] - o[2]) * inverse[2], (row[at + 5] - o[2]) * inverse[2]
    begin = max(max(min(x0, x1), min(y0, y1)), max(min(z0, z1), t_min))
    end = min(min(max(x0, x1), max(y0, y1)), min(max(z0, z1), t_max))
    return begin if begin <= end else np.inf


@kernel
def inverse_of(d: Triple) -> Triple:
    """1 / d, finite: a ray within a plane of a box is a ray that leaves it very late."""
    return _finite(d[0]), _finite(d[1]), _finite(d[2])


@kernel
def _finite(x: float) -> float:
    return 1.0 / x if abs(x) > 1e-30 else math.copysign(1e30, x)

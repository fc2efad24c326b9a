"""Rays through a scene at one moment: what they meet first, and whether they meet anything. Kernels for kernels.

``tree`` is ``Tree.arrays``. ``placed`` (B, 18) says where the bodies stand and is made once a moment by ``place``. Rays are
given in the frame ``scene``; each is taken into the frame of a body whose box it meets. ``direction`` has length one; distances
are from ``origin``, in metres, and only what lies between ``t_min`` and ``t_max`` (neither included) is met. Both sides of a
triangle stop rays. Neighbouring triangles overlap by a thousand times what rounding takes, so that no ray passes between them.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from proxops.core.errors import BadInput
from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array, put_matrix
from proxops.maths.stack import matrix, vector
from proxops.maths.triple import Triple
from proxops.sensors.scene.faces import EDGE
from proxops.sensors.scene.tree import NOTHING, Ints, Tree, TreeArrays

PLACED: Final = 18  # columns: R_body_scene by rows, the body's origin in scene, the corners of a box round it in scene


def placed_at(tree: Tree, T_scene_body: Array) -> Array:
    """``placed`` of one moment's poses (B, 7)."""
    judge_poses(T_scene_body, len(tree.roots), "poses of bodies")
    placed = np.empty((len(tree.roots), PLACED))
    place(tree.body_boxes, np.ascontiguousarray(T_scene_body, np.float64), placed)
    return placed


def judge_poses(poses: Array, bodies: int, where: str) -> None:
    """(…, bodies, 7) of places and quaternions."""
    if poses.ndim < 2 or poses.shape[-2:] != (bodies, 7):
        raise BadInput("poses do not fit the scene", where=where, value=poses.shape, bound=f"(…, {bodies}, 7)")
    bad = ~np.isfinite(poses).all(axis=-1) | ~poses[..., 3:].any(axis=-1)
    if bad.any():
        raise BadInput("not a pose", where=where, value=poses[bad][0], bound="x y z qw qx qy qz, finite")


@kernel
def place(body_boxes: Array, T_scene_body: Array, placed: Array) -> None:
    """``placed`` (B, 18) of poses (B, 7), x y z qw qx qy qz; ``body_boxes`` of the tree."""
    R = matrix(3, 3)
    for b in range(T_scene_body.shape[0]):
        put_matrix(T_scene_body[b, 3:7], R)
        row, box = placed[b], body_boxes[b]
        for i in range(3):
            centre, half = T_scene_body[b, i], 0.0
            for j in range(3):
                row[3 * i + j] = R[j, i]
                centre += R[i, j] * 0.5 * (box[j] + box[3 + j])
                half += abs(R[i, j]) * 0.5 * (box[3 + j] - box[j])
            half += 1e-12 * (abs(centre) + half)  # what rounding may take
            row[9 + i], row[12 + i], row[15 + i] = T_scene_body[b, i], centre - half, centre + half


@kernel
def closest(
    tree: TreeArrays, placed: Array, origin: Triple, direction: Triple, t_min: float, t_max: float
) -> tuple[float, int]:
    """Distance and triangle (of the scene) of what the ray meets first; (inf, -1) if it meets nothing."""
    distance, face, _ = closest_face(tree, placed, origin, direction, t_min, t_max)
    if face < 0:
        return np.inf, -1
    return distance, int(tree[3][face])


@kernel
def closest_face(
    tree: TreeArrays, placed: Array, origin: Triple, direction: Triple, t_min: float, t_max: float
) -> tuple[float, int, int]:
    """Likewise: distance, face of the tree and body; (t_max, -1, -1) if it meets nothing."""
    boxes, children, faces, _, roots = tree
    best, face, body = t_max, -1, -1
    inverse = _inverse(direction)
    for b in range(placed.shape[0]):
        row = placed[b]
        if roots[b] == NOTHING or _entry(row, 12, origin, inverse, t_min, best) == np.inf:
            continue
        o, d = _into(row, origin), _turned_into(row, direction)
        best, met = _nearest(boxes, children, faces, roots[b], o, d, t_min, best)
        if met >= 0:
            face, body = met, b
    return best, face, body


@kernel
def occluded(tree: TreeArrays, placed: Array, origin: Triple, direction: Triple, t_min: float, t_max: float) -> bool:
    """Whether the ray meets anything. For shadows: ``t_min`` keeps it from meeting where it begins."""
    boxes, children, faces, _, roots = tree
    inverse = _inverse(direction)
    for b in range(placed.shape[0]):
        row = placed[b]
        if roots[b] == NOTHING or _entry(row, 12, origin, inverse, t_min, t_max) == np.inf:
            continue
        o, d = _into(row, origin), _turned_into(row, direction)
        if _any(boxes, children, faces, roots[b], o, d, t_min, t_max):
            return True
    return False


@kernel
def _nearest(
    boxes: Array, children: Ints, faces: Array, root: int, o: Triple, d: Triple, t_min: float, t_max: float
) -> tuple[float, int]:
    """In one body's frame: distance and face, or (t_max, -1)."""
    waiting, since, top = vector(64), vector(64), 0
    best, face, node, inverse = t_max, -1, int(root), _inverse(d)
    while True:
        if node >= 0:
            row = boxes[node]
            t0, t1 = _entry(row, 0, o, inverse, t_min, best), _entry(row, 6, o, inverse, t_min, best)
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
def _any(
    boxes: Array, children: Ints, faces: Array, root: int, o: Triple, d: Triple, t_min: float, t_max: float
) -> bool:
    """In one body's frame: whether anything is met."""
    waiting, top = vector(64), 0
    node, inverse = int(root), _inverse(d)
    while True:
        if node >= 0:
            row = boxes[node]
            t0, t1 = _entry(row, 0, o, inverse, t_min, t_max), _entry(row, 6, o, inverse, t_min, t_max)
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
def _entry(row: Array, at: int, o: Triple, inverse: Triple, t_min: float, t_max: float) -> float:
    """Where the ray comes into the box ``row[at:at + 6]``, not before ``t_min``; inf if it does not meet it before ``t_max``."""
    x0, x1 = (row[at] - o[0]) * inverse[0], (row[at + 3] - o[0]) * inverse[0]
    y0, y1 = (row[at + 1] - o[1]) * inverse[1], (row[at + 4] - o[1]) * inverse[1]
    z0, z1 = (row[at + 2] - o[2]) * inverse[2], (row[at + 5] - o[2]) * inverse[2]
    begin = max(max(min(x0, x1), min(y0, y1)), max(min(z0, z1), t_min))
    end = min(min(max(x0, x1), max(y0, y1)), min(max(z0, z1), t_max))
    return begin if begin <= end else np.inf


@kernel
def _inverse(d: Triple) -> Triple:
    """1 / d, finite: a ray within a plane of a box is a ray that leaves it very late."""
    return _finite(d[0]), _finite(d[1]), _finite(d[2])


@kernel
def _finite(x: float) -> float:
    return 1.0 / x if abs(x) > 1e-30 else math.copysign(1e30, x)


@kernel
def _into(row: Array, p: Triple) -> Triple:
    """A place of the scene in the body's frame."""
    return _turned_into(row, (p[0] - row[9], p[1] - row[10], p[2] - row[11]))


@kernel
def _turned_into(row: Array, v: Triple) -> Triple:
    """A direction of the scene in the body's frame."""
    return (
        row[0] * v[0] + row[1] * v[1] + row[2] * v[2],
        row[3] * v[0] + row[4] * v[1] + row[5] * v[2],
        row[6] * v[0] + row[7] * v[1] + row[8] * v[2],
    )

"""Rays through a scene at one moment: what they meet first, and whether they meet anything. Kernels for kernels.

``tree`` is ``Tree.arrays``. ``placed`` (B, 18) says where the bodies stand and is made once a moment by ``place``. Rays are
given in the frame ``scene``; each is taken into the frame of a body whose box it meets. ``direction`` has length one; distances
are from ``origin``, in metres, and only what lies between ``t_min`` and ``t_max`` (neither included) is met. Both sides of a
triangle stop rays. Neighbouring triangles overlap by a thousand times what rounding takes, so that no ray passes between them.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from proxops.core.errors import BadInput
from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array, put_matrix
from proxops.maths.stack import matrix
from proxops.maths.triple import Triple
from proxops.optics.scene.descent import any_of_body, entry, inverse_of, nearest_of_body
from proxops.optics.scene.tree import NOTHING, Tree, TreeArrays

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
    inverse = inverse_of(direction)
    for b in range(placed.shape[0]):
        row = placed[b]
        if roots[b] == NOTHING or entry(row, 12, origin, inverse, t_min, best) == np.inf:
            continue
        o, d = _into(row, origin), _turned_into(row, direction)
        best, met = nearest_of_body(boxes, children, faces, roots[b], o, d, t_min, best)
        if met >= 0:
            face, body = met, b
    return best, face, body


@kernel
def occluded(tree: TreeArrays, placed: Array, origin: Triple, direction: Triple, t_min: float, t_max: float) -> bool:
    """Whether the ray meets anything. For shadows: ``t_min`` keeps it from meeting where it begins."""
    boxes, children, faces, _, roots = tree
    inverse = inverse_of(direction)
    for b in range(placed.shape[0]):
        row = placed[b]
        if roots[b] == NOTHING or entry(row, 12, origin, inverse, t_min, t_max) == np.inf:
            continue
        o, d = _into(row, origin), _turned_into(row, direction)
        if any_of_body(boxes, children, faces, roots[b], o, d, t_min, t_max):
            return True
    return False


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

"""Many rays, each at a moment of its own: range and what is known of the place that it meets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from proxops.core.errors import BadInput
from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array
from proxops.optics.scene.material import COLUMNS
from proxops.optics.scene.rays import PLACED, closest_face, judge_poses, place
from proxops.optics.scene.scene import Scene
from proxops.optics.scene.tree import Ints, Tree, TreeArrays


@dataclass(frozen=True, eq=False)
class Hits:
    """One row for each ray; where nothing is met: inf, -1, -1, 0, 0."""

    range_m: Array
    triangle: Ints  # of the scene
    body: Ints
    cosine: Array  # between the ray and the triangle's normal, 0 to 1
    infrared: Array  # reflectance, 0 to 1


def cast(scene: Scene, tree: Tree, poses: Array, origins: Array, directions: Array, group: NDArray[np.integer]) -> Hits:
    """``poses`` (k, bodies, 7): ``T_scene_body`` at k moments; ray i, ``origins`` and ``directions`` (n, 3) in the scene's frame,
    of length one, belongs to moment ``group[i]``."""
    judge_poses(poses, scene.bodies, "poses of bodies")
    _judge_rays(origins, directions, group, len(poses))
    n = len(origins)
    hits = Hits(np.empty(n), np.empty(n, np.int32), np.empty(n, np.int32), np.empty(n), np.empty(n))
    infrared = np.ascontiguousarray(scene.materials[scene.material, COLUMNS.index("infrared")])
    _cast(
        tree.arrays, tree.body_boxes, _doubles(poses), _doubles(origins), _doubles(directions), group.astype(np.int32),
        infrared, np.empty((scene.bodies, PLACED)), hits.range_m, hits.triangle, hits.body, hits.cosine, hits.infrared,
    )  # fmt: skip
    return hits


def _doubles(values: Array) -> Array:
    return np.ascontiguousarray(values, np.float64)


def _judge_rays(origins: Array, directions: Array, group: NDArray[np.integer], moments: int) -> None:
    if origins.ndim != 2 or origins.shape[1] != 3 or directions.shape != origins.shape or len(group) != len(origins):
        value = origins.shape, directions.shape, group.shape
        raise BadInput("rays do not fit together", where="rays", value=value, bound="(n, 3), (n, 3), (n)")
    if not (np.isfinite(origins).all() and np.isfinite(directions).all()):
        raise BadInput("a ray is not finite", where="rays", bound="finite origins and directions")
    if len(group) and not 0 <= int(group.min()) <= int(group.max()) < moments:
        raise BadInput(
            "a ray has no moment", where="rays", value=(int(group.min()), int(group.max())), bound=f"0 … {moments - 1}"
        )


@kernel
def _cast(
    tree: TreeArrays, body_boxes: Array, poses: Array, origins: Array, directions: Array, group: Ints,
    infrared: Array, placed: Array, range_m: Array, triangle: Ints, body: Ints, cosine: Array, reflected: Array,
) -> None:  # fmt: skip
    """Neighbouring rays of one moment share its ``placed``."""
    faces, order, moment = tree[2], tree[3], -1
    for i in range(origins.shape[0]):
        if group[i] != moment:
            moment = group[i]
            place(body_boxes, poses[moment], placed)
        o = (origins[i, 0], origins[i, 1], origins[i, 2])
        d = (directions[i, 0], directions[i, 1], directions[i, 2])
        range_m[i], face, body[i] = closest_face(tree, placed, o, d, 0.0, np.inf)
        triangle[i], cosine[i], reflected[i] = -1, 0.0, 0.0
        if face >= 0:
            triangle[i] = order[face]
            cosine[i] = _cosine(faces[face], placed[body[i]], directions[i])
            reflected[i] = infrared[triangle[i]]


@kernel
def _cosine(face: Array, row: Array, direction: Array) -> float:
    """|n·d| with the normal in the body's frame and the direction in the scene's."""
    found = 0.0
    for j in range(3):
        found += face[j] * (row[3 * j] * direction[0] + row[3 * j + 1] * direction[1] + row[3 * j + 2] * direction[2])
    return float(min(abs(found), 1.0))

"""Capsules that begin inside another solid. MuJoCo misses one that goes right through a box with both ends out; Coal does not."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from proxops.core.errors import BadInput
from proxops.core.floating_object import FloatingScene, ObjectTable, ObstacleTable, Shaped
from proxops.maths.rotation import matrix_from_rotation_vector


def judge_capsules(scene: FloatingScene) -> None:
    """BadInput for a capsule that overlaps an object, or an object that overlaps a capsule, at the start. Meshes are MuJoCo's."""
    every: tuple[ObjectTable | ObstacleTable, ...] = (*scene.objects, *scene.obstacles)
    solids = [table for table in every if table.shape != "mesh"]
    for one, two in combinations(solids, 2):
        if "capsule" in (one.shape, two.shape) and isinstance(one, ObjectTable) and _overlap(one, two):
            raise BadInput(
                f"{one.name or 'object'}.place_m: starts inside {two.name or two.shape}", where=str(scene.source),
                value=list(one.place_m), bound="no overlap at the start",
            )  # fmt: skip


def _overlap(one: Shaped, two: Shaped) -> bool:
    import coal

    result = coal.CollisionResult()
    coal.collide(
        _solid(coal, one), _place(coal, one), _solid(coal, two), _place(coal, two), coal.CollisionRequest(), result
    )
    return bool(result.isCollision())


def _solid(coal: Any, table: Shaped) -> Any:
    kinds = {"box": coal.Box, "cylinder": coal.Cylinder, "sphere": coal.Sphere, "capsule": coal.Capsule}
    return kinds[table.shape](*table.size_m)


def _place(coal: Any, table: Shaped) -> Any:
    return coal.Transform3s(matrix_from_rotation_vector(np.radians(table.turn_deg)), np.array(table.place_m))

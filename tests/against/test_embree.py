"""Rays against Intel's Embree on the same triangles. Embree computes in single precision, so it gets numbers that have one."""

from __future__ import annotations

import numpy as np
import pytest
from embreex.mesh_construction import TriangleMesh
from embreex.rtcore_scene import EmbreeScene
from numpy.typing import NDArray
from ray_mockup import mockup, soup, still, units

from proxops.maths.kernel import kernel
from proxops.optics.scene.cast import cast
from proxops.optics.scene.mesh import Mesh, flat
from proxops.optics.scene.rays import occluded, placed_at
from proxops.optics.scene.scene import Scene
from proxops.optics.scene.tree import TreeArrays, tree_of

Array = NDArray[np.float64]
RAYS = 20_000
AGREE_M = 1e-6  # across the surface: along a grazing ray, rounding of a vertex makes any distance


@kernel
def _shadows(tree: TreeArrays, placed: Array, origins: Array, direction: Array, out: NDArray[np.bool_]) -> None:
    d = (direction[0], direction[1], direction[2])
    for i in range(origins.shape[0]):
        out[i] = occluded(tree, placed, (origins[i, 0], origins[i, 1], origins[i, 2]), d, 0.0, np.inf)


def single(values: Array) -> Array:
    return values.astype(np.float32).astype(np.float64)


def embree(mesh: Mesh) -> EmbreeScene:
    scene = EmbreeScene()
    TriangleMesh(scene, np.ascontiguousarray(mesh.vertices[mesh.triangles], np.float32))
    return scene


@pytest.mark.parametrize("mesh", [mockup(), soup(np.random.default_rng(1), 600)])
def test_nearest_hits_and_shadows(mesh: Mesh) -> None:
    rng = np.random.default_rng(2)
    mesh = flat(single(mesh.vertices), mesh.triangles, mesh.palette[0])
    scene, theirs = Scene.of([("client", mesh)]), embree(mesh)
    tree, pose = tree_of(scene), still([0, 0, 0])
    origins = single(3.0 * units(rng, RAYS))
    directions = single(units(rng, RAYS) * 0.2 - origins / 3.0)
    directions = single(directions / np.linalg.norm(directions, axis=1, keepdims=True))
    hits = cast(scene, tree, pose[None], origins, directions, np.zeros(RAYS, np.int32))
    found = theirs.run(origins.astype(np.float32), directions.astype(np.float32), output=1)
    ours, other = hits.triangle >= 0, found["primID"] != -1
    both = ours & other
    apart = np.abs(hits.range_m - found["tfar"])[both] * hits.cosine[both]
    same = hits.triangle[both] == found["primID"][both]
    assert 0.4 < both.mean() < 1.0
    assert (ours != other).sum() <= RAYS // 10_000  # at silhouettes
    assert (apart > AGREE_M).sum() <= RAYS // 10_000
    assert same.mean() > 0.999

    places = single((origins + (hits.range_m - 1e-3)[:, None] * directions)[both])
    sun = single(np.array([0.5, 0.6, 0.62]))
    sun = single(sun / np.linalg.norm(sun))
    dark = np.empty(len(places), np.bool_)
    _shadows(tree.arrays, placed_at(tree, pose), places, sun, dark)
    theirs_dark = theirs.run(
        places.astype(np.float32), np.tile(sun.astype(np.float32), (len(places), 1)), query="OCCLUDED"
    )
    assert 0.1 < dark.mean() < 0.9
    assert (dark != (np.asarray(theirs_dark) != -1)).sum() <= RAYS // 5_000  # grazing rays

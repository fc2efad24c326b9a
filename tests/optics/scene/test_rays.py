"""Rays against closed forms: planes, boxes and spheres, between t_min and t_max, over bodies that stand anywhere."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from numpy.typing import NDArray
from ray_mockup import FAR, GREY, WHITE, ball, cuboid, mockup, soup, still, units

from proxops.core.errors import BadInput
from proxops.optics.scene.cast import Hits, cast
from proxops.optics.scene.mesh import Mesh
from proxops.optics.scene.pose_course import poses_at
from proxops.optics.scene.rays import closest, occluded, placed_at
from proxops.optics.scene.scene import Scene
from proxops.optics.scene.tree import tree_of

Array = NDArray[np.float64]
RNG = np.random.default_rng


def shot(meshes: list[Mesh], poses: Array, origins: Array, directions: Array) -> Hits:
    """All rays at one moment."""
    scene = Scene.of([(f"body{k}", mesh) for k, mesh in enumerate(meshes)])
    return cast(scene, tree_of(scene), poses[None], origins, directions, np.zeros(len(origins), np.int32))


def box_distance(half: Array, origins: Array, directions: Array) -> Array:
    """From outside to a box round the origin, by slabs; inf: past it."""
    near, far = np.sort([(-half - origins) / directions, (half - origins) / directions], axis=0)
    begin, end = near.max(axis=1), far.min(axis=1)
    return np.where((begin <= end) & (begin > 0.0), begin, np.inf)


def test_a_box_that_is_turned_and_moved() -> None:
    rng, half = RNG(2), np.array([0.3, 0.5, 0.7])
    pose = np.array([3.0, -2.0, 1.0, *units(rng, 1)[0], 0.4])
    pose[3:] /= np.linalg.norm(pose[3:])
    origins = 4.0 * units(rng, 5000)
    directions = -origins / 4.0 + 0.15 * rng.normal(size=(5000, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    expected = box_distance(half, origins, directions)
    w, xyz = pose[3], pose[4:]
    turned = [v + 2.0 * w * np.cross(xyz, v) + 2.0 * np.cross(xyz, np.cross(xyz, v)) for v in (origins, directions)]
    hits = shot([cuboid([0, 0, 0], [0.3, 0.5, 0.7])], pose[None], turned[0] + pose[:3], turned[1])
    assert 0.3 < np.isfinite(expected).mean() < 0.9
    assert np.array_equal(np.isfinite(expected), np.isfinite(hits.range_m))
    met = np.isfinite(expected)
    assert np.abs(hits.range_m[met] - expected[met]).max() < 1e-12


def test_a_tessellated_sphere_lies_between_two_spheres() -> None:
    rng, n = RNG(3), 24
    directions = units(rng, 5000)
    hits = shot([ball([0, 0, 0], 1.0, n)], still([0, 0, 0]), np.zeros((5000, 3)), directions)
    inner = np.cos(np.pi / n)  # triangles of two edges of pi / n: none cuts deeper than this
    assert np.all((hits.range_m > inner) & (hits.range_m <= 1.0 + 1e-12))
    assert np.all(hits.cosine > np.cos(2.0 * np.pi / n))
    assert np.all(hits.infrared == 1.0)


@pytest.mark.parametrize("mesh", [ball([0, 0, 0], 1.0), cuboid([0, 0, 0], [1, 2, 3])])
def test_nothing_leaks_through_edges_and_corners(mesh: Mesh) -> None:
    """From inside of a closed mesh, at every corner and at points of every edge, also far from the scene's origin."""
    rng, place = RNG(4), np.array([123.4, -56.7, 8.9])
    one, other = mesh.vertices[mesh.triangles], mesh.vertices[np.roll(mesh.triangles, 1, axis=1)]
    shares = rng.random((20, *one.shape[:2], 1))
    targets = np.concatenate([mesh.vertices, (one + shares * (other - one)).reshape(-1, 3)])
    inside = 0.5 * mesh.vertices.max(axis=0) * rng.uniform(-1.0, 1.0, targets.shape)
    directions = targets - inside
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    hits = shot([mesh], still(place.tolist()), inside + place, directions)
    assert np.isfinite(hits.range_m).all()
    assert np.abs(hits.range_m - np.linalg.norm(targets - inside, axis=1)).max() < 1e-6


def test_the_nearest_of_all_triangles() -> None:
    """Against every triangle of a soup, by the textbook's formula (Möller and Trumbore 1997)."""
    rng, mesh = RNG(5), soup(RNG(6), 300)
    origins, directions = 3.0 * units(rng, 1500), 0.2 * units(rng, 1500)
    directions -= origins / 3.0
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    hits = shot([mesh], still([0, 0, 0]), origins, directions)
    a, b, c = (mesh.vertices[mesh.triangles[:, k]] for k in range(3))
    across = np.cross(directions[:, None], (c - a)[None])
    determinant = np.sum(across * (b - a), axis=2)
    away = origins[:, None] - a
    u = np.sum(away * across, axis=2) / determinant
    beside = np.cross(away, (b - a)[None])
    v = np.sum(directions[:, None] * beside, axis=2) / determinant
    t = np.sum((c - a) * beside, axis=2) / determinant
    t = np.where((u >= 0.0) & (v >= 0.0) & (u + v <= 1.0) & (t > 0.0), t, np.inf)
    met = np.isfinite(t.min(axis=1))
    assert 0.3 < met.mean() < 1.0
    assert np.array_equal(met, np.isfinite(hits.range_m))
    assert np.array_equal(t.argmin(axis=1)[met], hits.triangle[met])
    assert np.abs(t.min(axis=1)[met] - hits.range_m[met]).max() < 1e-9


def test_between_t_min_and_t_max_and_through_axes() -> None:
    """A wall at x = 2 before one at x = 5; rays along an axis lie in planes of boxes."""
    scene = Scene.of([("near", cuboid([0, 0, 0], [1, 1, 1])), ("far", cuboid([0, 0, 0], [1, 1, 1], GREY))])
    tree = tree_of(scene)
    placed = placed_at(tree, still([3, 0, 0], [6, 0, 0]))
    origin, along = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0)

    def met(t_min: float, t_max: float) -> float:
        distance, triangle = closest(tree.arrays, placed, origin, along, t_min, t_max)
        assert occluded(tree.arrays, placed, origin, along, t_min, t_max) == np.isfinite(distance) == (triangle >= 0)
        return distance

    assert [met(0.0, FAR), met(2.5, FAR), met(4.5, FAR), met(6.5, FAR), met(7.5, FAR)] == [2.0, 4.0, 5.0, 7.0, np.inf]
    assert [met(0.0, 1.9), met(0.0, 2.1), met(2.1, 3.9), met(4.1, 4.9)] == [np.inf, 2.0, np.inf, np.inf]
    assert closest(tree.arrays, placed, (3.0, 1.0, -9.0), (0.0, 0.0, 1.0), 0.0, FAR)[0] == 8.0  # along a side
    assert closest(tree.arrays, placed, (3.0, 1.001, -9.0), (0.0, 0.0, 1.0), 0.0, FAR)[0] == np.inf


def test_each_ray_at_its_own_moment() -> None:
    """A grey wall that comes nearer: range, body, reflectance and cosine."""
    scene = Scene.of([("dust", ball([0, 50, 0], 0.1)), ("wall", cuboid([0.5, 0, 0], [0.5, 9, 9], GREY))])
    poses = np.stack([still([0, 0, 0], [10.0 - k, 0, 0]) for k in range(5)])
    group = np.array([0, 4, 4, 2, 1, 1])
    slope = np.array([[np.cos(0.3), np.sin(0.3), 0.0]])
    directions = np.repeat(slope, 6, axis=0)
    directions[5] = -1.0, 0.0, 0.0
    hits = cast(scene, tree_of(scene), poses, np.zeros((6, 3)), directions, group)
    assert hits.range_m[:5] == pytest.approx((10.0 - group[:5]) / np.cos(0.3), abs=1e-12)
    assert hits.cosine[:5] == pytest.approx(np.cos(0.3), abs=1e-12)
    assert np.all(hits.infrared[:5] == GREY.infrared) and np.all(hits.body[:5] == 1)
    assert (hits.range_m[5], hits.triangle[5], hits.body[5], hits.cosine[5], hits.infrared[5]) == (np.inf, -1, -1, 0, 0)


def test_same_rays_same_bits() -> None:
    """A process of its own finds the same: tests/sensors/test_lidar.py."""

    def digest() -> str:
        origins = 4.0 * units(RNG(7), 2000)
        hits = shot([mockup()], still([0.1, 0.2, 0.3]), origins, -origins / 4.0)
        return hashlib.sha256(b"".join(part.tobytes() for part in vars(hits).values())).hexdigest()

    assert digest() == digest()


def test_poses_between_samples() -> None:
    """Constant velocity and constant rate are met to rounding; the sign of a quaternion says nothing."""
    angles = 0.7 * np.linspace(0.0, 1.0, 5)
    samples = np.stack([np.cos(angles / 2), np.zeros(5), np.zeros(5), np.sin(angles / 2)], axis=1)
    samples[2] *= -1.0
    samples = np.concatenate([np.linspace(0.0, 2.0, 5)[:, None] * [1.0, 2.0, 3.0], samples], axis=1)[:, None]
    share = RNG(8).random(100)
    found = poses_at(samples, share)[:, 0]
    assert found[:, :3] == pytest.approx(2.0 * share[:, None] * [1.0, 2.0, 3.0], abs=1e-12)
    assert np.abs(found[:, 3]) == pytest.approx(np.cos(0.35 * share), abs=1e-12)
    assert np.abs(found[:, 6]) == pytest.approx(np.sin(0.35 * share), abs=1e-12)
    assert np.array_equal(poses_at(samples[:1], share), np.repeat(samples[:1], 100, axis=0))


def test_bad_rays_are_refused_by_name() -> None:
    scene = Scene.of([("wall", cuboid([0, 0, 0], [1, 1, 1], WHITE))])
    tree, poses, one, none = tree_of(scene), still([5, 0, 0])[None], np.ones((1, 3)), np.zeros(1, np.int32)
    for bad in (np.full((1, 1, 7), np.nan), np.zeros((1, 1, 7))):
        with pytest.raises(BadInput, match="not a pose"):
            cast(scene, tree, bad, one, one, none)
        with pytest.raises(BadInput, match="not a pose"):
            placed_at(tree, bad[0])
    with pytest.raises(BadInput, match="poses do not fit the scene"):
        cast(scene, tree, np.zeros((1, 2, 7)), one, one, none)
    with pytest.raises(BadInput, match="not finite"):
        cast(scene, tree, poses, one * np.inf, one, none)
    with pytest.raises(BadInput, match="do not fit together"):
        cast(scene, tree, poses, one, one[:, :2], none)
    with pytest.raises(BadInput, match="no moment"):
        cast(scene, tree, poses, one, one, none + 1)

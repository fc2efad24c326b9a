"""The tree holds every triangle once, inside its boxes; bad scenes are refused by name."""

import dataclasses

import numpy as np
import pytest
from numpy.typing import NDArray
from ray_mockup import WHITE, ball, cuboid, mockup, soup

from proxops.core.errors import BadInput
from proxops.optics.scene.growth import DEPTH, HALVED, LEAF, grow
from proxops.optics.scene.mesh import Mesh, flat
from proxops.optics.scene.scene import Scene
from proxops.optics.scene.tree import NOTHING, Ints, tree_of

Array = NDArray[np.float64]


def runs(children: Ints, child: int, depth: int = 0) -> list[tuple[int, int, int]]:
    """First face, count and depth of every leaf under a child."""
    if child < 0:
        return [((-1 - child) // 8, (-1 - child) % 8 + 1, depth)]
    return [leaf for side in (0, 1) for leaf in runs(children, int(children[child, side]), depth + 1)]


def heap() -> Mesh:
    """Many triangles on one place, which no plane parts."""
    return flat(np.eye(3), np.tile(np.arange(3, dtype=np.int32), (100, 1)), WHITE)


def chain(n: int) -> Array:
    """Boxes whose sizes and gaps double (n, 6): splits by area peel off a few of them at a time."""
    places = 2.0 ** np.arange(-n // 2, n // 2)[:, None]
    return np.hstack([places * [1.0, 0.0, 0.0], places * [1.1, 0.1, 0.1]])


@pytest.mark.parametrize("mesh", [mockup(), soup(np.random.default_rng(1), 3000), heap()])
def test_every_triangle_is_in_one_leaf_and_in_all_boxes_above_it(mesh: Mesh) -> None:
    scene = Scene.of([("one", cuboid([5, 5, 5], [1, 1, 1])), ("other", mesh)])
    tree = tree_of(scene)
    assert sorted(tree.order) == list(range(len(scene.triangles)))
    faces = []
    for root in tree.roots:
        for first, count, depth in runs(tree.children, int(root)):
            assert 1 <= count <= LEAF and depth < DEPTH
            faces += range(first, first + count)
    assert sorted(faces) == list(range(len(tree.order)))
    for node in range(len(tree.boxes)):
        for side, box in enumerate((tree.boxes[node, :6], tree.boxes[node, 6:])):
            held = [
                f
                for first, count, _ in runs(tree.children, int(tree.children[node, side]))
                for f in range(first, first + count)
            ]
            corners = scene.vertices[scene.triangles[tree.order[held]]]
            assert np.all(corners >= box[:3]) and np.all(corners <= box[3:])


def test_depth_is_bounded_whatever_the_shape() -> None:
    n = 800
    boxes, children, root = np.zeros((n, 12)), np.zeros((n, 3), np.int32), np.zeros(1, np.int32)
    grow(chain(n), np.arange(n, dtype=np.int32), 0, n, boxes, children, 0, root)
    leaves = runs(children, int(root[0]))
    assert sum(count for _, count, _ in leaves) == n
    assert HALVED < max(depth for *_, depth in leaves) < DEPTH


def test_bodies_keep_their_triangles_apart() -> None:
    scene = Scene.of([("one", ball([0, 0, 0], 1)), ("other", mockup())])
    tree, border = tree_of(scene), scene.first_triangle[1]
    assert np.all(tree.order[:border] < border) and np.all(tree.order[border:] >= border)


def test_a_body_without_triangles_is_no_obstacle() -> None:
    empty = flat(np.zeros((0, 3)), np.zeros((0, 3), np.int32), WHITE)
    tree = tree_of(Scene.of([("ghost", empty), ("wall", cuboid([0, 0, 0], [1, 1, 1]))]))
    assert tree.roots[0] == NOTHING and tree.roots[1] != NOTHING


def test_same_scene_same_bits() -> None:
    one, other = tree_of(Scene.of([("client", mockup())])), tree_of(Scene.of([("client", mockup())]))
    for a, b in zip(one.arrays, other.arrays, strict=True):
        assert a.tobytes() == b.tobytes()


def test_bad_scenes_are_refused_by_name() -> None:
    empty = flat(np.zeros((0, 3)), np.zeros((0, 3), np.int32), WHITE)
    with pytest.raises(BadInput, match="nothing to be seen"):
        tree_of(Scene.of([("client", empty)]))
    scene = Scene.of([("wall", cuboid([0, 0, 0], [1, 1, 1])), ("client", mockup())])
    vertices = scene.vertices.copy()
    vertices[100, 1] = np.nan
    with pytest.raises(BadInput, match="mesh of client"):
        tree_of(dataclasses.replace(scene, vertices=vertices))

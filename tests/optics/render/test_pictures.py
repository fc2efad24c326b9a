"""Closed bodies are closed, the same picture is the same, motion blurs as far as it goes."""

import numpy as np
import pytest
from pictures import LENS, PAINT, WHOLE, moving, renderer, square, still

from proxops.core.errors import BadInput
from proxops.core.lens import Lens
from proxops.optics.render.contact_sheet import contact_sheet, eight_bit
from proxops.optics.render.surfaces import OUTERMOST, surfaces_of
from proxops.optics.scene.light import DistantLight
from proxops.optics.scene.mesh import flat, joined
from proxops.optics.scene.palette import MLI_GOLD
from proxops.optics.scene.primitives import box, cylinder, sphere
from proxops.optics.scene.scene import Scene
from proxops.optics.scene.tree import tree_of

BENT = Lens(320, 240, 400.0, 400.0, 159.5, 119.5, (-0.2, 0.03, 0.001, 0.0, 0.0))


def turns(count: int) -> np.ndarray:
    q = np.random.default_rng(4).standard_normal((count, 4))
    return q / np.linalg.norm(q, axis=1, keepdims=True)


@pytest.mark.parametrize("lens", [LENS, BENT])
def test_no_background_shows_through_shared_edges(lens: Lens) -> None:
    """In even light a closed body has one brightness: where all neighbours are covered, so is the pixel; none is brighter."""
    for mesh in (box((1.0, 0.7, 0.4), PAINT), sphere(0.5, PAINT), cylinder(0.4, 0.8, PAINT)):
        drawn = renderer(mesh, lens=lens)
        for q in turns(6):
            share = drawn.radiance(still((0.05, -0.03, 2.2, *q))) / WHOLE
            assert share.max() < 1.0 + 1e-5
            inside = (share[1:-1, :-2] > 0) & (share[1:-1, 2:] > 0) & (share[:-2, 1:-1] > 0) & (share[2:, 1:-1] > 0)
            deep = inside[1:-1, :-2] & inside[1:-1, 2:] & inside[:-2, 1:-1] & inside[2:, 1:-1] & inside[1:-1, 1:-1]
            assert deep.sum() > 3000
            assert share[2:-2, 2:-2][deep].min() > 1.0 - 1e-5


def test_a_camera_in_a_box_sees_walls_only() -> None:
    seen = renderer(box((4.0, 3.0, 6.0), PAINT)).radiance(still((0.3, 0.2, 0.5)))
    np.testing.assert_allclose(seen, WHOLE, rtol=1e-5)


def scene() -> tuple:
    mesh = joined([box((1.0, 0.7, 0.4), MLI_GOLD), sphere(0.45, PAINT)])
    light = (DistantLight((0.6, -0.5, -0.6), 950.0),)
    moments = [((0.0 + 0.01 * k, 0.0, 3.0, *turns(1)[0]),) for k in range(4)]
    return mesh, still(moments[0][0], lights=light), moving(moments, light)


def test_the_same_exposure_gives_the_same_bits() -> None:
    """Whatever was drawn before, and by another renderer."""
    mesh, once, blurred = scene()
    drawn = renderer(mesh)
    first, second, ranges = drawn.radiance(once), drawn.radiance(blurred), drawn.depth(once)
    assert first.any() and second.any()
    for again in (drawn, renderer(mesh)):
        assert np.array_equal(again.radiance(blurred), second)
        assert np.array_equal(again.radiance(once), first)
        assert all(np.array_equal(a, b) for a, b in zip(again.depth(once), ranges, strict=True))


@pytest.mark.parametrize("way_px", [1.5, 6.0, 40.0])
def test_blur_is_as_wide_as_the_motion(way_px: float) -> None:
    """The left edge of a square becomes a ramp of that width, and the square keeps its light."""
    half = 0.5 * way_px * 3.0 / LENS.fx
    moments = [((0.001 + x, 0.0, 3.0),) for x in np.linspace(-half, half, 5)]
    seen = renderer(square(0.6)).radiance(moving(moments))
    profile = seen[110:130].mean(axis=0) / WHOLE
    assert profile.sum() == pytest.approx(100.0, rel=0.01)
    left = profile[:160]
    u, edge = np.arange(160), np.diff(left, prepend=0.0)
    middle = np.sum(u * edge) - 0.5
    spread = np.sqrt(12.0 * max(np.sum(edge * (u - 0.5 - middle) ** 2) - 1.0 / 12.0, 0.0))
    assert middle == pytest.approx(LENS.cx + 0.001 * LENS.fx / 3.0 - 50.0, abs=0.2)
    assert spread == pytest.approx(way_px, rel=0.05, abs=0.4)
    assert np.diff(left).min() > -0.02 and edge.max() < 1.5 / way_px + 0.1  # no ghosts


def test_what_hardly_moves_is_drawn_as_if_it_stood() -> None:
    moments = [((x, 0.0, 3.0),) for x in (-1e-5, 1e-5)]
    drawn = renderer(square(0.6))
    assert np.array_equal(drawn.radiance(moving(moments)), drawn.radiance(still((0.0, 0.0, 3.0))))


def test_nothing_in_view_is_black() -> None:
    drawn = renderer(square(0.6))
    assert not drawn.radiance(still((0.0, 0.0, -3.0))).any()
    assert not drawn.radiance(still((50.0, 0.0, 3.0))).any()


def test_a_body_without_a_pose_is_refused() -> None:
    with pytest.raises(BadInput):
        renderer(square(0.6), square(1.0)).radiance(still((0.0, 0.0, 3.0)))
    with pytest.raises(BadInput):
        renderer(square(0.6)).radiance(still((0.0, float("nan"), 3.0)))


def test_a_picture_to_look_at() -> None:
    seen = renderer(square(0.6)).radiance(still((0.0, 0.0, 3.0)))
    assert eight_bit(seen).max() == 255 and eight_bit(seen, 2.0 * WHOLE).max() == 186
    sheet = contact_sheet([[seen, seen], [seen]], gap=2)
    assert sheet.shape == (482, 642) and (sheet[:, 320:322] == 128).all()


def test_not_all_of_a_finely_drawn_ball_is_looked_at() -> None:
    """All of its triangles are outermost; to look at every vertex for each of 90,000 took minutes. Beyond a bound none is called
    so, and the picture is the same."""
    u, v = np.meshgrid(np.linspace(0.0, 2.0 * np.pi, 301)[:-1], np.linspace(0.01, np.pi - 0.01, 151), indexing="ij")
    places = np.stack([np.sin(v) * np.cos(u), np.sin(v) * np.sin(u), np.cos(v)], axis=-1).reshape(-1, 3)
    i, j = (k.ravel() for k in np.meshgrid(np.arange(300), np.arange(150), indexing="ij"))
    a, b = 151 * i + j, 151 * ((i + 1) % 300) + j
    faces = np.concatenate([np.stack([a, a + 1, b], 1), np.stack([b, a + 1, b + 1], 1)]).astype(np.int32)
    scene = Scene.of([("ball", flat(places, faces, PAINT))])
    outermost = surfaces_of(scene, tree_of(scene)).triangles[:, OUTERMOST]
    assert len(outermost) == 90_000 and 0.0 < outermost.mean() < 0.1

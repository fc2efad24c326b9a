"""Where things appear, against OpenCV's projection."""

import cv2
import numpy as np
import pytest
from pictures import LENS, WHOLE, centroid, quad, renderer, still

from proxops.core.errors import BadInput
from proxops.core.lens import Lens

LENSES = {
    "ideal": LENS,
    "barrel": Lens(320, 240, 400.0, 405.0, 155.3, 121.7, (-0.2, 0.03, 0.0, 0.0, 0.0)),
    "crooked": Lens(320, 240, 400.0, 400.0, 159.5, 119.5, (0.1, -0.05, 0.003, -0.002, 0.01)),
}
TILTED = np.array([[-0.35, -0.22, 0.0], [-0.19, 0.31, 0.13], [0.33, 0.24, 0.21], [0.17, -0.29, 0.08]])


def outline(corners: np.ndarray, lens: Lens) -> np.ndarray:
    """Its edges in pixels, in small steps, by OpenCV."""
    steps = np.linspace(0.0, 1.0, 200, endpoint=False)[:, None]
    edges = np.concatenate([a + steps * (b - a) for a, b in zip(corners, np.roll(corners, -1, axis=0), strict=True)])
    points, _ = cv2.projectPoints(edges, np.zeros(3), np.zeros(3), lens.intrinsics, np.array(lens.distortion))
    return points[:, 0]


def area_and_centroid(points: np.ndarray) -> tuple[float, np.ndarray]:
    after = np.roll(points, -1, axis=0)
    cross = points[:, 0] * after[:, 1] - after[:, 0] * points[:, 1]
    area = 0.5 * np.sum(cross)
    return abs(area), np.sum((points + after) * cross[:, None], axis=0) / (6.0 * area)


@pytest.mark.parametrize("name", LENSES)
@pytest.mark.parametrize("off", [(0.0, 0.0), (-0.68, -0.6), (0.65, 0.62)])
def test_a_surface_lands_where_opencv_says(name: str, off: tuple[float, float]) -> None:
    """In the middle and near the rim; ``off``: share of half the picture."""
    lens = LENSES[name]
    place = (3.0 * off[0] * 160.0 / lens.fx, 3.0 * off[1] * 120.0 / lens.fy, 3.0)
    corners = 0.7 * TILTED
    corners -= corners.mean(axis=0)
    picture = renderer(quad(_in_plane(corners)), lens=lens).radiance(still(place))
    area, middle = area_and_centroid(outline(_in_plane(corners) + place, lens))
    np.testing.assert_allclose(centroid(picture), middle, atol=0.02)
    assert picture.sum() / WHOLE == pytest.approx(area, rel=2e-3)


def _in_plane(corners: np.ndarray) -> np.ndarray:
    """The last corner moved along z into the plane of the others."""
    a, b, c, d = corners
    n = np.cross(b - a, c - a)
    return np.array([a, b, c, [d[0], d[1], a[2] - (n[0] * (d[0] - a[0]) + n[1] * (d[1] - a[1])) / n[2]]])


def test_a_long_straight_edge_is_bent_as_opencv_bends_it() -> None:
    """An edge all across the rim of a barrel, measured column by column."""
    lens = LENSES["barrel"]
    corners = np.array([[-3.0, -0.8, 3.0], [-3.0, 0.6, 3.0], [3.0, 0.6, 3.0], [3.0, -0.71, 3.0]])
    picture = renderer(quad(corners), lens=lens).radiance(still((0.0, 0.0, 0.0)))
    steps = np.linspace(-1.3, 1.3, 4000)
    line = np.column_stack([steps, -0.755 + 0.015 * steps, np.full(4000, 3.0)])
    points = cv2.projectPoints(line, np.zeros(3), np.zeros(3), lens.intrinsics, np.array(lens.distortion))[0][:, 0]
    columns = np.arange(20, 300)
    v = np.interp(columns, points[:, 0], points[:, 1])
    found = np.array([120.5 - np.sum(picture[:121, u], dtype=np.float64) / WHOLE for u in columns])
    assert np.abs(found - v).max() < 0.2  # three samples in a column: a sixth, and its slope
    assert abs(np.mean(found - v)) < 0.02


def test_what_lies_behind_the_lens_is_cut_off() -> None:
    """A floor that goes on behind the camera fills the picture below the horizon."""
    floor = quad(np.array([[-50.0, 1.0, -50.0], [50.0, 1.0, -50.0], [50.0, 1.0, 900.0], [-50.0, 1.0, 900.0]]))
    for lens in LENSES.values():
        picture = renderer(floor, lens=lens).radiance(still((0.0, 0.0, 0.0)))
        np.testing.assert_allclose(picture[130:], WHOLE, rtol=1e-5)
        assert not picture[:116].any()


def test_a_lens_that_folds_its_picture_is_refused() -> None:
    with pytest.raises(BadInput, match="folds"):
        renderer(quad(TILTED), lens=Lens(320, 240, 100.0, 100.0, 159.5, 119.5, (-0.9, 0.0, 0.0, 0.0, 0.0)))

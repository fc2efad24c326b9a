"""Brown's distortion, forth and back, against OpenCV."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from proxops.core.lens import Lens
from proxops.core.lens_map import distorted, lines_of_sight

LENSES = [
    Lens(64, 48, 100.0, 101.0, 31.0, 24.5),
    Lens(64, 48, 60.0, 61.0, 30.0, 25.0, (-0.25, 0.08, 0.002, -0.003, -0.01)),
    Lens(64, 48, 60.0, 61.0, 30.0, 25.0, (0.3, 0.1, 0.0, 0.0, 0.0)),
]


@pytest.mark.parametrize("lens", LENSES)
def test_lines_of_sight_meet_their_pixels_as_opencv_projects(lens: Lens) -> None:
    x, y = lines_of_sight(lens)
    points = np.stack((x, y, np.ones_like(x)), axis=-1).reshape(-1, 3)
    none = np.zeros(3)
    pixels = cv2.projectPoints(points, none, none, lens.intrinsics, np.array(lens.distortion))[0].reshape(48, 64, 2)
    u, v = np.meshgrid(np.arange(64.0), np.arange(48.0))
    assert pixels[..., 0] == pytest.approx(u, abs=1e-6) and pixels[..., 1] == pytest.approx(v, abs=1e-6)


def test_derivatives_are_those_of_the_map() -> None:
    lens, step = LENSES[1], 1e-6
    x, y = (a.ravel() for a in np.meshgrid(np.linspace(-0.5, 0.5, 7), np.linspace(-0.4, 0.4, 5)))
    _, _, (xx, xy, yy) = distorted(lens, x, y)
    right, left, low, high = (
        np.array(distorted(lens, x + dx, y + dy)[:2]) for dx, dy in ((step, 0), (-step, 0), (0, step), (0, -step))
    )
    assert (right - left) / (2 * step) == pytest.approx(np.array([xx, xy]), abs=1e-8)
    assert (low - high) / (2 * step) == pytest.approx(np.array([xy, yy]), abs=1e-8)

"""Ranges and signals of a tilted plate against its plane."""

import numpy as np
from pictures import LENS, renderer, square, still

from proxops.optics.scene.material import Material

INFRARED = Material("grey", 0.5, infrared=0.6)


def test_ranges_of_a_tilted_plate() -> None:
    c, s = np.cos(0.2), np.sin(0.2)
    ranges, signals = renderer(square(1.0, INFRARED)).depth(still((0.1, 0.0, 3.0, c, s, 0.0, 0.0)), 2)
    assert ranges.shape == signals.shape == (240, 320, 4) and ranges.dtype == signals.dtype == np.float32
    v, u, k = np.nonzero(np.isfinite(ranges))
    x, y = (u + (k % 2) * 0.5 - 0.25 - LENS.cx) / LENS.fx, (v + (k // 2) * 0.5 - 0.25 - LENS.cy) / LENS.fy
    ray = np.stack([x, y, np.ones_like(x)], axis=1)
    ray /= np.linalg.norm(ray, axis=1, keepdims=True)
    n = np.array([0.0, -np.sin(0.4), np.cos(0.4)])
    found = ranges[v, u, k]
    np.testing.assert_allclose(found, 3.0 * n[2] / (ray @ n), rtol=1e-6)
    np.testing.assert_allclose(signals[v, u, k], 0.6 * ray @ n, rtol=1e-5)
    assert not signals[~np.isfinite(ranges)].any()
    assert len(found) > 4 * 20_000


def test_the_nearer_one_is_seen() -> None:
    ranges, _ = renderer(square(1.0), square(0.5)).depth(still((0.0, 0.0, 3.0), (0.0, 0.0, 2.0)), 1)
    assert (
        abs(ranges[120, 160, 0] - 2.0) < 1e-4 and abs(ranges[120, 160 + 75, 0] - 3.0 * np.hypot(1.0, 75.5 / 500)) < 1e-3
    )

"""Brown's distortion of many directions at once, forth and back; core/lens.py has the formula."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.lens import Lens

ROUNDS: Final = 20  # of Newton's method, at most; five are enough for usual lenses
NEAR_ENOUGH: Final = 1e-7  # pixels

Floats = NDArray[np.float64]


def distorted(lens: Lens, x: Floats, y: Floats) -> tuple[Floats, Floats, tuple[Floats, Floats, Floats]]:
    """(x", y", their derivatives dx"/dx', dx"/dy' = dy"/dx', dy"/dy') of directions x', y'."""
    k1, k2, p1, p2, k3 = lens.distortion
    r2 = x * x + y * y
    radial = 1.0 + r2 * (k1 + r2 * (k2 + r2 * k3))
    slope = 2.0 * (k1 + r2 * (2.0 * k2 + 3.0 * k3 * r2))  # d radial / dx = slope x
    across = x * radial + 2.0 * p1 * x * y + p2 * (r2 + 2.0 * x * x)
    down = y * radial + p1 * (r2 + 2.0 * y * y) + 2.0 * p2 * x * y
    xx = radial + slope * x * x + 2.0 * p1 * y + 6.0 * p2 * x
    xy = slope * x * y + 2.0 * p1 * x + 2.0 * p2 * y
    yy = radial + slope * y * y + 6.0 * p1 * y + 2.0 * p2 * x
    return across, down, (xx, xy, yy)


def lines_of_sight(lens: Lens) -> tuple[Floats, Floats]:
    """(h, w) x' = x / z and y' = y / z of every pixel's middle. The lens has been judged (``check_lens``)."""
    u, v = np.meshgrid(np.arange(lens.width, dtype=np.float64), np.arange(lens.height, dtype=np.float64))
    return undistorted(lens, u, v)


def sight_line(lens: Lens, u: float, v: float) -> tuple[float, float]:
    """x' and y' of one pixel."""
    x, y = undistorted(lens, np.array([u]), np.array([v]))
    return float(x[0]), float(y[0])


def undistorted(lens: Lens, u: Floats, v: Floats) -> tuple[Floats, Floats]:
    """x' and y' of pixels, by Newton's method."""
    seen_x, seen_y = (u - lens.cx) / lens.fx, (v - lens.cy) / lens.fy
    if lens.ideal:
        return seen_x, seen_y
    x, y = seen_x.copy(), seen_y.copy()
    for _ in range(ROUNDS):
        across, down, (xx, xy, yy) = distorted(lens, x, y)
        off_x, off_y, area = seen_x - across, seen_y - down, xx * yy - xy * xy
        x += (yy * off_x - xy * off_y) / area
        y += (xx * off_y - xy * off_x) / area
        if lens.fx * np.abs(off_x).max() < NEAR_ENOUGH and lens.fy * np.abs(off_y).max() < NEAR_ENOUGH:
            break
    return x, y

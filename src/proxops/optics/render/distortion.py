"""Brown's distortion for kernels, and back: where on the plane z = 1 a pixel looks. The formula: ``core/lens.py``."""

from __future__ import annotations

import numpy as np

from proxops.core.errors import BadInput
from proxops.core.lens import Lens
from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array

STEPS = 50


@kernel
def distorted(k: Array, x: float, y: float) -> tuple[float, float]:
    """x", y" of x', y'; ``k``: k1 k2 p1 p2 k3."""
    r2 = x * x + y * y
    radial = 1.0 + r2 * (k[0] + r2 * (k[1] + r2 * k[4]))
    return (
        x * radial + 2.0 * k[2] * x * y + k[3] * (r2 + 2.0 * x * x),
        y * radial + 2.0 * k[3] * x * y + k[2] * (r2 + 2.0 * y * y),
    )


def lines_of_sight(lens: Lens) -> tuple[Array, Array]:
    """x' and y' (height, width) of the pixels' middles."""
    u = (np.arange(lens.width) - lens.cx) / lens.fx
    v = (np.arange(lens.height) - lens.cy) / lens.fy
    x, y = (np.ascontiguousarray(values) for values in np.meshgrid(u, v))
    if lens.ideal:
        return x, y
    k = np.array(lens.distortion)
    if not _undistort(k, x, y):
        raise BadInput(
            "the lens folds its picture", where="distortion", value=lens.distortion,
            bound="one line of sight for each pixel", way_out="calibrate with fewer coefficients",
        )  # fmt: skip
    return x, y


@kernel
def _undistort(k: Array, x: Array, y: Array) -> bool:
    """x", y" become x', y' in place, by Newton's method with differences; false where it does not get there."""
    small = 1e-6
    for j in range(x.shape[0]):
        for i in range(x.shape[1]):
            goal_x, goal_y = x[j, i], y[j, i]
            px, py, rest = goal_x, goal_y, 1.0
            for _ in range(STEPS):
                fx, fy = distorted(k, px, py)
                rest = max(abs(fx - goal_x), abs(fy - goal_y))
                if rest < 1e-13:
                    break
                ax, ay = distorted(k, px + small, py)
                bx, by = distorted(k, px, py + small)
                a, b, c, d = (ax - fx) / small, (bx - fx) / small, (ay - fy) / small, (by - fy) / small
                det = a * d - b * c
                if det <= 0.0:
                    return False
                px -= (d * (fx - goal_x) - b * (fy - goal_y)) / det
                py -= (a * (fy - goal_y) - c * (fx - goal_x)) / det
            if not rest < 1e-9:
                return False
            x[j, i], y[j, i] = px, py
    return True

"""Places before a lens to pixels, for kernels: with the slope of the way, which distortion bends."""

from __future__ import annotations

import numpy as np

from proxops.core.lens import Lens
from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array
from proxops.optics.render.distortion import distorted

STEP = 1e-6  # of a direction, for its slope


def lens_numbers(lens: Lens) -> Array:
    """(9) fx fy cx cy k1 k2 p1 p2 k3."""
    return np.array([lens.fx, lens.fy, lens.cx, lens.cy, *lens.distortion])


@kernel
def pixel_of(lens: Array, x: float, y: float, z: float) -> tuple[float, float]:
    """u, v of a place before the lens (z > 0)."""
    a, b = distorted(lens[4:9], x / z, y / z)
    return lens[0] * a + lens[2], lens[1] * b + lens[3]


@kernel
def put_slope(lens: Array, x: float, y: float, z: float, out: Array) -> None:
    """``out`` (2, 3): how the pixel of a place goes with the place."""
    a, b, k = x / z, y / z, lens[4:9]
    ax, ay = distorted(k, a + STEP, b)
    bx, by = distorted(k, a - STEP, b)
    cx, cy = distorted(k, a, b + STEP)
    dx, dy = distorted(k, a, b - STEP)
    scale_u, scale_v = lens[0] / (2.0 * STEP), lens[1] / (2.0 * STEP)
    ua, ub = scale_u * (ax - bx), scale_u * (cx - dx)
    va, vb = scale_v * (ay - by), scale_v * (cy - dy)
    out[0, 0], out[0, 1], out[0, 2] = ua / z, ub / z, -(ua * a + ub * b) / z
    out[1, 0], out[1, 1], out[1, 2] = va / z, vb / z, -(va * a + vb * b) / z

"""A landscape for an Earth that nobody flies to: smooth noise in space, so that a sphere has no seam and no poles.

Value noise on a cubic lattice of hashes, in octaves (Perlin 1985, "An image synthesizer", in its simplest form).
"""

from __future__ import annotations

import math

from proxops.maths.kernel import kernel
from proxops.maths.triple import Triple
from proxops.optics.render.reflection import mixed


@kernel
def octaves(p: Triple, scale: float, count: int, seed: int) -> float:
    """About 0 ± 0.3; details from 1 / scale down, each half as large and half as strong."""
    total, strength, k = 0.0, 0.5, seed
    for _ in range(count):
        total += strength * (
            _lattice(scale * p[0] + 0.37 * k, scale * p[1] + 0.71 * k, scale * p[2] + 0.13 * k, k) - 0.5
        )
        scale, strength, k = 2.03 * scale, 0.55 * strength, k + 1
    return total


@kernel
def _lattice(x: float, y: float, z: float, seed: int) -> float:
    """0 to 1, smooth between whole numbers."""
    i, j, k = math.floor(x), math.floor(y), math.floor(z)
    u, v, w = _eased(x - i), _eased(y - j), _eased(z - k)
    low = _between(_face(i, j, k, seed, v), _face(i + 1, j, k, seed, v), u)
    high = _between(_face(i, j, k + 1, seed, v), _face(i + 1, j, k + 1, seed, v), u)
    return _between(low, high, w)


@kernel
def _face(i: int, j: int, k: int, seed: int, v: float) -> float:
    return _between(_corner(i, j, k, seed), _corner(i, j + 1, k, seed), v)


@kernel
def _corner(i: int, j: int, k: int, seed: int) -> float:
    return mixed(73856093 * i ^ 19349663 * j ^ 83492791 * k ^ 2654435 * seed) / 4294967296.0


@kernel
def _between(a: float, b: float, s: float) -> float:
    return a + s * (b - a)


@kernel
def _eased(s: float) -> float:
    return s * s * (3.0 - 2.0 * s)

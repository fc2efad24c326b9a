"""What a place on a surface sends to the eye of the light that falls on it: the formula of ``scene/material.py``.

A foil's crinkles are triangles of a fixed pattern on the surface, in the body's frame, each tilted by its own hash. Where a pixel
sees many of them, their tilts go into the width of the lobe instead: what one pixel sees of many small mirrors is a broad shine.
"""

from __future__ import annotations

import math
from typing import Final

from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array
from proxops.maths.triple import Triple

ALBEDO, SPECULAR, EXPONENT, INFRARED, CRINKLE, CELL = range(6)  # columns of a material
SEEN: Final = 0.5  # cells of this many pixels' width and less begin to be seen together
DARK: Final = 14.0  # exp(-14): a lobe that ends here ends unseen


@kernel
def dot(a: Triple, b: Triple) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel
def unit(v: Triple) -> Triple:
    """Of length one; zero stays."""
    square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2]
    s = 1.0 / math.sqrt(square) if square > 0.0 else 0.0
    return s * v[0], s * v[1], s * v[2]


@kernel
def reflected(material: Array, exponent: float, n: Triple, v: Triple, light: Triple) -> float:
    """L / E, 1/sr. ``n``, ``v`` and ``light`` of length one: normal, towards the eye, towards the light."""
    facing = dot(n, light)
    if facing <= 0.0:
        return 0.0
    value = float(material[ALBEDO] / math.pi)
    if material[SPECULAR] > 0.0:
        h = unit((light[0] + v[0], light[1] + v[1], light[2] + v[2]))
        cosine = dot(n, h)
        if cosine > 0.0 and exponent * (1.0 - cosine) < DARK:
            value += material[SPECULAR] * (exponent + 2.0) / (8.0 * math.pi) * math.exp(exponent * math.log(cosine))
    return facing * value


@kernel
def crinkled(material: Array, p: Triple, n: Triple, pixel: float) -> tuple[Triple, float]:
    """Normal at the place ``p`` of the body, and the exponent of the lobe round it. ``pixel``: its width on the surface, m."""
    exponent, tilt = material[EXPONENT], material[CRINKLE]
    if tilt <= 0.0:
        return n, exponent
    cell = material[CELL]
    single = min(1.0, SEEN * cell / pixel)
    rest = tilt * tilt * (1.0 - single * single)  # of the tilts' variance, within the pixel
    exponent = 1.0 / (1.0 / exponent + 0.5 * rest)
    word = _cell(p, n, cell)
    # Two numbers with a triangular distribution of deviation one: sum of two even ones, times sqrt(6).
    a = math.sqrt(6.0) * (_share(word, 0) + _share(word, 8) - 1.0)
    b = math.sqrt(6.0) * (_share(word, 16) + _share(word, 24) - 1.0)
    scale = single * tilt * math.sqrt(0.5)
    one, other = _across(n)
    return unit(
        (
            n[0] + scale * (a * one[0] + b * other[0]),
            n[1] + scale * (a * one[1] + b * other[1]),
            n[2] + scale * (a * one[2] + b * other[2]),
        )
    ), exponent


@kernel
def _across(n: Triple) -> tuple[Triple, Triple]:
    """Two directions across ``n`` and each other."""
    one = unit((-n[1], n[0], 0.0)) if abs(n[2]) < 0.9 else unit((0.0, -n[2], n[1]))
    return one, (n[1] * one[2] - n[2] * one[1], n[2] * one[0] - n[0] * one[2], n[0] * one[1] - n[1] * one[0])


@kernel
def _cell(p: Triple, n: Triple, cell: float) -> int:
    """Hash of the crinkle at ``p``. The surface is looked at along its greatest axis; squares are halved, each its own way."""
    x, y, axis = p[1], p[2], 1
    if abs(n[1]) >= abs(n[0]) and abs(n[1]) >= abs(n[2]):
        x, y, axis = p[2], p[0], 2
    elif abs(n[2]) >= abs(n[0]):
        x, y, axis = p[0], p[1], 3
    u, v = (0.89 * x + 0.46 * y) / cell + 0.31, (0.89 * y - 0.46 * x) / cell + 0.17
    i, j = math.floor(u), math.floor(v)
    u, v = u - i, v - j
    word = mixed(mixed(mixed(int(i)) + int(j)) + axis)
    bent, other = 0.5 + _share(word, 0) - 0.5 * _share(word, 8), word & 1
    # The square is halved along one diagonal or the other, not quite through the middle.
    half = u + v > 2.0 * bent * (0.5 + 0.5 * u) if other else u - v > bent - 0.6
    return mixed(word + 7 if half else word)


@kernel
def mixed(x: int) -> int:
    """32 bits of an integer hash (Mueller's constants)."""
    x &= 0xFFFFFFFF
    x = ((x >> 16) ^ x) * 0x45D9F3B & 0xFFFFFFFF
    x = ((x >> 16) ^ x) * 0x45D9F3B & 0xFFFFFFFF
    return (x >> 16) ^ x


@kernel
def _share(word: int, at: int) -> float:
    """Eight bits as a number from 0 to 1."""
    return (((word >> at) & 255) + 0.5) / 256.0

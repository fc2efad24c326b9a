"""The search across edges: how far along its normal each control point's profile lies from where a pose puts it.

The expected picture's own profile is what is looked for. So whatever shading, blur or a shadow beside an edge does to the place
where an edge seems to be, it does in both pictures, and cancels: what is found is the difference.

With P_k the image along the normal n of the edge at u and T_k the expected profile, k = -w … w:

    P(k + s) ≈ a T(k) + b       first by the greatest correlation over whole steps s, then by Gauss-Newton on s, a and b.
"""

from __future__ import annotations

import math

import numpy as np

from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array
from proxops.maths.stack import vector
from proxops.onboard.vision.control_points import between_pixels
from proxops.onboard.vision.expected_picture import Picture
from proxops.onboard.vision.lens_kernel import pixel_of

U, V, NORMAL, SHIFT, LIKENESS, SIGMA, GAIN = 0, 1, 2, 4, 5, 6, 7
"""Columns of what is found: where the pose puts the point (full picture, px); the edge's normal there (2); how far along it the
profile lies (px); correlation; its standard deviation by what is left (px); a. Not found: the correlation is -1."""
COLUMNS = 8
LONGEST = 96  # of an image's profile
REFINEMENTS = 4


@kernel
def search(
    image: Picture, corner: Array, place: Array, along: Array, profile: Array, T: Array, lens: Array, reach: int, out: Array
) -> None:  # fmt: skip
    """``image``: the picture from the pixel ``corner`` (u, v) on; ``T`` (4, 4); ``reach``: px to either side; ``out`` (n, 8)."""
    for n in range(place.shape[0]):
        row = out[n]
        row[LIKENESS], row[SHIFT], row[SIGMA], row[GAIN] = -1.0, 0.0, 1e3, 0.0
        if not _put_line(place[n], along[n], T, lens, row):
            continue
        _find(image, row[U] - corner[0], row[V] - corner[1], profile[n], reach, row)


@kernel
def _put_line(place: Array, along: Array, T: Array, lens: Array, row: Array) -> bool:
    """Pixel and normal; whether the point is before the lens."""
    x, y, z = _moved(T, place)
    a, b, c = _moved(T, along)
    if z < 0.02 or c < 0.02:
        return False
    u, v = pixel_of(lens, x, y, z)
    p, q = pixel_of(lens, a, b, c)
    length = math.hypot(p - u, q - v)
    if length < 1e-9:
        return False
    row[U], row[V], row[NORMAL], row[NORMAL + 1] = u, v, (q - v) / length, -(p - u) / length
    return True


@kernel
def _moved(T: Array, p: Array) -> tuple[float, float, float]:
    return (
        T[0, 0] * p[0] + T[0, 1] * p[1] + T[0, 2] * p[2] + T[0, 3],
        T[1, 0] * p[0] + T[1, 1] * p[1] + T[1, 2] * p[2] + T[1, 3],
        T[2, 0] * p[0] + T[2, 1] * p[1] + T[2, 2] * p[2] + T[2, 3],
    )


@kernel
def _find(image: Picture, u: float, v: float, profile: Array, reach: int, row: Array) -> None:
    """u, v: in ``image``."""
    size, nx, ny = profile.shape[0], row[NORMAL], row[NORMAL + 1]
    half, whole = size // 2, size // 2 + reach + 1
    height, width = image.shape
    if not (
        min(u - whole * abs(nx), v - whole * abs(ny)) >= 0.0
        and u + whole * abs(nx) < width - 1
        and v + whole * abs(ny) < height - 1
    ):
        return
    line = vector(LONGEST)
    for k in range(2 * (half + reach) + 1):
        s = k - half - reach
        line[k] = between_pixels(image, u + s * nx, v + s * ny)
    mean, square = 0.0, 0.0
    for k in range(size):
        mean += profile[k] / size
    for k in range(size):
        square += (profile[k] - mean) ** 2
    best, shift = -1.0, 0
    for s in range(2 * reach + 1):
        total, squares, product = 0.0, 0.0, 0.0
        for k in range(size):
            total += line[s + k]
            squares += line[s + k] * line[s + k]
            product += line[s + k] * (profile[k] - mean)
        variance = squares - total * total / size
        like = product / math.sqrt(square * variance) if variance > 1e-12 else -1.0
        if like > best:
            best, shift = like, s - reach
    row[LIKENESS], row[SHIFT] = best, shift
    if best > 0.0:
        _refine(image, u, v, profile, mean, row)


@kernel
def _refine(image: Picture, u: float, v: float, profile: Array, mean: float, row: Array) -> None:
    """Gauss-Newton on the shift, at most a step from the whole one."""
    size, nx, ny, begin = profile.shape[0], row[NORMAL], row[NORMAL + 1], row[SHIFT]
    half, values = size // 2, vector(64)
    for turn in range(REFINEMENTS):
        s, level = row[SHIFT], 0.0
        for k in range(size):
            values[k] = between_pixels(image, u + (s + k - half) * nx, v + (s + k - half) * ny)
            level += values[k] / size
        square, product, squares = 0.0, 0.0, 0.0
        for k in range(size):
            square += (profile[k] - mean) ** 2
            product += (profile[k] - mean) * (values[k] - level)
            squares += (values[k] - level) ** 2
        gain = product / square
        steep, left, rest = 0.0, 0.0, 0.0
        for k in range(1, size - 1):
            slope = 0.5 * gain * (profile[k + 1] - profile[k - 1])
            off = values[k] - level - gain * (profile[k] - mean)
            steep += slope * slope
            left += slope * off
            rest += off * off
        if steep < 1e-12:
            row[LIKENESS] = -1.0
            return
        row[GAIN], row[SIGMA] = gain, math.sqrt(max(rest, 0.0) / (size - 3) / steep)
        row[LIKENESS] = product / math.sqrt(square * squares) if squares > 1e-12 else -1.0
        if turn < REFINEMENTS - 1:
            row[SHIFT] = min(max(s - left / steep, begin - 1.0), begin + 1.0)


def searched(count: int) -> Array:
    """Room for what is found."""
    return np.empty((count, COLUMNS))

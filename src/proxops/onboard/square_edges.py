"""Corners of a dark square on bright ground, to hundredths of a pixel: a line is fitted to each side, neighbours meet in corners.

OpenCV's own corner refinement looks at the corner only and draws it inward by 0.1 to 0.2 pixel (blur rounds a corner, and
a single rounded corner looks like a smaller square): a marker of 70 pixels then seems 0.3 % farther away than it is. A straight
side has no such bias, and its many pixels average the noise.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

PASSES = 2  # the second looks from where the first found the sides
ALONG, ACROSS = 64, 13  # samples of a side: places along it, and across at each place
HALF_PX = 3.0  # half width of the strip that is looked at, beyond the blur of any sharp image
# At most this share of a cell: further in there may be the code, further out the end of the quiet zone.
CELL_SHARE = 0.45
LEAST_HALF_PX = 1.0  # a narrower strip holds no edge with both its levels
LEAST_SHARE = 0.5  # of the places along a side that must show the edge


def fitted_corners(image: NDArray[np.uint8], corners: Floats, cells: int) -> Floats | None:
    """(4, 2) pixels, from corners known to about a pixel, clockwise in the image; ``cells``: of the marker along its side.
    None where the sides cannot be told: too small, too oblique, covered."""
    found: Floats | None = corners
    for _ in range(PASSES):
        if found is None:
            return None
        found = _one_pass(image, found, cells)
    return found


def _one_pass(image: NDArray[np.uint8], corners: Floats, cells: int) -> Floats | None:
    start, way = corners, np.roll(corners, -1, axis=0) - corners
    length = np.linalg.norm(way, axis=1)
    if not np.all(length > 2.0 * LEAST_HALF_PX):
        return None
    along = way / length[:, None]
    outward = np.stack([along[:, 1], -along[:, 0]], axis=1)
    opposite = 0.5 * (np.roll(corners, -2, axis=0) + np.roll(corners, -3, axis=0))
    depth = np.einsum("ij,ij->i", start - opposite, outward)
    half = np.minimum(HALF_PX, CELL_SHARE * depth / cells)
    if half.min() < LEAST_HALF_PX:
        return None
    places = length[:, None] * np.linspace(0.5 / cells, 1.0 - 0.5 / cells, ALONG)  # the corners' blur stays outside
    offsets = half[:, None] * np.linspace(-1.0, 1.0, ACROSS)
    points = start[:, None, None] + places[:, :, None, None] * along[:, None, None]
    points = points + offsets[:, None, :, None] * outward[:, None, None]
    edge, seen = _edge_offsets(_sampled(image, points), half)
    fit = _lines(places, edge, seen)
    if fit is None:
        return None
    at, slope = fit
    return _crossings(start + at[:, None] * outward, along + slope[:, None] * outward)


def _edge_offsets(grey: Floats, half: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """Where an ideal step with the strip's two levels would hold the same area, outward from the strip's middle, and whether
    there is a step at all. Linear in the grey levels between, so that white noise does not shift it."""
    dark, bright = grey[:, :, :2].mean(axis=2), grey[:, :, -2:].mean(axis=2)
    contrast = bright - dark
    usual = np.median(contrast, axis=1)[:, None]
    seen = (contrast > 0.5 * usual) & (usual > 0.0)
    over = (grey - dark[:, :, None]) / np.where(seen, contrast, 1.0)[:, :, None]
    area = over.sum(axis=2) - 0.5 * (over[:, :, 0] + over[:, :, -1])
    return half[:, None] * (1.0 - 2.0 * area / (ACROSS - 1)), seen


def _lines(places: Floats, edge: Floats, seen: NDArray[np.bool_]) -> tuple[Floats, Floats] | None:
    """Offset at the start and slope of each side, by least squares; what lies off the first line by three of its robust
    deviations (a shadow's end, something in front) is left out of the second."""
    for last in (False, True):
        if seen.mean(axis=1).min() < LEAST_SHARE:
            return None
        count = seen.sum(axis=1)
        x0, y0 = (places * seen).sum(axis=1) / count, (edge * seen).sum(axis=1) / count
        dx, dy = (places - x0[:, None]) * seen, (edge - y0[:, None]) * seen
        slope = (dx * dy).sum(axis=1) / (dx * dx).sum(axis=1)
        at = y0 - slope * x0
        if not last:
            off = np.abs(edge - at[:, None] - slope[:, None] * places)
            robust = 1.4826 * np.nanmedian(np.where(seen, off, np.nan), axis=1)
            seen = seen & (off <= 3.0 * robust[:, None] + 1e-3)  # a perfect image has no deviation at all
    return at, slope


def _crossings(points: Floats, ways: Floats) -> Floats | None:
    """Where each line meets the one before it."""
    before, way_before = np.roll(points, 1, axis=0), np.roll(ways, 1, axis=0)
    gap = points - before
    turn = way_before[:, 0] * ways[:, 1] - way_before[:, 1] * ways[:, 0]
    if np.abs(turn).min() < 1e-3:  # of lines about a unit long per pixel: nearly parallel
        return None
    share = (gap[:, 0] * ways[:, 1] - gap[:, 1] * ways[:, 0]) / turn
    return np.asarray(before + share[:, None] * way_before)


def _sampled(image: NDArray[np.uint8], points: Floats) -> Floats:
    """Bilinear grey levels; outside, those of the image's rim."""
    height, width = image.shape
    u, v = np.clip(points[..., 0], 0.0, width - 1.0), np.clip(points[..., 1], 0.0, height - 1.0)
    i, j = np.minimum(u.astype(np.intp), width - 2), np.minimum(v.astype(np.intp), height - 2)
    a, b = u - i, v - j
    grey, at = image.ravel(), j * width + i
    upper = (1.0 - a) * grey[at] + a * grey[at + 1]
    lower = (1.0 - a) * grey[at + width] + a * grey[at + width + 1]
    return np.asarray((1.0 - b) * upper + b * lower)

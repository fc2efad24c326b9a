"""Where in a picture the client may be: what is bright, is large enough to be no star, and is not the Earth."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from proxops.core.lens import Lens
from proxops.core.vision import Floats
from proxops.onboard.vision.sight import EarthInView

Picture = NDArray[np.float32]
Mask = NDArray[np.bool_]
LIT: Final = 0.15  # of what is bright: it is seen
FEWEST: Final = 60  # px of a client
SPECK: Final = 12  # px of a star, a stuck pixel
TOGETHER: Final = 0.35  # of its own size: what lies no further from the largest piece belongs to it
AIR_RAD: Final = math.radians(1.5)  # beside the Earth's disc
LEAST_NOISE: Final = 0.4  # of levels, after smoothing
FAINTEST: Final = 6.0  # times the noise of the dark


@dataclass(frozen=True, eq=False)
class BrightRegion:
    """``mask`` of the whole picture. ``dark``: the level where nothing is, and its ``noise``; ``white``: of its bright
    parts, above that. Levels are 0 to 255."""

    mask: Mask
    dark: float
    noise: float
    white: float
    middle: tuple[float, float]  # px
    extent: float  # px: root of the mean square of the distance from there

    @property
    def box(self) -> tuple[int, int, int, int]:
        """First row and column, and one past the last."""
        rows, columns = np.flatnonzero(self.mask.any(axis=1)), np.flatnonzero(self.mask.any(axis=0))
        return int(rows[0]), int(columns[0]), int(rows[-1]) + 1, int(columns[-1]) + 1


def bright_region(picture: Picture, sky: Mask, looked_at: Mask) -> BrightRegion | None:
    """``sky``: where the client may be seen; ``looked_at``: where some of it must. None if nothing is lit."""
    smooth = cv2.GaussianBlur(picture, (0, 0), 1.0)
    levels = smooth[sky]
    if levels.size < FEWEST:
        return None
    dark = float(np.median(levels))
    noise = max(1.4826 * float(np.median(np.abs(levels - dark))), LEAST_NOISE)
    lit = (smooth > dark + FAINTEST * noise) & sky
    if np.count_nonzero(lit) < FEWEST:
        return None
    white = float(np.percentile(picture[lit], 90.0)) - dark
    mask = _largest((smooth > dark + max(LIT * white, FAINTEST * noise)) & sky, looked_at)
    if np.count_nonzero(mask) < FEWEST:
        return None
    white = float(np.percentile(picture[mask], 85.0)) - dark
    y, x = np.nonzero(mask)
    u, v = float(x.mean()), float(y.mean())
    return BrightRegion(mask, dark, noise, white, (u, v), float(np.sqrt(np.mean((x - u) ** 2 + (y - v) ** 2))))


def region_about(picture: Picture, sky: Mask, middle: tuple[float, float], client_px: float) -> BrightRegion | None:
    """Where the client is expected, whatever is behind it: ``middle`` and ``client_px``, half of its size."""
    v, u = np.mgrid[: picture.shape[0], : picture.shape[1]]
    near = np.hypot(u - middle[0], v - middle[1]) <= client_px
    if np.count_nonzero(near) < FEWEST:
        return None
    dark = float(np.percentile(picture, 1.0))
    levels = picture[near] - dark
    lit = levels[levels > FAINTEST * LEAST_NOISE]
    if lit.size < FEWEST:
        return None
    white = float(np.percentile(lit, 90.0))
    mask = near & sky & (picture - dark > LIT * white)
    return BrightRegion(mask, dark, LEAST_NOISE, white, middle, 0.5 * client_px)


def _largest(mask: Mask, looked_at: Mask) -> Mask:
    """The largest piece that begins there, with those near it."""
    count, labels, stats, _ = cv2.connectedComponentsWithStats(mask.astype(np.uint8), connectivity=8)
    area = stats[:, cv2.CC_STAT_AREA].copy()
    area[0] = 0
    there = np.bincount(labels[looked_at], minlength=count)
    begun = np.where(there > 0, area, 0)
    if begun.max(initial=0) < SPECK:
        return np.zeros_like(mask)
    taken = labels == int(np.argmax(begun))
    while True:
        y, x = np.nonzero(taken)
        reach = max(3, round(TOGETHER * max(x.max() - x.min(), y.max() - y.min())))
        near = cv2.distanceTransform(1 - taken.astype(np.uint8), cv2.DIST_L2, 3) <= reach
        numbers = np.unique(labels[near])
        wanted = [k for k in numbers if k > 0 and area[k] >= SPECK]
        grown = np.isin(labels, wanted)
        if np.count_nonzero(grown) == np.count_nonzero(taken):
            return np.asarray(taken, np.bool_)
        taken = grown


def without_earth(lens: Lens, x: Floats, y: Floats, earth: EarthInView | None) -> Mask:
    """(h, w) which pixels look past it. ``x``, ``y``: their lines of sight."""
    if earth is None:
        return np.ones((lens.height, lens.width), np.bool_)
    d = earth.direction / np.linalg.norm(earth.direction)
    cosine = (d[0] * x + d[1] * y + d[2]) / np.sqrt(x * x + y * y + 1.0)
    return np.asarray(cosine < math.cos(min(earth.radius_rad + AIR_RAD, math.pi)))

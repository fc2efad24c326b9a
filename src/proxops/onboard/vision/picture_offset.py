"""Where in a picture the client seems to be, if it is further off than edges can be followed: by the correlation of the whole."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np

from proxops.core.lens import Lens
from proxops.core.vision import Floats
from proxops.onboard.vision.expected_picture import ExpectedPicture, Picture

RIM: Final = 2  # px of the sky round the client that are compared with it
FAINT: Final = 0.1  # of the greatest variance: what varies less counts as if it varied so much
LOOKED_AT: Final = 100  # pixels across, at most: of a larger client several are taken together


def brought_over(picture: Picture, level: Picture, expected: ExpectedPicture, lens: Lens, reach: int) -> Floats:
    """The expected pose moved across the line of sight, by ``reach`` pixels at most, to where ``picture`` (whole) is most like
    ``level`` (of the expected box)."""
    inner = np.argwhere(expected.ids >= 0)
    first, last = inner.min(axis=0), inner.max(axis=0) + 1
    y, x = np.maximum(first - RIM, 0)
    part = level[y : last[0] + RIM, x : last[1] + RIM]
    y, x = y + expected.box[0], x + expected.box[1]
    y0, x0 = max(y - reach, 0), max(x - reach, 0)
    region = picture[y0 : y + part.shape[0] + reach, x0 : x + part.shape[1] + reach]
    shrink = max(1, round(max(part.shape) / LOOKED_AT))
    best = cv2.minMaxLoc(_likeness(_shrunk(region, shrink), _shrunk(part, shrink)))[3]
    out = expected.T_sensor_target.copy()
    out[0] += out[2] * (best[0] * shrink - (x - x0)) / lens.fx
    out[1] += out[2] * (best[1] * shrink - (y - y0)) / lens.fy
    return out


def _likeness(region: Picture, part: Picture) -> Picture:
    """Correlation at each place; where there is nothing but noise, it is nothing."""
    size = part.shape[1], part.shape[0]
    product = cv2.matchTemplate(region, part, cv2.TM_CCOEFF)
    mean = cv2.boxFilter(region, cv2.CV_32F, size, anchor=(0, 0), normalize=True)[
        : product.shape[0], : product.shape[1]
    ]
    square = cv2.sqrBoxFilter(region, cv2.CV_32F, size, anchor=(0, 0), normalize=True)
    variance = square[: product.shape[0], : product.shape[1]] - mean * mean
    least = FAINT * float(variance.max(initial=0.0))
    return np.asarray(product / np.sqrt(np.maximum(variance, max(least, 1e-6))), np.float32)


def _shrunk(picture: Picture, times: int) -> Picture:
    if times == 1:
        return picture
    size = max(picture.shape[1] // times, 1), max(picture.shape[0] // times, 1)
    return np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.float32)

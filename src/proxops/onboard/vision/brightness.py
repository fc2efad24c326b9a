"""How bright each material of the client is in an image, against how bright it was expected: nobody knows that beforehand.

A surface that has been in the Sun for years, paint from another batch: a seam of two materials then looks unlike what was
expected, and seems to be elsewhere. So each material's brightness is taken from the image, where the first fit puts it, and the
picture that is expected is drawn anew with it. That also says which level of the image a radiance has, and what is over-exposed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from proxops.core.vision import Floats
from proxops.maths.kernel import kernel
from proxops.maths.pose import pose_from_packed
from proxops.maths.rotation import Array
from proxops.onboard.vision.control_points import between_pixels
from proxops.onboard.vision.expected_picture import Draughtsman, ExpectedPicture, Picture
from proxops.onboard.vision.lens_kernel import pixel_of
from proxops.optics.render.fill import Ids
from proxops.optics.render.surfaces import MATERIAL

MOST: Final = 6000  # pixels that are looked at
INSIDE: Final = 1  # px round one that see the same material
FEWEST: Final = 8  # pixels of a material that tell its brightness
WITHIN: Final = 4.0  # times brighter or darker than expected, at most
DIM: Final = 0.01  # of the bright parts: what is dimmer tells nothing
FULL: Final = 0.97  # of white: a level that is cut off


@dataclass(frozen=True, eq=False)
class Brightness:
    """``gains``: of each material, against what is known of it. ``level``: of the image, for a radiance of 1 W/m²/sr; nothing as
    long as nobody has looked."""

    gains: Floats
    level: float = 0.0
    white: float = math.inf  # highest level

    @property
    def brightest(self) -> float:
        """Radiance that is white in the image, W/m²/sr."""
        return self.white / self.level if self.level > 0.0 else math.inf

    def differs(self, other: Brightness) -> float:
        """By how many times, at most."""
        return float(np.exp(np.abs(np.log(self.gains / other.gains)).max()))


def seen_brightness(
    picture: Picture, white: int, expected: ExpectedPicture, level: Picture, drawn_by: Draughtsman, T_found: Floats,
    lens: Floats, before: Brightness,
) -> Brightness:  # fmt: skip
    """``picture`` smoothed as ``level``, the picture of ``expected``; ``before``: with which that was drawn; ``T_found`` (7):
    where the client is in the image."""
    step = max(1, round(math.sqrt(expected.pixels / MOST)))
    found = np.empty((expected.pixels, 3))
    least = DIM * float(np.percentile(level[expected.ids >= 0], 90))
    top, left, bottom, right = expected.box
    count = put_ratios(
        picture, level, expected.ids, expected.nearness,
        np.ascontiguousarray(drawn_by.x[top:bottom, left:right]), np.ascontiguousarray(drawn_by.y[top:bottom, left:right]),
        pose_from_packed(expected.T_sensor_target), pose_from_packed(T_found), lens, drawn_by.triangles, least, step, found,
    )  # fmt: skip
    material, seen, drawn = found[:count][found[:count, 1] < FULL * white].T
    ratio = seen / drawn
    times = np.full(len(before.gains), np.nan)
    weight = np.zeros(len(before.gains))
    for m in range(len(times)):
        of = material == m
        if np.count_nonzero(of) >= FEWEST:
            times[m], weight[m] = float(np.median(ratio[of])), np.count_nonzero(of)
    known = np.isfinite(times) & (times > 0.0)
    if not known.any():
        return before
    absolute = times * before.gains
    middle = math.exp(float(np.average(np.log(absolute[known]), weights=np.sqrt(weight[known]))))
    gains = np.where(known, absolute / middle, 1.0)
    return Brightness(np.clip(gains, 1.0 / WITHIN, WITHIN), middle, float(white))


@kernel
def put_ratios(
    picture: Picture, level: Picture, ids: Ids, nearness: Picture, x: Array, y: Array, T: Array, T_found: Array, lens: Array,
    triangles: Array, least: float, step: int, out: Array,
) -> int:  # fmt: skip
    """Rows of ``out``: material, level in the image, expected radiance; of every ``step``-th pixel that sees one material only
    and is expected to be brighter than ``least``. Returns how many there are."""
    count = 0
    for j in range(INSIDE, ids.shape[0] - INSIDE, step):
        for i in range(INSIDE, ids.shape[1] - INSIDE, step):
            t = ids[j, i]
            if t < 0 or level[j, i] < least or not _alone(ids, triangles, j, i):
                continue
            z = 1.0 / nearness[j, i]
            a, b, c = z * x[j, i] - T[0, 3], z * y[j, i] - T[1, 3], z - T[2, 3]
            p = T[0, 0] * a + T[1, 0] * b + T[2, 0] * c
            q = T[0, 1] * a + T[1, 1] * b + T[2, 1] * c
            r = T[0, 2] * a + T[1, 2] * b + T[2, 2] * c
            far = T_found[2, 0] * p + T_found[2, 1] * q + T_found[2, 2] * r + T_found[2, 3]
            if far < 0.02:
                continue
            u, v = pixel_of(
                lens,
                T_found[0, 0] * p + T_found[0, 1] * q + T_found[0, 2] * r + T_found[0, 3],
                T_found[1, 0] * p + T_found[1, 1] * q + T_found[1, 2] * r + T_found[1, 3],
                far,
            )
            if not (0.0 <= u < picture.shape[1] - 1 and 0.0 <= v < picture.shape[0] - 1):
                continue
            out[count, 0], out[count, 1], out[count, 2] = (
                triangles[t, MATERIAL],
                between_pixels(picture, u, v),
                level[j, i],
            )
            count += 1
    return count


@kernel
def _alone(ids: Ids, triangles: Array, j: int, i: int) -> bool:
    """Whether all round see what this pixel sees."""
    material = triangles[ids[j, i], MATERIAL]
    for dj in range(-INSIDE, INSIDE + 1, INSIDE):
        for di in range(-INSIDE, INSIDE + 1, INSIDE):
            other = ids[j + dj, i + di]
            if other < 0 or triangles[other, MATERIAL] != material:
                return False
    return True

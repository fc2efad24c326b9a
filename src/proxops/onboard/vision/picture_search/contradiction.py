"""What of a picture contradicts a pose: pixels that no likely light and no likely surface makes so bright, or so dark.

The client is drawn at the pose, and with the Sun turned a little to four sides; a pixel should lie between the darkest and the
brightest of these and of its neighbours. How much light each material sends back is known by a factor:
it is fitted, within bounds. A foil's crinkles may be as bright as they like.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from proxops.core.vision import Floats
from proxops.onboard.vision.expected_picture import Draughtsman, ExpectedPicture, Picture, smoothed
from proxops.onboard.vision.picture_search.bright_region import BrightRegion
from proxops.optics.render.surfaces import MATERIAL
from proxops.optics.scene.light import DistantLight, Light

Flags = NDArray[np.bool_]
SUN_OFF: Final = math.radians(3.0)  # by which the Sun may be known wrongly
NEIGHBOURS: Final = 3  # px across: within it edges may be elsewhere
BLUR_PX: Final = 0.7
MARGIN: Final = 8
FACTOR: Final = 4.0  # by which materials may differ from what is known of them, one from another
ALIKE: Final = 1.7  # and a pixel of one from the others
CRINKLED: Final = (15.0, 1e3)  # likewise a foil: darker, brighter
NOISE: Final = 5.0  # deviations


@dataclass(frozen=True, eq=False)
class Contradiction:
    """Shares of what is seen or expected to be seen. ``unseen``: expected, but dark; ``beside``: seen where nothing should be."""

    share: float
    unseen: float
    beside: float
    pixels: int


def contradiction(
    picture: Picture, region: BrightRegion, sky: Flags, T: Floats, lights: tuple[Light, ...], drawn_by: Draughtsman,
    crinkled: Flags,
) -> Contradiction:  # fmt: skip
    """``sky``: where nothing else than the client is lit."""
    drawn = [drawn_by.draw(T, some, MARGIN) for some in turned_suns(lights)]
    expected = drawn[0]
    if expected.pixels == 0:
        return Contradiction(1.0, 0.0, 1.0, 0)
    levels = [smoothed(one.radiance, BLUR_PX) for one in drawn]
    kernel = np.ones((NEIGHBOURS, NEIGHBOURS), np.uint8)
    low, high = cv2.erode(np.min(levels, axis=0), kernel), cv2.dilate(np.max(levels, axis=0), kernel)
    top, left, bottom, right = expected.box
    seen = np.clip(smoothed(picture, 0.5)[top:bottom, left:right] - region.dark, 0.0, None)
    full, noise = 255.0 - region.dark, 2.0 * region.noise
    gain, darker, brighter = gains(seen, levels[0], expected, drawn_by, crinkled, 0.95 * full, NOISE * noise)
    least = np.minimum(gain * low / darker, 0.9 * full) - NOISE * noise
    most = brighter * gain * high + NOISE * noise
    counted = sky[top:bottom, left:right] | (cv2.erode((expected.ids >= 0).astype(np.uint8), kernel) > 0)
    lit = (seen > NOISE * noise) & counted
    wanted = least > 0.0
    unseen = (seen < least) & wanted
    beside = (seen > most) & (most < 0.9 * full) & counted
    inside = np.zeros(picture.shape, np.bool_)
    inside[top:bottom, left:right] = True
    outside = int(np.count_nonzero(region.mask & sky & ~inside))
    all_ = int(np.count_nonzero(lit | wanted)) + outside
    a, b = int(np.count_nonzero(unseen)), int(np.count_nonzero(beside)) + outside
    return Contradiction((a + b) / max(all_, 1), a / max(all_, 1), b / max(all_, 1), all_)


def turned_suns(lights: tuple[Light, ...]) -> Iterator[tuple[Light, ...]]:
    yield lights
    if any(isinstance(light, DistantLight) and light.irradiance > 0.0 for light in lights):
        for k in range(4):
            yield tuple(_turned(one, k) if isinstance(one, DistantLight) else one for one in lights)


def _turned(light: DistantLight, way: int) -> DistantLight:
    d = np.array(light.direction) / np.linalg.norm(light.direction)
    across = np.cross(d, np.eye(3)[np.argmin(np.abs(d))])
    across /= np.linalg.norm(across)
    other = np.cross(d, across)
    side = (across, -across, other, -other)[way]
    x, y, z = (math.cos(SUN_OFF) * d + math.sin(SUN_OFF) * side).tolist()
    return replace(light, direction=(x, y, z))


def gains(
    seen: Picture, level: Picture, expected: ExpectedPicture, drawn_by: Draughtsman, crinkled: Flags, full: float,
    least: float,
) -> tuple[Picture, Picture, Picture]:  # fmt: skip
    """Grey levels for each W/m²/sr, by the material of each pixel, and the factors by which one may be darker and brighter."""
    ids = expected.ids
    top = float(np.percentile(level[ids >= 0], 95))
    material = np.where(ids >= 0, drawn_by.triangles[ids, MATERIAL], -1).astype(np.int64)
    inner = cv2.erode((ids >= 0).astype(np.uint8), np.ones((3, 3), np.uint8)) > 0
    told = inner & (level > 0.01 * top) & (seen < full) & (seen > least)
    ratio = seen / np.maximum(level, 1e-9)
    common = float(np.median(ratio[told])) if np.count_nonzero(told) >= 10 else full / max(top, 1e-9)
    gain = np.full(seen.shape, common, np.float32)
    darker, brighter = (np.full(seen.shape, ALIKE, np.float32) for _ in range(2))
    for k in range(len(crinkled)):
        here = material == k
        some = told & here
        if np.count_nonzero(some) >= 10:
            gain[here] = min(max(float(np.median(ratio[some])), common / FACTOR), common * FACTOR)
        if crinkled[k]:
            darker[here], brighter[here] = CRINKLED
    near = np.ones((NEIGHBOURS, NEIGHBOURS), np.uint8)
    return cv2.dilate(gain, near), cv2.dilate(darker, near), cv2.dilate(brighter, near)

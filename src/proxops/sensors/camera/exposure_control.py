"""Automatic exposure: from a picture to the exposure time and gain of the next one.

Every picture says how bright the scene was in units of its *own* exposure and gain. So pictures that were under way when the
setting changed mislead nobody, and however late a picture comes, the control does not hunt. What is looked at is the level that
the brightest tenth of what is lit reaches, but no fewer pixels than the share FEWEST and no more than HIGHEST: so the craft
counts, far away too and before lit walls, and not its glints, the Sun's disc (70 pixels at 1000 px) or stuck pixels. It is
brought to ``target`` by the exposure time, and by gain when that is at its longest. Limit: a craft that is 40 times dimmer than
a glint of more than FEWEST is not found from the dark. Who knows where the craft is in the picture says so, and how many
pixels it covers: lit walls and floors are many more, and the longer the exposure, the more of them seem to be lit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from proxops.core.images import CameraImage, MeteredPart
from proxops.core.imaging_table import GreyCamera
from proxops.maths.kernel import kernel

FEWEST: Final = 0.001  # share of the picture that may be brighter
MEDIAN: Final = 0.5  # share of a craft that may be brighter, where it is known to be so small in the picture
BRIGHTEST: Final = 0.1  # share of what is lit that may be brighter, …
HIGHEST: Final = 0.015  # … but not more of the picture than this: walls behind the craft may be lit as well
LIT: Final = 0.015  # of white, above black: more than noise
MUCH: Final = 0.5  # share of what is lit, from which on so many white pixels say that the picture is far too bright
DOWN, FAR_DOWN = 6.0, 24.0  # by how much a white picture shortens the exposure: it does not say how bright it was
UP: Final = 24.0  # at most, by one picture: a dark one does not say how dark it was
FAINT: Final = 0.02  # of white: below that the levels are too coarse to measure by
DAMPED: Final = 0.8  # of the way, on a scale of ratios, that one picture moves the setting
NEAR_ENOUGH: Final = 1.08  # ratio within which nothing is changed


@dataclass(frozen=True)
class ExposureControl:
    """The setting to expose with; ``after`` a picture has arrived comes the next one."""

    exposure_s: float
    gain_db: float
    bounds: AutomaticBounds | None  # None: fixed

    @classmethod
    def of(cls, spec: GreyCamera) -> Self:
        """At the beginning: fixed, or in the middle of what the automatic may use."""
        if spec.exposure_ms != "auto":
            return cls(1e-3 * spec.exposure_ms, spec.gain_db, None)
        shortest, longest = 1e-3 * spec.shortest_exposure_ms, 1e-3 * spec.longest_exposure_ms
        bounds = AutomaticBounds(
            shortest, longest, spec.gain_db, spec.highest_gain_db, spec.target_level, spec.black_share
        )
        return cls(_microseconds(math.sqrt(shortest * longest)), spec.gain_db, bounds)

    def after(self, image: CameraImage, part: MeteredPart | None = None) -> Self:
        """The setting, once this picture is there. ``part``: to measure by; all of it unless given."""
        if self.bounds is None:
            return self
        wanted = self.bounds.within(_exposed(image.exposure_s, image.gain_db) * self.bounds.correction(image, part))
        now = _exposed(self.exposure_s, self.gain_db)
        if 1.0 / NEAR_ENOUGH < wanted / now < NEAR_ENOUGH:
            return self
        exposure_s, gain_db = self.bounds.split(now * math.pow(wanted / now, DAMPED))
        return replace(self, exposure_s=exposure_s, gain_db=gain_db)


@dataclass(frozen=True)
class AutomaticBounds:
    """``target`` and ``black`` are shares of white. "Exposed" is seconds times gain."""

    shortest_s: float
    longest_s: float
    lowest_db: float
    highest_db: float
    target: float
    black: float

    def correction(self, image: CameraImage, part: MeteredPart | None = None) -> float:
        """By which the picture's exposure should have been longer."""
        counts = np.zeros(image.white + 1, np.int64)
        pixels = image.pixels if part is None else image.pixels[part.top : part.bottom, part.left : part.right]
        count_levels(pixels, counts)
        lit, fewest = int(counts[math.ceil((self.black + LIT) * image.white) :].sum()), FEWEST * image.pixels.size
        craft: float = lit
        if part is not None:
            craft, fewest = min(lit, part.craft_px), min(fewest, MEDIAN * min(part.craft_px, pixels.size))
        most = max(fewest, min(BRIGHTEST * craft, HIGHEST * image.pixels.size))
        level = image.white - int(np.argmax(np.cumsum(counts[::-1]) > most))
        if level == image.white:
            return 1.0 / (FAR_DOWN if counts[-1] > MUCH * craft else DOWN)
        share = level / image.white - self.black
        return UP if share < FAINT else min(UP, (self.target - self.black) / share)

    def within(self, exposed: float) -> float:
        least, most = _exposed(self.shortest_s, self.lowest_db), _exposed(self.longest_s, self.highest_db)
        return min(max(exposed, least), most)

    def split(self, exposed: float) -> tuple[float, float]:
        """(exposure in s, gain in dB): as long as it may be before there is gain."""
        exposure_s = exposed / _exposed(1.0, self.lowest_db)
        if exposure_s <= self.longest_s:
            return max(_microseconds(exposure_s), self.shortest_s), self.lowest_db
        gain_db = 20.0 * math.log10(exposed / self.longest_s)
        return self.longest_s, min(round(gain_db, 2), self.highest_db)


def _exposed(exposure_s: float, gain_db: float) -> float:
    return exposure_s * math.pow(10.0, gain_db / 20.0)


def _microseconds(seconds: float) -> float:
    """Whole ones, as cameras are told."""
    return round(seconds, 6)


@kernel
def count_levels(pixels: NDArray[np.uint8] | NDArray[np.uint16], counts: NDArray[np.int64]) -> None:
    """``counts`` += pixels of each level."""
    height, width = pixels.shape
    for v in range(height):
        for u in range(width):
            counts[pixels[v, u]] += 1

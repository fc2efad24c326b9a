"""The search of a whole picture: what is bright in it, all attitudes laid over that, the best refined by edges and compared."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from proxops.core.lens import Lens
from proxops.core.vision import Floats
from proxops.core.vocabulary import Doubt
from proxops.onboard.vision.expectation import difference
from proxops.onboard.vision.fitted import Fitted, Refine
from proxops.onboard.vision.picture_search.bright_region import Picture, bright_region, near_designated, without_earth
from proxops.onboard.vision.picture_search.candidates import FirstPose, first_poses
from proxops.onboard.vision.picture_search.known_shape import known_shape
from proxops.onboard.vision.picture_search.line_of_sight import LinesOfSight
from proxops.onboard.vision.sight import Sight
from proxops.optics.scene.mesh import Mesh

REFINED: Final = 12
SAME: Final = (0.03, np.radians(5.0))  # share of the distance, rad: poses that are one
NEARLY: Final = 0.92  # of the best support: a pose that has so much fits nearly as well
LEAST: Final = 0.62  # support of a pose from a search


class PictureSearch:
    """Of one client through one lens; keeps nothing from picture to picture."""

    def __init__(self, lens: Lens, client: Mesh) -> None:
        self._lens, self._shape, self._lines = lens, known_shape(client), LinesOfSight(lens)

    def find(self, sight: Sight, picture: Picture, refine: Refine) -> Fitted | None:
        """None if nothing is there."""
        sky = without_earth(self._lens, self._lines.x, self._lines.y, sight.earth)
        region = bright_region(picture, sky & near_designated(self._lens, sight.designated, 0.25 * self._lens.width))
        if region is None:
            return None
        first = first_poses(sight, picture, region, self._lens, self._lines, self._shape)
        return best_of([found for one in apart(first)[:REFINED] if (found := refine(one.T_sensor_target)) is not None])


def apart(poses: list[FirstPose]) -> list[FirstPose]:
    """The first of those that are nearly one."""
    chosen: list[FirstPose] = []
    for one in poses:
        if not any(same(one.T_sensor_target, other.T_sensor_target) for other in chosen):
            chosen.append(one)
    return chosen


def same(T_one: Floats, T_other: Floats) -> bool:
    off = difference(T_one, T_other)
    place = float(np.linalg.norm(off[:3])) / float(np.linalg.norm(T_one[:3]))
    return place < SAME[0] and float(np.linalg.norm(off[3:])) < SAME[1]


def best_of(found: list[Fitted]) -> Fitted | None:
    """By support; in doubt if another one has nearly as much."""
    if not found:
        return None
    best = max(found, key=lambda one: (one.doubt is Doubt.NONE, one.support))
    if best.doubt is not Doubt.NONE:
        return best
    if best.support < LEAST:
        return replace(best, doubt=Doubt.SUPPORT, trust=0.0)
    others = [one for one in found if not same(one.T_sensor_target, best.T_sensor_target)]
    if any(one.support > NEARLY * best.support and 2 * one.fitting > best.fitting for one in others):
        return replace(best, doubt=Doubt.AMBIGUOUS, trust=0.0)
    return best

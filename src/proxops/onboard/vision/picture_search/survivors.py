"""What is left when first poses have been refined by edges, and which of it may be believed.

A client is often nearly the same after half a turn. Then edges fit nearly as well, and what decides is what contradicts a pose.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from proxops.core.vision import Floats
from proxops.core.vocabulary import Doubt
from proxops.onboard.vision.expectation import difference
from proxops.onboard.vision.fitted import Fitted
from proxops.onboard.vision.picture_search.contradiction import Contradiction
from proxops.optics.scene.light import DistantLight, Light

SAME: Final = (0.03, float(np.radians(5.0)))  # share of the distance, rad: poses that are one
LEAST_SUPPORT: Final = 0.6
MOST_CONTRADICTION: Final = 0.008
MOST_SHADOWED: Final = 0.3  # unseen, where the chaser may stand in the Sun
CHASER_M: Final = 3.0  # from the line of sight: as far as its shadow falls on the client
APART: Final = (0.012, 16.0)  # share and pixels by which another pose must be contradicted more


@dataclass(frozen=True, eq=False)
class Survivor:
    fitted: Fitted
    against: Contradiction
    may_be_shadowed: bool  # by the chaser, of which nothing is drawn

    @property
    def contradicted(self) -> bool:
        if self.may_be_shadowed:
            return self.against.beside > MOST_CONTRADICTION or self.against.unseen > MOST_SHADOWED
        return self.against.share > MOST_CONTRADICTION


def same(T_one: Floats, T_other: Floats) -> bool:
    off = difference(T_one, T_other)
    place = float(np.linalg.norm(off[:3])) / float(np.linalg.norm(T_one[:3]))
    return place < SAME[0] and float(np.linalg.norm(off[3:])) < SAME[1]


def apart(found: Sequence[Fitted]) -> list[Fitted]:
    """One of each that are the same: the best supported; those first."""
    chosen: list[Fitted] = []
    for one in sorted(found, key=lambda fitted: -fitted.support):
        if not any(same(one.T_sensor_target, other.T_sensor_target) for other in chosen):
            chosen.append(one)
    return chosen


def believed(survivors: Sequence[Survivor]) -> Fitted | None:
    """The one that is contradicted least; in doubt if that is too much, or another one's is hardly more."""
    if not survivors:
        return None
    best = min(survivors, key=lambda one: one.against.share)
    doubt = best.fitted.doubt
    if doubt is Doubt.NONE:
        doubt = (
            Doubt.SUPPORT if best.fitted.support < LEAST_SUPPORT or best.contradicted else
            Doubt.AMBIGUOUS if any(_nearly(one, best) for one in survivors if one is not best) else
            Doubt.NONE
        )  # fmt: skip
    return best.fitted if doubt is Doubt.NONE else replace(best.fitted, doubt=doubt, trust=0.0)


def _nearly(other: Survivor, best: Survivor) -> bool:
    more = other.against.share - best.against.share
    return more < APART[0] or more * other.against.pixels < APART[1]


def may_be_shadowed(T_sensor_target: Floats, lights: tuple[Light, ...]) -> bool:
    """Whether the Sun shines so nearly along the line of sight."""
    p = T_sensor_target[:3]
    for light in lights:
        if isinstance(light, DistantLight):
            direction = np.array(light.direction) / np.linalg.norm(light.direction)
            along = float(p @ direction)
            if along < 0.0 and float(np.linalg.norm(p - along * direction)) < CHASER_M:
                return True
    return False

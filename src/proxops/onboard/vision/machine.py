"""SEARCH, TRACK, LOST: what is asked of an estimator with each image of a sensor, and what its answers mean.

While it searches, nobody knows where the client is: each image is looked at as a whole. While it tracks, an image is compared
with what is expected: by the filter, or by the images before where there is no filter yet or the filter contradicts them. Some
images in a row without a pose, and the client is lost: what the filter believes is still asked for, wide as it has become; when
that has not helped for as many images again, a whole image is searched, and so on in turn.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from proxops.core.vision import PoseFound, PosePrediction, spread
from proxops.core.vocabulary import Doubt, VisionState
from proxops.onboard.vision.expectation import carried_on, difference
from proxops.onboard.vision.prediction_width import searches

SEARCH, TRACK, LOST = VisionState.SEARCH, VisionState.TRACK, VisionState.LOST
NEXT: Final[Mapping[tuple[VisionState, str], VisionState]] = {
    (SEARCH, "found"): TRACK,
    (LOST, "found"): TRACK,
    (TRACK, "missed"): LOST,  # so many in a row
    (TRACK, "contradicted"): LOST,  # by the filter, so often in a row
    (TRACK, "designated"): SEARCH,  # an operator says where the client is: what was tracked is not believed any more
    (LOST, "designated"): SEARCH,
}
"""What is not listed changes nothing."""
# Poses in a row that contradict the filter, and the track is given up. A filter that has nothing else would have begun anew from
# half as many: another sensor keeps it where it is, and one of two surfaces that look alike is followed.
GIVEN_UP: Final = 20
FRESH_S: Final = 2.0  # so long a pose of an image before tells where the next one is
# An estimate as wide as this (one standard deviation, in any direction) tells nothing: share of the distance, rad.
WIDEST: Final = (0.3, math.radians(60.0))
# The filter contradicts the last image when it is further off than this, beside what both say of themselves: share, m, rad.
CONTRADICTS: Final = (0.02, 0.05, math.radians(4.0))


@dataclass(frozen=True, eq=False)
class Tracking:
    """Of one sensor. ``doubt``: of the last image; lost: why."""

    state: VisionState = SEARCH
    doubt: Doubt = Doubt.NOT_FOUND
    missed: int = 0  # images in a row without a trusted pose
    last: PoseFound | None = None  # trusted
    before: PoseFound | None = None  # the one before that
    contradicted: int = 0  # trusted poses in a row


def asked_with(now: Tracking, t: float, believed: PosePrediction | None, lost_after: int) -> PosePrediction | None:
    """What the image of ``t`` is compared with; None: it is searched as a whole. ``believed``: by the filter."""
    own = followed(now, t)
    belief = believed if believed is not None and telling(believed) else None
    if own is not None and (belief is None or searches(belief) or contradicts(own, belief) or now.missed % 2):
        return own  # also where the belief has just failed, and nothing but its width kept it from being contradicted
    whole = now.state is SEARCH or (now.missed > lost_after and now.missed % (2 * lost_after) == 0)
    return None if whole and not (now.state is SEARCH and now.missed % 2) else belief


def followed(now: Tracking, t: float) -> PosePrediction | None:
    """What the images before tell of ``t``, while the client is tracked."""
    if now.state is TRACK and now.last is not None and 0.0 <= t - now.last.t <= FRESH_S:
        return carried_on(now.last, now.before, t)
    return None


def telling(belief: PosePrediction) -> bool:
    """Whether it says where the client is, and how it is turned, at all."""
    return placed(belief) and spread(belief.covariance)[1] < WIDEST[1]


def placed(belief: PosePrediction) -> bool:
    """Whether it says where the client is at all."""
    distance = float(np.linalg.norm(belief.T_sensor_target[:3]))
    return bool(np.isfinite(belief.T_sensor_target).all()) and spread(belief.covariance)[0] < WIDEST[0] * distance


def contradicts(own: PosePrediction, belief: PosePrediction) -> bool:
    """Whether the images and the filter are further apart than either allows."""
    off = difference(own.T_sensor_target, belief.T_sensor_target)
    distance = float(np.linalg.norm(own.T_sensor_target[:3]))
    places, turns = zip(spread(own.covariance), spread(belief.covariance), strict=True)
    far = float(np.linalg.norm(off[:3])) > CONTRADICTS[0] * distance + CONTRADICTS[1] + 3.0 * math.hypot(*places)
    return far or float(np.linalg.norm(off[3:])) > CONTRADICTS[2] + 3.0 * math.hypot(*turns)


def after(now: Tracking, found: PoseFound, lost_after: int, believed: PosePrediction | None = None) -> Tracking:
    """With the answer to an image. ``believed``: by the filter at its time."""
    if found.trusted:
        against = now.contradicted + 1 if now.state is TRACK and _against(found, believed) else 0
        if against >= GIVEN_UP:
            return Tracking(NEXT[TRACK, "contradicted"], Doubt.FAR_OFF, lost_after)
        state = NEXT.get((now.state, "found"), now.state)
        before = now.last if now.state is TRACK else None
        return Tracking(state, Doubt.NONE, 0, found, before, against)
    missed = now.missed + 1
    state = NEXT.get((now.state, "missed"), now.state) if missed >= lost_after else now.state
    return replace(now, state=state, doubt=found.doubt, missed=missed)


def _against(found: PoseFound, believed: PosePrediction | None) -> bool:
    return believed is not None and telling(believed) and contradicts(carried_on(found, None, found.t), believed)


def designated(now: Tracking) -> Tracking:
    """An operator says where the client is: the next image is searched as a whole, whatever the filter believes."""
    return Tracking(NEXT.get((now.state, "designated"), now.state), now.doubt)

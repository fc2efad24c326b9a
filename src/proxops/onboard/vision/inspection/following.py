"""An unknown client followed from look to look: each is laid over those before it that saw the same side.

It is foretold with the craft's own attitude and the rate at which the client has turned so far; the first two looks have none,
so the client must not turn by much more than ten degrees between them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np

from proxops.core.experiment_result import Progress
from proxops.core.vision import Floats
from proxops.onboard.vision.depth.ranging import Ranging
from proxops.onboard.vision.inspection.cloud import client_beams
from proxops.onboard.vision.inspection.look import InspectionLook
from proxops.onboard.vision.inspection.registration import FEWEST, registered
from proxops.onboard.vision.inspection.spin import spin_of
from proxops.onboard.vision.inspection.track import Track, foretold, inverted, relative_motion

SAME_SIDE: Final = math.cos(math.radians(50.0))  # between two views
LAST: Final = 8  # looks by which the rate is known
FIRST_REACH_M: Final = 0.5  # as long as nothing is known of the rate
REACH_M: Final = 0.2
LEAST_SHARE: Final = 0.6
BEFORE: Final = 12  # looks of the same side that a look is laid over


class ClientFollowing:
    """The frame has the sensor's axes at the first look that sees anything, and its origin in the middle of what that sees."""

    def __init__(self, ranging: Ranging) -> None:
        self._ranging = ranging
        self._points: list[Floats] = []  # of each look, in the client's frame
        self.track = Track((), np.zeros((0, 4, 4)))

    def follow(self, looks: Sequence[InspectionLook], progress: Progress) -> Track:
        progress("following", 0, len(looks))
        for number, look in enumerate(looks, 1):
            self._take(look)
            progress("following", number, len(looks))
        return self.track

    def _take(self, look: InspectionLook) -> None:
        rate = self._rate()
        seen = client_beams(self._ranging, look, None, self._motion(look, rate)).end
        if len(seen) < FEWEST:
            return
        T = _begun(seen) if not len(self.track) else self._next(look, seen, rate)
        if T is None:
            return
        self.track = self.track.extended(look, T)
        self._points.append((seen - T[:3, 3]) @ T[:3, :3])

    def _next(self, look: InspectionLook, seen: Floats, rate: Floats) -> Floats | None:
        """The middle of what is seen is taken to stay where it was in the client; registration finds what that is off."""
        R = foretold(self.track, look, rate)
        T = np.eye(4)
        T[:3, :3] = R
        T[:3, 3] = seen.mean(axis=0) - R @ self._points[-1].mean(axis=0)
        target = self._same_side(-R.T @ T[:3, 3])
        reach = FIRST_REACH_M if len(self.track) < 3 else REACH_M
        found = registered(target, seen, inverted(T), reach)
        if found is None or found.share < LEAST_SHARE:
            return None
        return inverted(found.T_target_source)

    def _same_side(self, to_sensor: Floats) -> Floats:
        near = self.track.views @ (to_sensor / np.linalg.norm(to_sensor)) > SAME_SIDE
        chosen = np.nonzero(near)[0][-BEFORE:] if near.any() else [len(self.track) - 1]
        return np.concatenate([self._points[k] for k in chosen])

    def _rate(self) -> Floats:
        """(3) rad/s, inertial."""
        times, R = self.track.times[-LAST:], self.track.R_eci_client[-LAST:]
        return spin_of(times, R).w_eci if len(times) > 1 else np.zeros(3)

    def _motion(self, look: InspectionLook, rate: Floats) -> Floats:
        """(6) as it is expected at a new look."""
        last = len(self.track) - 1
        if last < 0:
            return np.zeros(6)
        return relative_motion(look, self.track.T_sensor_client[last, :3, 3], self.track.velocity(last), rate)


def _begun(seen: Floats) -> Floats:
    T = np.eye(4)
    T[:3, 3] = np.median(seen, axis=0)
    return T

"""Recorded images gone through as flight software would: searched, tracked, lost; or each alone."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

from proxops.applications.pose.recorded_sight import RecordedImages, RecordedSight, about_range
from proxops.core.vision import Floats, PoseFound, PosePrediction
from proxops.core.vocabulary import VisionState
from proxops.onboard.vision.machine import Tracking, after, asked_with
from proxops.onboard.vision.prediction_width import searches
from proxops.onboard.vision.sight import PoseEstimator, Sight
from proxops.onboard.vision.unit import at_time


@dataclass(frozen=True, eq=False)
class AnsweredImage:
    """One image with its answer."""

    seen: RecordedSight
    found: PoseFound
    state: VisionState  # after it
    searched: bool
    asked: PosePrediction | None  # what it was compared with
    took_s: float

    @property
    def truth(self) -> Floats | None:
        return self.seen.truth


class PoseRun:
    """``alone``: no image helps another. ``range_m``: about which the client is searched."""

    def __init__(self, estimator: PoseEstimator, *, alone: bool, lost_after: int, range_m: float | None) -> None:
        self._estimator, self._alone, self._lost_after = estimator, alone, lost_after
        self._anywhere = None if range_m is None else about_range(range_m)
        self.tracking = Tracking()

    def through(self, images: RecordedImages) -> Iterator[AnsweredImage]:
        for seen in images:
            yield self.look(seen)

    def look(self, seen: RecordedSight) -> AnsweredImage:
        asked = self._asked(seen)
        sight = Sight(seen.image, asked, seen.lights, seen.earth)
        began = time.perf_counter()
        found = at_time(self._estimator.estimate(sight), seen.image)
        took_s = time.perf_counter() - began
        self.tracking = after(Tracking() if self._alone else self.tracking, found, self._lost_after)
        return AnsweredImage(seen, found, self.tracking.state, searches(asked), asked, took_s)

    def _asked(self, seen: RecordedSight) -> PosePrediction | None:
        """What somebody has said of this very image counts unless the client is followed."""
        if self._alone or (seen.prediction is not None and self.tracking.state is not VisionState.TRACK):
            return seen.prediction or self._anywhere
        return asked_with(self.tracking, seen.image.t, seen.prediction, self._lost_after) or self._anywhere

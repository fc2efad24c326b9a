"""Recorded images gone through as flight software would: searched, tracked, lost; or each alone."""

from __future__ import annotations

import time
import traceback
from dataclasses import dataclass

from proxops.applications.pose.recorded_sight import RecordedSight, about_range
from proxops.core.vision import Floats, PoseFound, PosePrediction
from proxops.core.vocabulary import VisionState
from proxops.onboard.vision.machine import Tracking, after, asked_with
from proxops.onboard.vision.prediction_width import searches
from proxops.onboard.vision.sight import PoseEstimator, Sight
from proxops.onboard.vision.unit import at_time, broken


@dataclass(frozen=True, eq=False)
class AnsweredImage:
    """What was said of one image, without it: there may be ten thousand. ``light``: by the name of a data set."""

    file: str
    light: str
    truth: Floats | None
    found: PoseFound
    state: VisionState  # after it
    searched: bool
    asked: PosePrediction | None  # what it was compared with
    took_s: float


class PoseRun:
    """``alone``: no image helps another. ``range_m``: about which the client is searched."""

    def __init__(self, estimator: PoseEstimator, *, alone: bool, lost_after: int, range_m: float | None) -> None:
        self._estimator, self._alone, self._lost_after = estimator, alone, lost_after
        self._anywhere = None if range_m is None else about_range(range_m)
        self.tracking = Tracking()

    def look(self, seen: RecordedSight) -> AnsweredImage:
        asked = self._asked(seen)
        sight = Sight(seen.image, asked, seen.lights, seen.earth)
        began = time.perf_counter()
        try:
            found = at_time(self._estimator.estimate(sight), seen.image)
        except Exception:  # ours never do; if one does, its image has no pose and the rest goes on
            traceback.print_exc()
            found = broken(seen.image)
        took_s = time.perf_counter() - began
        self.tracking = after(Tracking() if self._alone else self.tracking, found, self._lost_after)
        return AnsweredImage(
            seen.file, seen.light, seen.truth, found, self.tracking.state, searches(asked), asked, took_s
        )

    def _asked(self, seen: RecordedSight) -> PosePrediction | None:
        """What somebody has said of this very image counts unless the client is followed."""
        if self._alone or (seen.prediction is not None and self.tracking.state is not VisionState.TRACK):
            return seen.prediction or self._anywhere
        return asked_with(self.tracking, seen.image.t, seen.prediction, self._lost_after) or self._anywhere

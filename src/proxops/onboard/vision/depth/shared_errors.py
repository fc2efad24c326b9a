"""Errors that the beams of an image share, estimated beside the pose: each has a prior, and what an image does not tell of it
widens the pose's covariance.

A distance that is measured too long by ε moves a beam's end along itself: e grows by c ε, with c the cosine of beam and normal.
Modulated light leaves a wave of known period and unknown size, ε = a sin 4φ + b cos 4φ. A scan whose beams were moved to one time
with a motion that is wrong by m has e wrong by s J m, s seconds after that time. Unknowns are in units of their deviation.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from proxops.core.vision import PosePrediction
from proxops.maths.rotation import Array
from proxops.onboard.vision.depth.beams import Beams
from proxops.onboard.vision.depth.distance_noise import DistanceNoise
from proxops.onboard.vision.prediction_width import spread

HARMONIC: Final = 4.0  # of the modulation, that is left
UNKNOWN_MOTION: Final = (0.02, math.radians(1.0))  # m/s, rad/s: deviation of a motion of which nothing is known
LEAST_MOTION: Final = (0.003, math.radians(0.1))  # of one that is expected
SETTLED_S: Final = (
    10.0,
    5.0,
)  # so long a filter looks to know the motion, by the width that it has in place and attitude


@dataclass(frozen=True, eq=False)
class SharedErrors:
    """Of some beams. ``motion`` (6): deviations of velocity, m/s, and rate, rad/s."""

    beams: Beams
    wave_m: float
    motion: Array

    @property
    def count(self) -> int:
        """Unknowns beside the pose: the distances', and the motion's."""
        return (2 if self.wave_m else 0) + len(self.motion)

    def distance(self, short_m: Array) -> Array:
        """(n, k) m, of each beam's distance for one deviation of each error. ``short_m``: by how much what was measured is more
        than the model has it. The phase is the model's: noise that moves range and wave together would look like a wave."""
        if not self.wave_m:
            return np.zeros((len(self.beams), 0))
        far = np.linalg.norm(self.beams.end - self.beams.origin, axis=1)
        angle = HARMONIC * self.beams.phase * (1.0 - short_m / far)
        return math.sqrt(0.5) * self.wave_m * np.stack([np.sin(angle), np.cos(angle)], axis=1)


def shared_errors(beams: Beams, noise: DistanceNoise, motion: Array) -> SharedErrors:
    return SharedErrors(beams, noise.wave_m, motion if beams.late_s.any() else np.zeros(0))


def motion_error(prediction: PosePrediction | None) -> Array:
    """(6) deviations of the motion by which beams were moved to one time."""
    if prediction is None:
        return np.repeat(UNKNOWN_MOTION, 3)
    widths = zip(spread(prediction.covariance), SETTLED_S, UNKNOWN_MOTION, LEAST_MOTION, strict=True)
    return np.repeat([min(max(width / seconds, least), most) for width, seconds, most, least in widths], 3)

"""One pose fitted to beams, with all that it is worth: covariance, evidence, doubt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from proxops.core.vision import PosePrediction
from proxops.maths.rotation import Array
from proxops.onboard.vision.depth.agreement import agreement
from proxops.onboard.vision.depth.beams import Beams
from proxops.onboard.vision.depth.client_model import ClientModel
from proxops.onboard.vision.depth.distance_noise import DistanceNoise
from proxops.onboard.vision.depth.icp import Icp
from proxops.onboard.vision.depth.judgement import doubt_of, evidence, trust_of
from proxops.onboard.vision.depth.outline import outlined
from proxops.onboard.vision.depth.plane_marks import plane_marks
from proxops.onboard.vision.depth.range_grid import RangeGrid
from proxops.onboard.vision.depth.shared_errors import motion_error
from proxops.onboard.vision.depth.two_starts import begun_twice
from proxops.onboard.vision.fitted import Fitted

LEAST: Final = 6


@dataclass(frozen=True, eq=False)
class RangedImage:
    """One image: all beams that came back by cells, and those that a pose is fitted to."""

    beams: Beams
    grid: RangeGrid
    noise: DistanceNoise


def fit(
    model: ClientModel, seen: RangedImage, T_sensor_target: Array, wide_m: float, prediction: PosePrediction | None
) -> tuple[Fitted, Icp] | None:
    """From a first pose that is off by ``wide_m``; None: there are too few beams."""
    if len(seen.beams) < LEAST:
        return None
    motion = motion_error(prediction)
    found, P = begun_twice(model, seen.beams, seen.noise, T_sensor_target, wide_m, motion)
    if not np.isfinite(found.p).all() or found.p[2] <= 0.0:
        return None
    T, P = outlined(model, seen.beams, seen.grid, found.T_sensor_target, P)
    told = evidence(model, found, agreement(model, seen.grid, seen.noise, found.R, found.p), P)
    doubt = doubt_of(told, T, P, prediction)
    marks = plane_marks(model, found)
    return Fitted(T, P, doubt, trust_of(told), told.agreement.share, told.fitting, marks), found


def near(beams: Beams, centre: Array, reach_m: float) -> Beams:
    """Those that end within ``reach_m`` of the client's middle."""
    return beams.some(np.linalg.norm(beams.end - centre, axis=1) < reach_m)

"""Whether a pose that was fitted to distances may be trusted, and why not."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.vision import PosePrediction
from proxops.core.vocabulary import Doubt
from proxops.maths.rotation import Array
from proxops.onboard.vision.depth.agreement import FIXED_M, FIXED_SIGMAS, Agreement
from proxops.onboard.vision.depth.association import CAST, MIXED
from proxops.onboard.vision.depth.beams import Beams
from proxops.onboard.vision.depth.client_model import ClientModel
from proxops.onboard.vision.depth.covariance import deviations
from proxops.onboard.vision.depth.icp import Icp
from proxops.onboard.vision.expectation import difference

FEWEST: Final = 20  # beams that fit
INLIER_SIGMAS: Final = 3.5
LEAST_INLIERS: Final = 0.80  # share of the beams within the box round the client
LEAST_AGREEMENT: Final = 0.90  # share of the cells where the model is clear of its outline
MOST_SPREAD: Final = 1.4  # of residuals over their noise
MOST_DEVIATION: Final = (0.003, math.radians(0.75))  # of place, share of the range; of attitude, half of a wrong one
LEAST_PLACE_M: Final = 0.004  # that may be in doubt, however near
FAR_SIGMAS: Final = 4.5  # from what was expected
FAR_FLOOR: Final = (0.01, 0.02, math.radians(1.5))  # m, share of the range, rad, beside that
BOX_MARGIN_M: Final = 0.03


@dataclass(frozen=True)
class FitEvidence:
    """What a fit is judged by."""

    fitting: int
    support: float  # share of the beams in the box that fit
    spread: float  # of residuals over noise
    agreement: Agreement
    place_sigma: float  # share of the range
    turn_sigma: float  # rad


def evidence(model: ClientModel, found: Icp, agrees: Agreement, P: Array) -> FitEvidence:
    inside = in_box(model, found.beams, found)
    fits = inside & (found.weight > 0.0) & (np.abs(found.error) < INLIER_SIGMAS * found.sigma)
    told = inside & (found.how != MIXED) & (fits | ~beside(model, found))
    spread = 1.4826 * float(np.median(np.abs(found.error[fits] / found.sigma[fits]))) if fits.any() else math.inf
    place, turn = deviations(P)
    far = float(np.linalg.norm(found.p))
    return FitEvidence(
        int(fits.sum()), float(fits.sum()) / max(int(told.sum()), 1), spread, agrees,
        place / max(far, LEAST_PLACE_M / MOST_DEVIATION[0]), turn,
    )  # fmt: skip


def in_box(model: ClientModel, beams: Beams, found: Icp) -> NDArray[np.bool_]:
    """Which beams end in the box round the client."""
    at = (beams.end - found.p) @ found.R
    return np.asarray(((at > model.low - BOX_MARGIN_M) & (at < model.high + BOX_MARGIN_M)).all(axis=1))


def beside(model: ClientModel, found: Icp) -> NDArray[np.bool_]:
    """Which beams pass the model by and end at a side of the box round it, where it may be fixed to something."""
    at, fixed = (found.beams.end - found.p) @ found.R, (FIXED_M + FIXED_SIGMAS * found.beams.sigma)[:, None]
    deep = ((at > model.low + fixed) & (at < model.high - fixed)).all(axis=1)
    return np.asarray((found.how != CAST) & ~deep)


def doubt_of(seen: FitEvidence, T_sensor_target: Array, P: Array, prediction: PosePrediction | None) -> Doubt:
    """The first that holds."""
    if seen.fitting < FEWEST:
        return Doubt.TOO_FEW
    against = seen.agreement.against
    clear = max(3.0, (1.0 - LEAST_AGREEMENT) * seen.agreement.agrees)
    if seen.support < LEAST_INLIERS or seen.spread > MOST_SPREAD or against > clear:
        return Doubt.SUPPORT
    if seen.place_sigma > MOST_DEVIATION[0] or seen.turn_sigma > MOST_DEVIATION[1]:
        return Doubt.UNCERTAIN
    if prediction is not None and far_off(T_sensor_target, P, prediction):
        return Doubt.FAR_OFF
    return Doubt.NONE


def far_off(T_sensor_target: Array, P: Array, prediction: PosePrediction) -> bool:
    off = difference(T_sensor_target, prediction.T_sensor_target)
    far = float(np.linalg.norm(T_sensor_target[:3]))
    own, theirs = deviations(P), deviations(prediction.covariance)
    limits = [FAR_SIGMAS * math.hypot(own[k], theirs[k]) for k in (0, 1)]
    place = float(np.linalg.norm(off[:3])) > limits[0] + FAR_FLOOR[0] + FAR_FLOOR[1] * far
    return place or float(np.linalg.norm(off[3:])) > limits[1] + FAR_FLOOR[2]


def trust_of(seen: FitEvidence) -> float:
    """0 … 1: how far within the bounds the worst of it is."""
    agreement = seen.agreement
    margins = (
        (seen.support - LEAST_INLIERS) / (1.0 - LEAST_INLIERS), (agreement.share - LEAST_AGREEMENT) / (1.0 - LEAST_AGREEMENT),
        1.0 - seen.place_sigma / MOST_DEVIATION[0], 1.0 - seen.turn_sigma / MOST_DEVIATION[1],
        (seen.fitting - FEWEST) / (4.0 * FEWEST), (MOST_SPREAD - seen.spread) / (MOST_SPREAD - 1.0),
    )  # fmt: skip
    return float(min(max(min(margins), 0.0), 1.0))

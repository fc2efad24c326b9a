"""The client's pose from a range grid alone: what is seen of the model from all sides is laid over what is there.

400 viewpoints times 24 rolls (9,600 attitudes), each at every place where the client may be (``view_score``). The best are
refined by ICP with few points, judged by the agreement of the whole model, and the best of these by ICP with all. What the client
looks like when it is turned (``twins``) is tried beside them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.vision import PosePrediction
from proxops.maths.rotation import Array, matrix_from_quat
from proxops.onboard.vision.depth.client_model import ClientModel
from proxops.onboard.vision.depth.clusters import Cluster
from proxops.onboard.vision.depth.distance_noise import DistanceNoise
from proxops.onboard.vision.depth.range_grid import RangeGrid
from proxops.onboard.vision.depth.view_score import score_views
from proxops.onboard.vision.depth.views import ROLLS, Views, rolled

COARSE_M: Final = 0.08  # by which a point of a view that is turned by half a step may be off
ASIDE_M: Final = ((0.0, 0.0), (0.12, 0.0), (-0.12, 0.0), (0.0, 0.12), (0.0, -0.12), (0.25, 0.0), (-0.25, 0.0), (0.0, 0.25),
                  (0.0, -0.25))  # fmt: skip
"""By which a place may be off across the sight: tried with the attitudes that look promising."""
PROMISING: Final = 400
ALIKE: Final = 1.0 + 2.0 * math.cos(math.radians(13.0))  # trace of what turns one into the other
FAR_M: Final = 0.4  # apart: another place
STEP_RAD: Final = math.radians(12.0)  # from one attitude that is tried to the next
Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Candidate:
    R: Array
    p: Array
    score: float


def candidates(
    model: ClientModel, views: Views, grid: RangeGrid, noise: DistanceNoise, places: Array, most: int,
    prediction: PosePrediction | None,
) -> list[Candidate]:  # fmt: skip
    """The best attitudes at ``places`` (n, 3): middles of what may be seen of the client; each differs from the others."""
    infrared = model.infrared[views.faces.astype(np.int64)]
    figures = np.array([COARSE_M, noise.floor_m, noise.per_amplitude_m, noise.wave_m, noise.least_signal])
    found: list[Candidate] = []
    for place in places:
        turns = rolled(place / np.linalg.norm(place))
        wanted = attitudes_allowed(np.einsum("rij,vkj->vrik", turns, views.bases), prediction)
        shape = (len(views.bases), ROLLS)
        best, at = np.full(shape, -np.inf), np.zeros((*shape, 3))
        for beside in ASIDE_M:
            score, shift = np.full(best.shape, -np.inf), np.zeros(best.shape)
            moved = place + turns[0] @ np.array([*beside, 0.0])
            score_views(views.places, views.middle, views.bases, infrared, turns, moved, grid.arrays, figures, wanted,
                        score, shift)  # fmt: skip
            better = score > best
            best[better] = score[better]
            along = 1.0 + shift[better] / np.linalg.norm(moved)
            at[better] = along[:, None] * moved
            if beside == (0.0, 0.0):
                wanted &= score >= np.sort(score, axis=None)[-min(PROMISING, score.size)]
        for k in np.argsort(-best, axis=None, kind="stable")[: 4 * most]:
            view, roll = int(k) // ROLLS, int(k) % ROLLS
            R = turns[roll] @ views.bases[view].T
            if best[view, roll] > 0.0:
                found.append(Candidate(R, at[view, roll] - R @ views.middle[view], float(best[view, roll])))
    return _spread(sorted(found, key=lambda one: -one.score), most)


def _spread(found: list[Candidate], most: int) -> list[Candidate]:
    """The first of those that are nearly the same."""
    chosen: list[Candidate] = []
    for one in found:
        apart = [float(np.trace(one.R.T @ other.R)) < ALIKE or _far(one, other) for other in chosen]
        if all(apart):
            chosen.append(one)
        if len(chosen) == most:
            break
    return chosen


def _far(one: Candidate, other: Candidate) -> bool:
    return float(np.linalg.norm(one.p - other.p)) > FAR_M


def attitudes_allowed(R: Array, prediction: PosePrediction | None) -> Mask:
    """(…) whether each of the attitudes (…, 3, 3) is within four deviations of what is expected."""
    sigma = math.inf
    if prediction is not None:
        sigma = math.sqrt(max(float(np.linalg.eigvalsh(prediction.covariance[3:, 3:])[-1]), 0.0))
    if prediction is None or 4.0 * sigma > math.pi:
        return np.ones(R.shape[:-2], np.bool_)
    R_expected = matrix_from_quat(np.ascontiguousarray(prediction.T_sensor_target[3:]))
    cosine = 0.5 * (np.einsum("...ik,ik->...", R, R_expected) - 1.0)
    return np.asarray(np.arccos(np.clip(cosine, -1.0, 1.0)) < 4.0 * sigma + STEP_RAD)


def places_of(model: ClientModel, found: list[Cluster], most: int) -> Array:
    """Where the middle of what is seen of the client may be: in the middle of things that are no larger than it, in pieces of
    larger ones."""
    places: list[Array] = []
    for one in found:
        if one.size_m < 2.4 * model.radius:
            places.append(one.middle)
            continue
        cell = np.floor(one.places / (0.8 * model.radius)).astype(np.int64)
        _, first, count = np.unique(cell, axis=0, return_inverse=True, return_counts=True)
        for k in np.argsort(-count, kind="stable"):
            places.append(np.median(one.places[first.reshape(-1) == k], axis=0))
    return np.array(places[:most]).reshape(-1, 3)

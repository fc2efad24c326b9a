"""The client's pose from a range grid alone: what is seen of the model from all sides is laid over what is there.

400 viewpoints times 24 rolls (9,600 attitudes), each at every place where the client may be. A point of the view agrees with its
cell, or is seen through, or nothing came back, or is hidden. The best are refined by ICP with few points, judged by the agreement
of the whole model, and the best of these by ICP with all.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.vision import PosePrediction
from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array, matrix_from_quat
from proxops.maths.stack import matrix
from proxops.onboard.vision.depth.client_model import ClientModel
from proxops.onboard.vision.depth.clusters import Cluster
from proxops.onboard.vision.depth.distance_noise import DistanceNoise
from proxops.onboard.vision.depth.range_grid import RangeGrid
from proxops.onboard.vision.depth.views import ROLLS, VIEWPOINTS, Views, rolled

COARSE_M: Final = 0.08  # by which a point of a view that is turned by half a step may be off
Mask = NDArray[np.bool_]
Grid = tuple[Array, Array, Array, Array, Array]


@dataclass(frozen=True, eq=False)
class Candidate:
    R: Array
    p: Array
    score: float


def candidates(
    model: ClientModel, views: Views, grid: RangeGrid, noise: DistanceNoise, places: Array, most: int,
    prediction: PosePrediction | None,
) -> list[Candidate]:  # fmt: skip
    """The best attitudes at ``places`` (n, 3): middles of what may be seen of the client. Spread over viewpoints and rolls."""
    infrared = model.infrared[views.faces.astype(np.int64)]
    figures = np.array([COARSE_M, noise.floor_m, noise.per_amplitude_m, noise.wave_m, noise.least_signal])
    found: list[tuple[float, int, int, int]] = []
    bases = []
    for number, place in enumerate(places):
        turns = rolled(place / np.linalg.norm(place))
        bases.append(turns)
        allowed = _allowed(views, turns, prediction)
        score = np.full((VIEWPOINTS, ROLLS), -np.inf)
        _score(views.places, views.normals, views.middle, views.bases, infrared, turns, place, grid.arrays, figures,
               allowed, score)  # fmt: skip
        order = np.argsort(-score, axis=None, kind="stable")[:most]
        found += [(float(score.flat[k]), number, int(k) // ROLLS, int(k) % ROLLS) for k in order]
    found.sort(key=lambda row: (-row[0], row[1:]))
    chosen: list[Candidate] = []
    for value, number, view, roll in found:
        if len(chosen) == most or not value > 0.0:
            break
        R = bases[number][roll] @ views.bases[view].T
        p = places[number] - R @ views.middle[view]
        chosen.append(Candidate(R, p, value))
    return chosen


def _allowed(views: Views, turns: Array, prediction: PosePrediction | None) -> Mask:
    """(V, ROLLS) whether an attitude is within four deviations of what is expected."""
    allowed = np.ones((VIEWPOINTS, ROLLS), np.bool_)
    if prediction is None:
        return allowed
    sigma = math.sqrt(max(float(np.linalg.eigvalsh(prediction.covariance[3:, 3:])[-1]), 0.0))
    if 4.0 * sigma > math.pi:
        return allowed
    R_expected = matrix_from_quat(np.ascontiguousarray(prediction.T_sensor_target[3:]))
    R = np.einsum("rij,vkj->vrik", turns, views.bases)
    cosine = 0.5 * (np.einsum("vrik,ik->vr", R, R_expected) - 1.0)
    return np.asarray(np.arccos(np.clip(cosine, -1.0, 1.0)) < 4.0 * sigma + math.radians(12.0))


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


@kernel
def _score(
    places: Array, normals: Array, middle: Array, bases: Array, infrared: Array, turns: Array, place: Array, grid: Grid,
    figures: Array, allowed: Mask, score: Array,
) -> None:  # fmt: skip
    frame, near, far, near3, far3 = grid
    R = matrix(3, 3)
    for v in range(places.shape[0]):
        for roll in range(turns.shape[0]):
            if not allowed[v, roll]:
                continue
            for i in range(3):
                for j in range(3):
                    R[i, j] = 0.0
                    for k in range(3):
                        R[i, j] += turns[roll, i, k] * bases[v, j, k]
            total, seen = 0.0, 0
            for m in range(places.shape[1]):
                a, b, c = places[v, m, 0] - middle[v, 0], places[v, m, 1] - middle[v, 1], places[v, m, 2] - middle[v, 2]
                x = place[0] + R[0, 0] * a + R[0, 1] * b + R[0, 2] * c
                y = place[1] + R[1, 0] * a + R[1, 1] * b + R[1, 2] * c
                z = place[2] + R[2, 0] * a + R[2, 1] * b + R[2, 2] * c
                if z < 0.05:
                    continue
                col, row = int((x / z - frame[0]) / frame[2]), int((y / z - frame[1]) / frame[2])
                if not (0 <= col < near.shape[1] and 0 <= row < near.shape[0]):
                    continue
                r = math.sqrt(x * x + y * y + z * z)
                signal = infrared[v, m] / (r * r)
                slack = figures[0] + 2.5 * (figures[1] + figures[2] / max(signal, figures[4], 1e-6)) + figures[3]
                seen += 1
                if near[row, col] <= r + slack and far[row, col] >= r - slack:
                    total += 1.0
                elif near3[row, col] <= r + slack and far3[row, col] >= r - slack:
                    total += 0.7
                elif far3[row, col] == 0.0:
                    total -= 0.7 if signal > 4.0 * figures[4] else 0.1
                elif near3[row, col] > r + slack:
                    total -= 1.0
                else:
                    total -= 0.7
            score[v, roll] = total / max(seen, 1) if 4 * seen > places.shape[1] else -1.0

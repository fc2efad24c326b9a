"""The client's pose where none, or only a wide one, is expected: candidates, refined and judged against each other."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Final

import numpy as np

from proxops.core.vision import PosePrediction
from proxops.core.vocabulary import Doubt
from proxops.maths.rotation import Array, matrix_from_quat, quat_from_matrix
from proxops.onboard.vision.depth.agreement import Agreement, agreement
from proxops.onboard.vision.depth.client_model import ClientModel
from proxops.onboard.vision.depth.clusters import clusters
from proxops.onboard.vision.depth.icp import Icp, icp
from proxops.onboard.vision.depth.pose_fit import RangedImage, fit, near
from proxops.onboard.vision.depth.search import candidates, places_of
from proxops.onboard.vision.depth.shared_errors import motion_error
from proxops.onboard.vision.depth.views import Views
from proxops.onboard.vision.expectation import difference
from proxops.onboard.vision.fitted import Fitted

PLACES: Final = 6  # where the client is looked for, at most
REFINED: Final = 30  # candidates
FINAL: Final = 4
FEW_BEAMS: Final = 250
ROUGH_M: Final = 0.12  # by which a candidate may be off
SAME: Final = (0.02, math.radians(6.0))  # share of the range, rad: two poses that are one
AS_GOOD: Final = 0.97  # of the best one's score: another pose that fits nearly as well


def first_pose(
    model: ClientModel, views: Views, seen: RangedImage, prediction: PosePrediction | None
) -> tuple[Fitted, Icp] | None:
    """The best, with its doubt; None: nothing there is like the client."""
    places = places_of(model, clusters(seen.grid), PLACES)
    if prediction is not None:
        reach = model.radius + 4.0 * math.sqrt(float(np.linalg.eigvalsh(prediction.covariance[:3, :3])[-1]))
        middle = _middle(model, prediction.T_sensor_target)
        places = places[np.linalg.norm(places - middle, axis=1) < reach]
    if not len(places):
        return None
    rough = candidates(model, views, seen.grid, seen.noise, places, REFINED, prediction)
    refined, motion = [], motion_error(prediction)
    for one in rough:
        beams = near(seen.beams, one.p + one.R @ model.centre, 1.2 * model.radius).thinned(FEW_BEAMS)
        if len(beams) < 6:
            continue
        found = icp(model, beams, seen.noise, np.concatenate([one.p, quat_from_matrix(one.R)]), ROUGH_M, motion, 5)
        if found.p[2] > 0.0:
            score = _score(found, agreement(model, seen.grid, seen.noise, found.R, found.p))
            refined.append((score, found))
    refined.sort(key=lambda row: -row[0])
    return _best(model, seen, _apart(refined)[:FINAL], prediction)


def _middle(model: ClientModel, T: Array) -> Array:
    return np.asarray(T[:3] + matrix_from_quat(np.ascontiguousarray(T[3:])) @ model.centre)


def _score(found: Icp, told: Agreement) -> float:
    """Cells for it less cells against it, as a share; times the share of beams that fit."""
    fits = (found.weight > 0.0) & (np.abs(found.error) < 3.5 * found.sigma)
    agrees = (told.agrees - told.against) / max(told.agrees + told.against, 1)
    return float(agrees * fits.mean())


def _apart(refined: list[tuple[float, Icp]]) -> list[tuple[float, Icp]]:
    """Each pose once."""
    kept: list[tuple[float, Icp]] = []
    for score, found in refined:
        if all(not _same(found.T_sensor_target, other.T_sensor_target) for _, other in kept):
            kept.append((score, found))
    return kept


def _same(one: Array, other: Array) -> bool:
    off = difference(one, other)
    place = float(np.linalg.norm(off[:3])) < SAME[0] * float(np.linalg.norm(one[:3]))
    return place and float(np.linalg.norm(off[3:])) < SAME[1]


def _best(
    model: ClientModel, seen: RangedImage, chosen: list[tuple[float, Icp]], prediction: PosePrediction | None
) -> tuple[Fitted, Icp] | None:
    ranked: list[tuple[float, Fitted, Icp]] = []
    for _, rough in chosen:
        part = replace(seen, beams=near(seen.beams, rough.p + rough.R @ model.centre, 1.2 * model.radius))
        fitted = fit(model, part, rough.T_sensor_target, 0.02, prediction)
        if fitted is not None:
            told = agreement(model, seen.grid, seen.noise, fitted[1].R, fitted[1].p)
            ranked.append((_score(fitted[1], told), *fitted))
    if not ranked:
        return None
    ranked.sort(key=lambda row: -row[0])
    score, best, found = ranked[0]
    for other, second, _ in ranked[1:]:
        rival = other > AS_GOOD * score and not _same(second.T_sensor_target, best.T_sensor_target)
        if rival and best.doubt is Doubt.NONE:
            best = replace(best, doubt=Doubt.AMBIGUOUS)
    return best, found

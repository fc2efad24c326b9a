"""The client's pose where none, or only a wide one, is expected: candidates, refined and judged against each other."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from proxops.core.vision import PosePrediction
from proxops.core.vocabulary import Doubt
from proxops.maths.rotation import Array, matrix_from_quat, quat_from_matrix
from proxops.onboard.vision.depth.agreement import Agreement, agreement
from proxops.onboard.vision.depth.client_model import ClientModel
from proxops.onboard.vision.depth.clusters import clusters, parts_about
from proxops.onboard.vision.depth.icp import HASTY, MOST_OFF, Icp, icp, misfits
from proxops.onboard.vision.depth.pointed_place import PointedPlace
from proxops.onboard.vision.depth.pose_fit import RangedImage, fit, near
from proxops.onboard.vision.depth.search import attitudes_allowed, candidates, places_of
from proxops.onboard.vision.depth.shared_errors import motion_error
from proxops.onboard.vision.depth.twins import Twin, twins_of
from proxops.onboard.vision.depth.views import Views, views_of
from proxops.onboard.vision.fitted import Fitted

PLACES: Final = 6  # where the client is looked for, at most
MANY_PLACES: Final = 60  # of which an operator means some
REFINED: Final = 20  # candidates
TURNED: Final = 2  # of them, looked at as what else they may be
FINAL: Final = 6
LEAST: Final = 6  # beams
FEW_BEAMS: Final = 250
ROUGH_M: Final = 0.12  # by which a candidate may be off
SAME: Final = (0.02, math.radians(6.0))  # share of the range, rad: two poses that are one
COMPARED: Final = 1500  # beams
CLEARLY: Final = 40.0  # by how much the squares of another pose's errors must be more
CLEAR_SHARE: Final = 0.01  # and by how many beams more it must miss altogether, as a share


@dataclass(frozen=True, eq=False)
class KnownViews:
    """All that is worked out of a model once, to find it."""

    model: ClientModel
    views: Views
    twins: tuple[Twin, ...]


def known_views(model: ClientModel) -> KnownViews:
    """Takes a fraction of a second."""
    views = views_of(model)
    return KnownViews(model, views, twins_of(model, views))


def first_pose(
    known: KnownViews, seen: RangedImage, prediction: PosePrediction | None, pointed: PointedPlace | None = None
) -> tuple[Fitted, Icp] | None:
    """The best, with its doubt; None: nothing there is like the client. ``pointed``: by an operator."""
    model = known.model
    things = clusters(seen.grid)
    if prediction is not None:
        reach = model.radius + 4.0 * math.sqrt(float(np.linalg.eigvalsh(prediction.covariance[:3, :3])[-1]))
        things = parts_about(things, _middle(model, prediction.T_sensor_target), reach)
    places = places_of(model, things, PLACES if pointed is None else MANY_PLACES)
    if pointed is not None:
        places = pointed.among(places)[:PLACES]
    if not len(places):
        return None
    rough = candidates(model, known.views, seen.grid, seen.noise, places, REFINED, prediction)
    refined = _apart(_refined(model, seen, [(one.R, one.p) for one in rough], prediction))
    turned = [(found.R @ twin.R, found.p + found.R @ twin.p) for _, found in refined[:TURNED] for twin in known.twins]
    return _best(model, seen, _apart(refined + _refined(model, seen, turned, prediction))[:FINAL], prediction)


def _refined(
    model: ClientModel, seen: RangedImage, poses: list[tuple[Array, Array]], prediction: PosePrediction | None
) -> list[tuple[float, Icp]]:
    """With few beams, and how good each is then. What the client only looks like, turned as it cannot be, is left out."""
    out, motion = [], motion_error(prediction)
    for R, p in poses:
        beams = near(seen.beams, p + R @ model.centre, 1.2 * model.radius).thinned(FEW_BEAMS)
        if len(beams) < LEAST:
            continue
        found = icp(model, beams, seen.noise, np.concatenate([p, quat_from_matrix(R)]), ROUGH_M, motion, HASTY)
        if found.p[2] > 0.0 and attitudes_allowed(found.R, prediction):
            out.append((_score(found, agreement(model, seen.grid, seen.noise, found.R, found.p)), found))
    return out


def _middle(model: ClientModel, T: Array) -> Array:
    return np.asarray(T[:3] + matrix_from_quat(np.ascontiguousarray(T[3:])) @ model.centre)


def _score(found: Icp, told: Agreement) -> float:
    """Cells for it less cells against it, as a share; times the share of beams that fit."""
    fits = (found.weight > 0.0) & (np.abs(found.error) < 3.5 * found.sigma)
    agrees = (told.agrees - told.against) / max(told.agrees + told.against, 1)
    return float(agrees * fits.mean())


def _apart(refined: list[tuple[float, Icp]]) -> list[tuple[float, Icp]]:
    """Each pose once, the best first."""
    kept: list[tuple[float, Icp]] = []
    for score, found in sorted(refined, key=lambda row: -row[0]):
        if all(not _same(found, other) for _, other in kept):
            kept.append((score, found))
    return kept


def _same(one: Icp, other: Icp) -> bool:
    near_by = float(np.linalg.norm(one.p - other.p)) < SAME[0] * float(np.linalg.norm(one.p))
    return near_by and float((one.R * other.R).sum()) > 1.0 + 2.0 * math.cos(SAME[1])


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
    _, best, found = ranked[0]
    if best.doubt is Doubt.NONE and any(_rivals(model, seen, found, one, prediction) for _, _, one in ranked[1:]):
        best = replace(best, doubt=Doubt.AMBIGUOUS)
    return best, found


def _rivals(model: ClientModel, seen: RangedImage, best: Icp, other: Icp, prediction: PosePrediction | None) -> bool:
    """Whether what there is does not speak clearly for the first: by the beams, each against each, and by the cells."""
    if _same(best, other):
        return False
    middle, motion = best.p + best.R @ model.centre, motion_error(prediction)
    beams = near(seen.beams, middle, 1.2 * model.radius).thinned(COMPARED)
    ours, theirs = (misfits(model, beams, seen.noise, one, motion) for one in (best, other))
    against = [agreement(model, seen.grid, seen.noise, one.R, one.p).against for one in (best, other)]
    gain = float(np.nansum(theirs - ours)) + MOST_OFF * (against[1] - against[0])
    return gain < max(CLEARLY, CLEAR_SHARE * MOST_OFF * len(beams))

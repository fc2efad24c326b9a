"""How good poses are where the truth is known, over range; and what estimators say of themselves where it is not.

With e the error (6: m, rad) and P the covariance that is claimed, NEES = eᵀ P⁻¹ e is chi-square of six degrees of freedom if P is
true: 6 in the mean, and in 95 of 100 images between 1.24 and 14.45.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

import numpy as np

from proxops.applications.pose.looking import AnsweredImage
from proxops.core.vision import Floats, spread
from proxops.core.wrong_pose import is_wrong
from proxops.maths.pose_change import pose_change

BOUNDS: Final = (1.237, 14.449)  # chi-square of 6 degrees of freedom, 2.5 and 97.5 %
Figures = dict[str, Any]


@dataclass(frozen=True, eq=False)
class PoseJudgement:
    """Of one image. What is not known is NaN; ``range_m``: by the truth, else as found."""

    range_m: float
    accepted: bool
    wrong: bool
    place_m: float
    turn_rad: float
    sigma_m: float  # claimed, the widest axis
    sigma_rad: float
    nees: float


def judgement(one: AnsweredImage) -> PoseJudgement:
    """Of the pose found, if there is one; only those that are accepted are called wrong."""
    found, truth, nan = one.found, one.truth, float("nan")
    T, known = found.T_sensor_target, truth if truth is not None else found.T_sensor_target
    range_m = nan if known is None else float(np.linalg.norm(known[:3]))
    sigma = (nan, nan) if found.covariance is None else spread(found.covariance)
    if T is None or truth is None:
        return PoseJudgement(range_m, found.trusted, False, nan, nan, *sigma, nan)
    off = pose_change(T, truth)
    wrong = found.trusted and is_wrong(T, truth)
    nees = nan if found.covariance is None else _nees(off, found.covariance)
    place, turn = float(np.linalg.norm(off[:3])), float(np.linalg.norm(off[3:]))
    return PoseJudgement(range_m, found.trusted, wrong, place, turn, *sigma, nees)


def _nees(off: Floats, covariance: Floats) -> float:
    try:
        return float(off @ np.linalg.solve(covariance, off))
    except np.linalg.LinAlgError:
        return float("nan")


def statistics(looked: Sequence[AnsweredImage], judged: Sequence[PoseJudgement], unread: int) -> Figures:
    """Every figure, SI and degrees as their names say; None where nothing is known."""
    doubts = Counter(one.found.doubt.name.lower() for one in looked if not one.found.trusted)
    states = Counter(one.state.name.lower() for one in looked)
    return {
        "images": len(looked),
        "unread": unread,
        "with_truth": sum(one.truth is not None for one in looked),
        **figures_of(judged),
        "refused": sum(not one.found.trusted for one in looked),
        "doubts": dict(doubts.most_common()),
        "states": dict(states),
        "searched": sum(one.searched for one in looked),
        "trust_median": _median([one.found.trust for one in looked if one.found.trusted]),
        "against_expected": _median([_against_expected(one) for one in looked if one.found.trusted and not one.searched]),
        "lost": sum(_lost(a, b) for a, b in pairwise(looked)),
        "median_ms": _median([1e3 * one.took_s for one in looked]),
        "p95_ms": _percentile([1e3 * one.took_s for one in looked], 95.0),
        "ranges": [
            {"from_m": low, "to_m": high, **figures_of(some)} for low, high, some in by_range(judged)
        ],
    }  # fmt: skip


def figures_of(judged: Sequence[PoseJudgement]) -> Figures:
    """Of some images; errors and sigmas are those of accepted poses."""
    good = [one for one in judged if one.accepted]
    away = [one for one in good if one.range_m > 0.0]
    nees = [one.nees for one in good if np.isfinite(one.nees)]
    return {
        "judged": len(judged),
        "accepted": len(good),
        "accepted_share": len(good) / len(judged) if judged else None,
        "wrong": sum(one.wrong for one in good) if any(np.isfinite(one.place_m) for one in good) else None,
        "place_median_m": _median([one.place_m for one in good]),
        "place_p95_m": _percentile([one.place_m for one in good], 95.0),
        "place_median_mm_per_m": _median([1e3 * one.place_m / one.range_m for one in away]),
        "place_p95_mm_per_m": _percentile([1e3 * one.place_m / one.range_m for one in away], 95.0),
        "turn_median_deg": _median([np.degrees(one.turn_rad) for one in good]),
        "turn_p95_deg": _percentile([np.degrees(one.turn_rad) for one in good], 95.0),
        "sigma_median_mm_per_m": _median([1e3 * one.sigma_m / one.range_m for one in away]),
        "sigma_median_deg": _median([np.degrees(one.sigma_rad) for one in good]),
        "nees_mean": float(np.mean(nees)) if nees else None,
        "nees_inside_share": float(np.mean([BOUNDS[0] <= n <= BOUNDS[1] for n in nees])) if nees else None,
    }


def by_range(judged: Sequence[PoseJudgement]) -> list[tuple[float, float, list[PoseJudgement]]]:
    """From one power of two to the next, m; only where there are images."""
    known = [one for one in judged if np.isfinite(one.range_m) and one.range_m > 0.0]
    powers = sorted({int(np.floor(np.log2(one.range_m))) for one in known})
    return [(2.0**k, 2.0 ** (k + 1), [one for one in known if 2.0**k <= one.range_m < 2.0 ** (k + 1)]) for k in powers]


def _against_expected(one: AnsweredImage) -> float:
    """Of a tracked image, without any truth: squared difference from what those before it tell, by both covariances."""
    found, asked = one.found, one.asked
    if asked is None or found.T_sensor_target is None or found.covariance is None:
        return float("nan")
    return _nees(pose_change(asked.T_sensor_target, found.T_sensor_target), asked.covariance + found.covariance)


def _lost(before: AnsweredImage, now: AnsweredImage) -> bool:
    return before.state is not now.state and now.state.name == "LOST"


def _median(values: Sequence[float]) -> float | None:
    return _percentile(values, 50.0)


def _percentile(values: Sequence[float], share: float) -> float | None:
    known = [value for value in values if np.isfinite(value)]
    return float(np.percentile(known, share)) if known else None

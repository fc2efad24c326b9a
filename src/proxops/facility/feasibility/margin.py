"""Smallest margins of an examination, with what they are of and when."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.bridge.feasibility import ELBOW, N_MARGINS, ROOT, SHOULDER, WRIST
from proxops.bridge.rate_use import PORTS
from proxops.facility.feasibility.examination import Examination
from proxops.safety.rules import AXIS_TEXT

Floats = NDArray[np.float64]
MARGIN_TEXT: Final = (*AXIS_TEXT[1:26], "wrist", "elbow", "shoulder", "rail root")
METRES: Final = frozenset({0, 13, 14, 15, 19, 20, 21, SHOULDER, ROOT})  # the others are angles
JUDGED: Final = np.array([k not in (ELBOW, SHOULDER) for k in range(N_MARGINS)])
"""Axes 1 to 3 are free parameters of the mapping: a stretched elbow or a wrist above axis 1 costs it nothing."""
KINDS: Final = {
    "axes": slice(0, 13),
    "Table 3": slice(13, 25),
    "wrist": slice(WRIST, WRIST + 1),
    "rail root": slice(ROOT, ROOT + 1),
}
NEAR_SINGULAR: Final = {WRIST: np.radians(10.0), ELBOW: np.radians(10.0), SHOULDER: 0.1}  # rad, rad, m
USE_TEXT: Final = (
    *(f"{name} speed" for name in AXIS_TEXT[1:14]),
    *(f"{name} acceleration" for name in AXIS_TEXT[1:14]),
    *PORTS,
)


@dataclass(frozen=True)
class Least:
    """The smallest margin (or the greatest use of a rate): share, value in m or rad, what it is of, at which sample."""

    share: float
    value: float
    unit: str
    what: str
    sample: int


def smallest_margin(e: Examination, mask: NDArray[np.bool_], columns: NDArray[np.bool_] = JUDGED) -> Least | None:
    """Over the samples of ``mask`` that the hall follows."""
    least: Least | None = None
    for s in e.stretches:
        rows = np.flatnonzero(mask[s.begin : s.end])
        if not len(rows):
            continue
        shares = np.where(columns, s.course.shares[rows], np.inf)
        row, k = (int(i) for i in np.unravel_index(int(shares.argmin()), shares.shape))
        if least is None or shares[row, k] < least.share:
            value = float(s.course.margins[rows[row], k])
            least = Least(float(shares[row, k]), value, unit_of(k), MARGIN_TEXT[k], s.begin + int(rows[row]))
    return least


def unit_of(k: int) -> str:
    """Of a margin."""
    return "m" if k in METRES else "rad"


def greatest_use(e: Examination, mask: NDArray[np.bool_]) -> Least | None:
    """Of a rate: at 1 the bridge begins to fall behind."""
    most: Least | None = None
    for s in e.stretches:
        rows = np.flatnonzero(mask[s.begin : s.end])
        if len(rows) and (most is None or s.use[rows].max() > most.share):
            row = int(rows[s.use[rows].argmax()])
            most = Least(float(s.use[row]), float(s.use[row]), "", USE_TEXT[s.used[row]], s.begin + row)
    return most


def smallest_clearance(e: Examination, mask: NDArray[np.bool_]) -> Least | None:
    """Over the samples at which zones were looked at; its share is what is left after the yellow layer, in m."""
    least: Least | None = None
    for s in e.stretches:
        for k, look in zip(s.looked.tolist(), s.looks, strict=True):
            if mask[s.begin + k] and (least is None or look.clearance_m < least.value):
                least = Least(look.clearance_m - look.layer_m, look.clearance_m, "m", look.pair, s.begin + k)
    return least


def near_singularities(e: Examination, mask: NDArray[np.bool_]) -> list[Least]:
    """The nearest to each kind of singularity, where that is near."""
    found = []
    for k, bound in NEAR_SINGULAR.items():
        least = smallest_margin(e, mask, np.arange(N_MARGINS) == k)
        if least and least.value < bound:
            found.append(least)
    return found


def mean_share(e: Examination) -> float:
    """Mean over time of the smallest share: tells postures apart that begin at the same limit."""
    shares = [s.course.shares[:, JUDGED].min(axis=1) for s in e.stretches if len(s.course)]
    return float(np.concatenate(shares).mean()) if shares else 0.0

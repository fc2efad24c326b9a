"""The posture and phi to begin with: the hall's own choice against others, ranked by the smallest margin along the way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

import numpy as np

from proxops.bridge.feasibility import seat_of
from proxops.facility.feasibility.examination import Examination, Examiner, Opening, TrialStart
from proxops.facility.feasibility.margin import JUDGED, mean_share, smallest_margin
from proxops.facility.feasibility.motion import ExaminedMotion
from proxops.facility.feasibility.stretch import HaltCause

PHI_DEG: Final = tuple(range(-180, 180, 30))  # values at which phi is tried to be held
FINALISTS: Final = 3  # that are examined with zones and all that follows
Say = Callable[[str], None]


def best_beginning(examiner: Examiner, motion: ExaminedMotion, own: Examination, say: Say) -> Examination:
    """The examination with the largest margin; ``own`` is the hall's own choice, and stays if nothing is better."""
    if own.opening.start is None:
        return own
    openings = []
    for number, start in enumerate(_starts(examiner, motion, own.opening.sample), 1):
        say(f"start posture {number}")
        opening = replace(own.opening, start=start)
        openings.append((_prospect(examiner, motion, opening), number, opening))
    openings.sort(key=lambda row: (row[0], -row[1]), reverse=True)
    examined = [own, *(examiner.examine(motion, opening) for _, _, opening in openings[:FINALISTS])]
    return max(examined, key=_merit)


def _merit(e: Examination) -> tuple[float, ...]:
    least = smallest_margin(e, e.motion.counts)
    return -float(e.trouble.sum()), round(least.share if least else 0.0, 3), round(mean_share(e), 4)


def _prospect(examiner: Examiner, motion: ExaminedMotion, opening: Opening) -> tuple[float, ...]:
    """What the first stretch promises, zones apart: how far it goes, its smallest and its mean margin."""
    assert opening.start is not None
    start = opening.start
    stretch = examiner.hall.follow(motion, opening.sample, start.seat, start.cost, with_zones=False, quick=True)
    counted = motion.counts[stretch.begin : stretch.end]
    if not counted.any():
        return 0.0, 0.0, 0.0
    shares = stretch.course.shares[counted][:, JUDGED].min(axis=1)
    good = int((counted & (stretch.use <= 1.0)).sum())
    return float(good), round(float(shares.min()), 3), round(float(shares.mean()), 4)


def _starts(examiner: Examiner, motion: ExaminedMotion, sample: int) -> Iterator[TrialStart]:
    """The best green posture of each combination of A5's signs with phi free, and of each phi that is held."""
    hall, pose, speeds = examiner.hall, motion.pose[sample], examiner.hall.speeds(motion, sample)
    if hall.settings.phi_rad is None:
        search = examiner.search(pose, hall.cell.home, None)
        postures = search.best(hall.cell.home)
        for signs in dict.fromkeys(posture.signs for posture in postures):
            best = next(posture for posture in postures if posture.signs == signs)
            if not isinstance(examiner.first_green([best], speeds), HaltCause):
                yield TrialStart(seat_of(hall.cell, pose, best), hall.cost(False), False)
    held = hall.cost(True)
    for phi_deg in PHI_DEG:
        postures = examiner.search(pose, hall.cell.home, float(phi_deg)).best(hall.cell.home)[:1]
        if postures and not isinstance(examiner.first_green(postures, speeds), HaltCause):
            yield TrialStart(seat_of(hall.cell, pose, postures[0]), held, True)


def phi_deg_of(start: TrialStart) -> float:
    """Phi at the start, in (-180, 180]."""
    return float((np.degrees(start.seat.phi) + 180.0) % 360.0 - 180.0)

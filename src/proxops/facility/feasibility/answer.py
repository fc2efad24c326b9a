"""Can the hall show a motion? The answer, and what it rests on."""

from __future__ import annotations

from dataclasses import dataclass

from proxops.facility.feasibility.advice import Advice, advise
from proxops.facility.feasibility.beginning import Say, best_beginning
from proxops.facility.feasibility.examination import Examination, Examiner
from proxops.facility.feasibility.motion import Asked, Change, motion_of
from proxops.facility.feasibility.stretch import TrialHall


@dataclass(frozen=True)
class FeasibilityAnswer:
    """What was examined: the hall's own choice of posture, the best one, and what would help if neither fits."""

    hall: TrialHall
    asked: Asked
    own: Examination
    best: Examination
    advice: tuple[Advice, ...]

    @property
    def feasible(self) -> bool:
        return self.own.fits or self.best.fits

    @property
    def shown(self) -> Examination:
        """The one to tell of: the hall's own choice, unless only the best one fits."""
        return self.own if self.own.fits or not self.best.fits else self.best

    @property
    def word(self) -> str:
        """yes, in part or no."""
        if self.feasible:
            return "yes"
        e = self.shown
        followed = e.motion.counts & ~e.trouble & e.motion.sending
        return "in part" if followed.any() else "no"


def answer(hall: TrialHall, asked: Asked, say: Say = lambda text: None) -> FeasibilityAnswer:
    """Examine a motion on a hall."""
    examiner, motion = Examiner(hall), motion_of(asked, Change(hall.settings.scale))
    say("the hall's own choice")
    own = examiner.examine(motion)
    best = best_beginning(examiner, motion, own, say)
    advice = () if own.fits or best.fits else tuple(advise(examiner, asked, own, say))
    return FeasibilityAnswer(hall, asked, own, best, advice)

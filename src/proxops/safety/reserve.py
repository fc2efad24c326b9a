"""The reserve: the last centimetres before red, which are for following errors and not for plans.

Robots that are nearer to red than the reserve, or in red, may only leave: no pair of solids that is so near may come nearer
than it has been, whatever the others do. The guard judges by it what is to be driven now (``zone_watch``), and who plans a way
judges that way by it (``way_watch``): one rule.
"""

from __future__ import annotations

import copy
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.safety.clearance import Clearance

RESERVE_M: Final = 0.02  # to red at the end of any stop: following error and repeatability are a few mm
ROUNDING_M: Final = (
    1e-5  # of exact distances, and all that a pair may come nearer in the reserve, added up over any time
)

Axes = NDArray[np.float64]
Pairs = dict[int, float]  # clearances (m) by the pairs' numbers


class Reserve:
    """What each pair in the reserve has had as its largest clearance in there: it may come no nearer."""

    def __init__(self, clearance: Clearance, n_axes: int) -> None:
        self._clearance = clearance
        self._best: Pairs | None = {}  # None: not looked at yet where the robots stand
        self._stood, self._before = np.zeros(n_axes), Pairs()  # where they stood last, and the largest until then

    def twin(self) -> Reserve:
        """Another one that begins with what this one knows."""
        other = copy.copy(self)
        other._clearance, other._best, other._stood = self._clearance.twin(), dict(self.allowed), self._stood.copy()
        return other

    def stand(self, q: Axes) -> None:
        """The robots stand at ``q``, wherever they have come from."""
        self._best, self._before, self._stood[:] = None, {}, q

    def rest(self, q: Axes) -> None:
        """They have come to rest at ``q`` on a way that was looked at. What was in the reserve may come no nearer than before:
        else each of many stops would be allowed its own rounding."""
        if self._best is not None:
            self._before = self._best
        self._best, self._stood[:] = None, q

    def leave(self) -> None:
        """Nothing is in the reserve any more."""
        self._best = {}

    def take(self, q: Axes) -> None:
        """They go to ``q``: from there on nothing in the reserve may come nearer."""
        here, before = self.pairs_at(q), self.allowed
        self._best = {number: max(distance, before.get(number, distance)) for number, distance in here.items()}

    @property
    def allowed(self) -> Pairs:
        """How near each pair that is in the reserve may come."""
        if self._best is None:
            here, before = self.pairs_at(self._stood), self._before
            # Where they stand they may stand, whatever the last digits of their way say.
            self._best = {k: min(max(d, before.get(k, d)), d + ROUNDING_M) for k, d in here.items()}
        return self._best

    def pairs_at(self, q: Axes) -> Pairs:
        """Those in the reserve at ``q``."""
        return self._clearance.below(q, RESERVE_M)

    @staticmethod
    def nearing(now: Pairs, before: Pairs) -> tuple[int, float] | None:
        """The first pair that is in the reserve and nearer than it was ``before``."""
        for number, distance in now.items():
            if distance < before.get(number, RESERVE_M) - ROUNDING_M:
                return number, distance
        return None

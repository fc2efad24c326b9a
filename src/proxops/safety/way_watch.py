"""A way before it is gone: legs that are straight in axis space, looked at in order and by the guard's own rule.

Levers show most of a leg to be free from a few places. Where they leave it open it is halved, down to pieces on which nothing
can come nearer than a fraction of a millimetre; so no dip lies between two looks that a stop on the way would then be for.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.safety.clearance import Clearance
from proxops.safety.reserve import RESERVE_M, Reserve

Axes = NDArray[np.float64]
STEP: Final = 0.06  # m or rad of a leg that is looked at in one portion of work, where one look is enough
LOOKS: Final = 8  # in one portion
FINE_M: Final = 0.0005  # that any pair can close on half a piece which is not halved any more
DIP_M: Final = 0.01  # by which a way out of yellow may come nearer at first, as long as it keeps the reserve


class WayWatch:
    """One way, from where the robots stand. It keeps out of yellow; if it begins there, it gets hardly deeper into it, and never
    into the reserve; if it begins in the reserve, nothing in there may come nearer."""

    def __init__(self, clearance: Clearance, reserve: Reserve, start: Axes, minimum_m: float) -> None:
        self._clearance, self._reserve = clearance, reserve
        self._at = start
        here_m = clearance.at(start, minimum_m).distance_m
        self._floor_m = max(RESERVE_M, min(minimum_m, here_m - DIP_M))

    def leads_to(self, goal: Axes) -> Generator[None, None, bool]:
        """Whether the next leg is free, up to ``goal``; in portions."""
        start, way = self._at, goal - self._at
        count = 1 + int(np.max(np.abs(way)) / STEP)
        for k in range(count):
            pieces, looks = [(k / count, (k + 1) / count)], 0
            while pieces:
                begin, end = pieces.pop()
                middle, half = 0.5 * (begin + end), 0.5 * (end - begin)
                if self._shown_free(start + middle * way, half * way):
                    self._reserve.leave()
                elif self._can_close_m() > FINE_M:
                    pieces += [(middle, end), (begin, middle)]
                elif not self._allowed(goal if end == 1.0 else start + end * way):
                    return False
                looks += 1
                if looks % LOOKS == 0:
                    yield
            yield
        self._at = goal
        return True

    def _shown_free(self, q: Axes, reach: Axes) -> bool:
        """Levers show that all is free as far as ``reach`` about ``q``, whichever way."""
        near = self._clearance.nearest_yellow(q, reach, 0.0, self._floor_m)
        return near.distance_m > near.layer_m + self._floor_m

    def _can_close_m(self) -> float:
        """The most that a pair which that look has left open can close within its reach."""
        return self._clearance.widest_open_m(self._floor_m)

    def _allowed(self, q: Axes) -> bool:
        if self._clearance.at(q, self._floor_m).distance_m >= self._floor_m:
            self._reserve.leave()
            return True
        if self._floor_m > RESERVE_M:
            return False
        here = self._reserve.pairs_at(q)
        if self._reserve.nearing(here, self._reserve.allowed) or not all(d > 0.0 for d in here.values()):
            return False
        self._reserve.take(q)
        return True

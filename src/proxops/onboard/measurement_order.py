"""Measurements of several sensors in the order of their exposures: one that comes later than a newer one is put in before it.

A camera's picture is there in a fifth of a second, the scan that was begun before it a second later. Who measures beside others
keeps what the filter was before each of the last measurements, goes back, and takes them in again.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from proxops.core.flight import Floats, RelativeMeasurement
from proxops.onboard.relative_filter import FilterState, RelativeFilter


@dataclass(frozen=True, eq=False)
class Taken:
    """A measurement, and the filter before it went on to its time."""

    seen: RelativeMeasurement
    before: FilterState


class MeasurementOrder:
    """Of one filter."""

    def __init__(self) -> None:
        self._taken: deque[Taken] = deque()

    def reaches(self, t: float) -> bool:
        """Whether a measurement of ``t`` can still be put in its place."""
        return bool(self._taken) and self._taken[0].before.t <= t

    def take(self, filter_: RelativeFilter, seen: RelativeMeasurement, history: Floats, begin: float) -> bool:
        """Whether it fits. ``begin``: of the history; what happened before it cannot be repeated."""
        later: list[Taken] = []
        while self._taken and self._taken[-1].seen.t > seen.t:
            later.append(self._taken.pop())
        if later:
            filter_.back(later[-1].before)
        fits = self._add(filter_, seen, history)
        for one in reversed(later):
            self._add(filter_, one.seen, history)
        while self._taken and self._taken[0].before.t < begin:
            self._taken.popleft()
        return fits

    def _add(self, filter_: RelativeFilter, seen: RelativeMeasurement, history: Floats) -> bool:
        self._taken.append(Taken(seen, filter_.copy()))
        return filter_.take(seen, history)

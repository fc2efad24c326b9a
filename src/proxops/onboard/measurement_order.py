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

    def forget(self, begin: float) -> None:
        """``begin``: of the history; what happened before it cannot be repeated."""
        while self._taken and self._taken[0].before.t < begin:
            self._taken.popleft()

    def reaches(self, t: float) -> bool:
        """Whether a measurement of ``t`` can still be put in its place."""
        return bool(self._taken) and self._taken[0].before.t <= t

    def take(self, filter_: RelativeFilter, seen: RelativeMeasurement, history: Floats) -> bool:
        """Whether it fits. The filter goes back to where it was not later than the measurement: since the last one it may have
        gone on without any."""
        again: list[RelativeMeasurement] = []
        while self._taken and filter_.t > seen.t:
            last = self._taken.pop()
            filter_.back(last.before)
            again.append(last.seen)
        later = [one for one in again if one.t > seen.t]
        for one in reversed(again[len(later) :]):
            self._add(filter_, one, history)
        fits = self._add(filter_, seen, history)
        for one in reversed(later):
            self._add(filter_, one, history)
        return fits

    def _add(self, filter_: RelativeFilter, seen: RelativeMeasurement, history: Floats) -> bool:
        self._taken.append(Taken(seen, filter_.copy()))
        return filter_.take(seen, history)

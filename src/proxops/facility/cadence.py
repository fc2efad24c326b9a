"""When to look for the next set-point: the cycles of the facility lie on a grid that never moves, so not before it is due.

A cycle that is late does not move those that follow (``core.clock.LiveClock``). The earliest moment within a cycle at which a
set-point has ever been sent therefore tells when the next can come at all. Waking up costs more than looking: with a look where a
set-point is due instead of one every millisecond, the responder takes half as much of its core.
"""

from __future__ import annotations

from typing import Final

LOOKS: Final = 2  # for set-points, in a cycle at least, while one is due
LOOK_NS: Final = 1_000_000  # between two of them at most: a set-point that is seen late is none
REST_NS: Final = 4_000_000  # between any two: half of what makes a set-point stale, should the grid move after all


def look_every_ns(period_ns: int) -> int:
    """Between two looks for set-points."""
    return min(period_ns // LOOKS, LOOK_NS)


class Cadence:
    """Time is handed in. Before the first set-point it looks all the time."""

    def __init__(self, period_ns: int) -> None:
        self._period_ns, self._look_ns = period_ns, look_every_ns(period_ns)
        self._due_ns: int | None = None  # the next set-point, at the earliest

    def heard(self, sent_ns: int) -> None:
        """A set-point has come. One that is sooner than was thought possible tells that all may be."""
        late_ns = 0 if self._due_ns is None else max(0, sent_ns - self._due_ns) % self._period_ns
        self._due_ns = sent_ns - late_ns + self._period_ns

    def wait_ns(self, now_ns: int) -> int:
        """To the next look: the first half a look after a set-point is due, when most are there; the others as ever."""
        if self._due_ns is None:
            return self._look_ns
        first_ns = self._due_ns + self._look_ns // 2 - now_ns
        return min(first_ns, REST_NS) if first_ns > 0 else self._look_ns

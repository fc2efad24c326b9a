"""A way that was looked at and found free is one that the guard lets pass, wherever it begins."""

from __future__ import annotations

from collections.abc import Generator
from typing import TypeVar

import numpy as np
import pytest
from numpy.typing import NDArray
from tight_posture import tight_posture

from proxops.bridge.joiner import Joiner
from proxops.lab.cell import Cell
from proxops.safety.guard import Guard
from proxops.safety.reserve import RESERVE_M
from proxops.safety.way_watch import WayWatch
from proxops.safety.zone_watch import ZoneWatch

Axes = NDArray[np.float64]
WAYS = 5
T = TypeVar("T")


@pytest.fixture(scope="module")
def zones(cell: Cell) -> ZoneWatch:
    return ZoneWatch(cell)


def whole(portions: Generator[None, None, T]) -> T:
    """What comes of all portions."""
    while True:
        try:
            next(portions)
        except StopIteration as end:
            value: T = end.value
            return value


def free(way: WayWatch, goal: Axes) -> bool:
    return whole(way.leads_to(goal))


def allowed(guard: Guard, goal: Axes) -> bool:
    return whole(guard.slow_way()(goal)) is None


@pytest.mark.parametrize("clearance_m", [0.012, 0.0202, 0.04])
def test_what_is_found_free_the_guard_lets_pass(cell: Cell, zones: ZoneWatch, clearance_m: float) -> None:
    """Legs into all directions from tight places: in the reserve, at its edge, in yellow."""
    rng = np.random.default_rng(round(1e5 * clearance_m))
    found = []
    for _ in range(WAYS):
        start = tight_posture(cell, zones, rng, clearance_m)
        goal = start + rng.normal(size=13) * rng.choice([0.0, 0.1], 13)
        guard = Guard(cell, np.zeros(6), zones)
        guard.stand(start)
        found.append(allowed(guard, goal) and free(zones.way_from(start), goal))
        if found[-1]:
            joiner, course = Joiner(cell, start, [goal], np.inf, np.inf), [start]
            while (q := joiner.step()) is not None:
                course.append(q.copy())
            done, stop = guard.judge_run(np.array(course))
            assert stop is None, done
    assert 0 < sum(found) < WAYS


def test_a_dip_between_two_places_that_are_free_is_seen(cell: Cell, zones: ZoneWatch) -> None:
    """The way between two places with room may have none."""
    rng = np.random.default_rng(3)
    middle = tight_posture(cell, zones, rng, RESERVE_M - 0.002)

    def roomy(q: Axes) -> bool:
        return zones.path.at(q, 2.0 * RESERVE_M).distance_m > 1.5 * RESERVE_M

    aside = next(d for d in rng.normal(0.0, 0.1, (2000, 13)) if roomy(middle + d) and roomy(middle - d))
    for begin, end in ((middle + aside, middle - aside), (middle - aside, middle + aside)):
        zones.stand(begin)
        assert free(zones.way_from(begin), begin)
        assert not free(zones.way_from(begin), end)
